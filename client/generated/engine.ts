/** Generated from contract/engine.yaml by `npm run generate`; not to be edited. */

export interface Engine {
    Queue: {
        queue_running: Engine["QueueEntry"][];
        queue_pending: Engine["QueueEntry"][];
    };
    /** @description Number, job id, graph, extra data (with `create_time`, in milliseconds), ids of the output nodes; more may follow. */
    QueueEntry: [
        number,
        string,
        {
            [key: string]: unknown;
        },
        {
            [key: string]: unknown;
        },
        string[]
    ];
    HistoryEntry: {
        prompt: Engine["QueueEntry"];
        /** @description Node id to its results. */
        outputs: {
            [key: string]: Engine["NodeOutput"];
        };
        status: Engine["RunStatus"] | null;
        meta?: {
            [key: string]: unknown;
        };
    };
    RunStatus: {
        /** @description `success` or `error`; what was interrupted stands as an error. */
        status_str: string;
        completed: boolean;
        /** @description Frames of the run: pairs of a type and its data. */
        messages: [
            string,
            {
                [key: string]: unknown;
            }
        ][];
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
        execution_error?: {
            [key: string]: unknown;
        } | null;
        preview_output?: {
            [key: string]: unknown;
        } | null;
        outputs_count?: number;
        workflow_id?: string | null;
    };
    Job: {
        /** @description Node id to its results. */
        outputs?: {
            [key: string]: Engine["NodeOutput"];
        };
        execution_status?: Engine["RunStatus"] | null;
        workflow?: Engine["JobWorkflow"];
    } & Engine["JobSummary"];
    JobWorkflow: {
        prompt?: {
            [key: string]: unknown;
        };
        extra_data?: {
            [key: string]: unknown;
        };
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
    /** @description Lists of files, under whatever name; some other results are texts, some no lists. */
    NodeOutput: {
        images?: Engine["OutputFile"][];
        video?: Engine["OutputFile"][];
        audio?: Engine["OutputFile"][];
    } & {
        [key: string]: unknown;
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
            argv?: string[];
        };
        devices: {
            [key: string]: unknown;
        }[];
    };
}
