/** Generated from contract/library.yaml by `npm run generate`; not to be edited. */

export interface Library {
    UserFile: {
        /** @description Below the folder that was asked for. */
        path: string;
        size: number;
        /** @description Epoch seconds; in newer versions milliseconds. */
        modified: number;
        created?: number;
    };
    TemplateGroup: {
        title: string;
        templates: unknown;
    };
    Template: {
        name: string;
        title?: string;
        description?: string;
    };
}
