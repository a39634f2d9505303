/** Generated from contract/v2.yaml by `npm run generate`; not to be edited. */

export interface V2 {
    Asset: {
        id: string;
        /** @description Computed lazily. */
        hash: string | null;
        size_bytes: number;
        content_type: string;
        /** Format: date-time */
        created_at: string;
        /** Format: uri-reference */
        url: string;
        /** Format: date-time */
        url_expires_at: string | null;
        file_path?: string | null;
        /** @description On creation only. */
        created_new?: boolean;
        /** Format: date-time */
        expires_at?: string | null;
        /** @description The job that made it; uploads have none. */
        job_id?: string | null;
    };
    /** @description Stands in a workflow where a file is meant. The id decides, the rest are hints. */
    AssetReference: {
        /** @constant */
        __type: "core/ASSET";
        info: {
            id: string;
            hash?: string;
            file_path?: string;
        };
    };
    Job: {
        id: string;
        status: unknown;
        /** Format: date-time */
        created_at: string;
        /** Format: date-time */
        started_at: string | null;
        /** Format: date-time */
        completed_at: string | null;
        /** Format: date-time */
        expires_at: string;
        queue_position: number | null;
        progress: unknown;
        error: unknown;
        metrics?: unknown;
        metadata?: unknown;
        priority?: number | null;
        outputs_reused?: boolean;
        outputs: unknown;
        urls: {
            /** Format: uri-reference */
            self: string;
            /** Format: uri-reference */
            events: string;
            /** Format: uri-reference */
            cancel: string;
            /** Format: uri-reference */
            logs?: string;
        };
    };
    /**
     * @description On deployments lighter than the job and under other names: `create_time`, `update_time` (its latest change) and
     *     `deployment_id`, without `created_at`. Self-hosted lists whole jobs, with `created_at` in place of `create_time`.
     *     Any time may be absent: then only the job itself tells.
     */
    JobListItem: {
        id: string;
        status: unknown;
        /** Format: date-time */
        create_time?: string | null;
        /** Format: date-time */
        update_time?: string | null;
        deployment_id?: string | null;
        /** Format: date-time */
        created_at?: string | null;
        /** Format: date-time */
        completed_at?: string | null;
        metadata?: unknown;
    };
    JobPage: {
        /** @description An empty list may be absent. */
        jobs?: unknown;
        /** @description Absent, null or empty on the last page. */
        next_cursor?: string | null;
        /** @description Self-hosted; there is no cursor. */
        truncated?: boolean;
    };
    JobWorkflow: {
        workflow: unknown;
        /**
         * @description `save`: as in the editor; `api`: the executed graph.
         * @enum {string}
         */
        format: "save" | "api";
    };
    Progress: {
        value: number;
        nodes_done: number;
        nodes_total: number;
        current_node?: string | null;
        current_node_class?: string | null;
        step?: number | null;
        steps?: number | null;
        message?: string | null;
    };
    Output: {
        /** @description Empty where the node is not known. */
        node_id: string;
        name: string;
        /**
         * @example image
         * @example video
         * @example audio
         * @example text
         * @example file
         * @example latent
         */
        type: string;
        content_type: string;
        size_bytes: number;
        id: string;
        /** @description Computed lazily. */
        hash: string | null;
        /** Format: uri-reference */
        url: string;
        /** Format: date-time */
        url_expires_at: string | null;
        job_id?: string | null;
    };
    JobError: {
        code: string;
        message: string;
        node_id?: string | null;
        class_type?: string | null;
        traceback?: string | null;
    };
    StatusEvent: {
        status: unknown;
        queue_position?: number | null;
    };
    PreviewEvent: {
        node_id: string | null;
        content_type: string;
        data_base64: string;
    };
    /** @description Reserved; not sent yet. */
    LogEvent: {
        level: string;
        message: string;
    };
}
