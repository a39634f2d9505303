/** Generated from contract/library.yaml by `npm run generate`; not to be edited. */

export interface Library {
    UserFile: {
        path: string;
        size: number;
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
    Blueprint: {
        source: string;
        name: string;
        info: unknown;
    };
    BlueprintInfo: {
        node_pack?: string;
    };
    BlueprintFile: Library["Blueprint"] & {
        data: string;
    };
}
