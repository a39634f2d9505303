/** Generated from contract/v1.yaml by `npm run generate`; not to be edited. */

export interface V1 {
    JobState: {
        status: unknown;
        id?: string;
        created_at?: string;
        updated_at?: string;
        last_state_update?: string;
        assigned_inference?: string | null;
        error_message?: string | null;
    };
    JobSummary: {
        id: string;
        status: unknown;
        create_time: number;
        update_time?: number;
        execution_start_time?: number;
        execution_end_time?: number;
        workflow_id?: string | null;
        preview_output?: unknown;
        outputs_count?: number;
        execution_error?: unknown;
    };
    Job: {
        outputs?: unknown;
        execution_status?: unknown;
        execution_meta?: unknown;
        workflow?: unknown;
    } & V1["JobSummary"];
    JobPage: {
        jobs: unknown;
        pagination: {
            offset: number;
            limit: number;
            total: number;
            has_more: boolean;
        };
    };
    Uploaded: {
        name: string;
        subfolder: string;
        type?: string;
        metadata?: unknown;
    };
    Queue: {
        queue_running: unknown;
        queue_pending: unknown;
    };
    ExecutionError: {
        prompt_id: string;
        node_id?: string | null;
        node_type?: string | null;
        executed?: unknown;
        timestamp?: number;
        exception_type: string;
        exception_message: string;
        traceback: unknown;
    };
}
