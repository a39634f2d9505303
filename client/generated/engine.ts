/** Generated from contract/engine.yaml by `npm run generate`; not to be edited. */

export interface Engine {
    Queue: {
        queue_running: unknown;
        queue_pending: unknown;
    };
    HistoryEntry: {
        prompt: unknown;
        outputs: unknown;
        status: unknown;
        meta?: unknown;
    };
    RunStatus: {
        status_str: string;
        completed: boolean;
        messages: unknown;
    };
    JobSummary: {
        id: string;
        status: string;
        priority?: number;
        create_time?: number;
        execution_start_time?: number;
        execution_end_time?: number;
        execution_error?: unknown;
        preview_output?: unknown;
        outputs_count?: number;
        previewable_outputs_count?: number;
        workflow_id?: string | null;
    };
    Job: {
        outputs?: unknown;
        execution_status?: unknown;
        workflow?: unknown;
    } & Engine["JobSummary"];
    JobWorkflow: {
        prompt?: unknown;
        extra_data?: unknown;
    };
    CancelAnswer: {
        cancelled?: boolean;
    };
    SystemStats: {
        system: {
            comfyui_version: string;
            os?: string;
            python_version?: string;
            pytorch_version?: string;
            ram_total?: number;
            ram_free?: number;
            argv?: unknown;
        };
        devices: unknown;
    };
    Features: {
        supports_preview_metadata?: boolean;
        max_upload_size?: number;
        node_replacements?: boolean;
        assets?: boolean;
        supports_model_type_tags?: boolean;
    };
    NodeReplacement: {
        new_node_id: string;
        old_node_id: string;
        old_widget_ids?: unknown;
        input_mapping?: unknown;
        output_mapping?: unknown;
    };
    ServerLog: {
        entries: unknown;
        size?: {
            cols?: number;
            rows?: number;
        };
    };
}
