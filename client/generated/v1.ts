/** Generated from contract/v1.yaml by `npm run generate`; not to be edited. */

export interface V1 {
    /**
     * @example submitted
     * @example queued_waiting
     * @example preparing
     * @example executing
     * @example cancel_requested
     * @example success
     * @example error
     * @example non_retryable_error
     * @example lost
     * @example cancelled
     */
    JobStatus: string;
    JobState: {
        status: V1["JobStatus"];
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
        status: V1["JobStatus"];
        /** @description Epoch seconds. */
        create_time: number;
        /** @description Epoch seconds. */
        update_time?: number;
        /** @description Epoch milliseconds. */
        execution_start_time?: number;
        /** @description Epoch milliseconds. */
        execution_end_time?: number;
        workflow_id?: string | null;
        preview_output?: {
            [key: string]: unknown;
        } | null;
        outputs_count?: number;
        execution_error?: {
            [key: string]: unknown;
        } | null;
    };
    Job: {
        outputs?: V1["Outputs"];
        execution_status?: {
            [key: string]: unknown;
        } | null;
        execution_meta?: {
            [key: string]: unknown;
        } | null;
        workflow?: {
            [key: string]: unknown;
        } | null;
    } & V1["JobSummary"];
    JobPage: {
        jobs: V1["JobSummary"][];
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
        metadata?: {
            [key: string]: unknown;
        } | null;
    };
    OutputFile: {
        filename: string;
        /** @default  */
        subfolder: string;
        /**
         * @default output
         * @example output
         * @example temp
         * @example input
         */
        type: string;
    };
    /** @description Some other results are texts, some no lists. */
    NodeOutput: {
        images?: V1["OutputFile"][];
        video?: V1["OutputFile"][];
        audio?: V1["OutputFile"][];
    } & {
        [key: string]: unknown;
    };
    /** @description By node id. */
    Outputs: {
        [key: string]: V1["NodeOutput"];
    };
    Queue: {
        queue_running: V1["QueueEntry"][];
        queue_pending: V1["QueueEntry"][];
    };
    /** @description Number, job id, graph, ids of the output nodes, and an object with `create_time`; more may follow. */
    QueueEntry: [
        number,
        string,
        {
            [key: string]: unknown;
        },
        string[],
        {
            [key: string]: unknown;
        }
    ];
    ExecutionError: {
        prompt_id: string;
        node_id?: string | null;
        node_type?: string | null;
        executed?: string[];
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
        traceback: string[];
    };
}
