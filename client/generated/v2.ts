/** Generated from contract/v2.yaml by `npm run generate`; not to be edited. */

export interface V2 {
    Asset: {
        id: string;
        hash: string | null;
        size_bytes: number;
        content_type: string;
        created_at: string;
        url: string;
        url_expires_at: string | null;
        file_path?: string | null;
        created_new?: boolean;
        expires_at?: string | null;
        job_id?: string | null;
    };
    AssetReference: {
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
        created_at: string;
        started_at: string | null;
        completed_at: string | null;
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
            self: string;
            events: string;
            cancel: string;
            logs?: string;
        };
    };
    JobListItem: {
        id: string;
        status: unknown;
        create_time?: string | null;
        update_time?: string | null;
        deployment_id?: string | null;
        created_at?: string | null;
        completed_at?: string | null;
        metadata?: unknown;
    };
    JobPage: {
        jobs?: unknown;
        next_cursor?: string | null;
        truncated?: boolean;
    };
    JobWorkflow: {
        workflow: unknown;
        format: "save" | "api";
    };
    JobLogs: {
        text: string;
        truncated: boolean;
        captured_at: string | null;
        complete: boolean;
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
        node_id: string;
        name: string;
        type: string;
        content_type: string;
        size_bytes: number;
        id: string;
        hash: string | null;
        url: string;
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
    LogEvent: {
        level: string;
        message: string;
    };
}
