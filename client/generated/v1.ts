/** Generated from contract/v1.yaml by `npm run generate`; not to be edited. */

export interface V1 {
    JobState: {
        status: unknown;
        id?: string;
        /** Format: date-time */
        created_at?: string;
        /** Format: date-time */
        updated_at?: string;
        /** Format: date-time */
        last_state_update?: string;
        assigned_inference?: string | null;
        error_message?: string | null;
    };
    JobSummary: {
        id: string;
        status: unknown;
        /** @description Epoch seconds. */
        create_time: number;
        /** @description Epoch seconds. */
        update_time?: number;
        /** @description Epoch milliseconds. */
        execution_start_time?: number;
        /** @description Epoch milliseconds. */
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
        /** @description Epoch milliseconds. */
        timestamp?: number;
        /**
         * @example ValidationError
         * @example ModelDownloadError
         * @example ImageDownloadError
         * @example OOMError
         * @example InsufficientFundsError
         * @example InactiveSubscriptionError
         * @example PanicError
         * @example ServiceError
         * @example WebSocketError
         * @example DispatcherError
         */
        exception_type: string;
        exception_message: string;
        traceback: unknown;
    };
}
