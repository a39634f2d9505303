/** Generated from contract/engine.yaml by `npm run generate`; not to be edited. */

export interface Engine {
    Queue: {
        queue_running: unknown;
        queue_pending: unknown;
    };
    HistoryEntry: {
        prompt: unknown;
        /** @description Node id to its results. */
        outputs: unknown;
        status: unknown;
        meta?: unknown;
    };
    RunStatus: {
        /** @description `success` or `error`; what was interrupted stands as an error. */
        status_str: string;
        completed: boolean;
        /** @description Frames of the run: pairs of a type and its data. */
        messages: unknown;
    };
    JobSummary: {
        id: string;
        /**
         * @example pending
         * @example in_progress
         * @example completed
         * @example failed
         * @example cancelled
         */
        status: string;
        priority?: number;
        /** @description Epoch milliseconds. */
        create_time?: number;
        /** @description Epoch milliseconds. */
        execution_start_time?: number;
        /** @description Epoch milliseconds. */
        execution_end_time?: number;
        execution_error?: unknown;
        preview_output?: unknown;
        outputs_count?: number;
        workflow_id?: string | null;
    };
    Job: {
        /** @description Node id to its results. */
        outputs?: unknown;
        execution_status?: unknown;
        workflow?: unknown;
    } & Engine["JobSummary"];
    JobWorkflow: {
        prompt?: unknown;
        extra_data?: unknown;
    };
    SystemStats: {
        system: {
            /** @description `unknown` where it runs without its history of versions. */
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
}
