/** Generated from contract/v1.yaml by `npm run generate`; not to be edited. */

export interface paths {
    "/api/prompt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getQueueSize"];
        put?: never;
        /** @description Without any idempotency. A 200 with `error`, or with entries in `node_errors`, is a refusal as well. */
        post: operations["submitPrompt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/job/{prompt_id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getJobStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Where outputs come from when nobody listened to the socket. */
        get: operations["getJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/upload/image": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["uploadImage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/upload/mask": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["uploadMask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/view": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Redirects to a temporary storage link, to be fetched without the key; some files come at once. */
        get: operations["viewFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getQueue"];
        put?: never;
        /** @description Deletes pending jobs; whether running ones stop as well, its documents disagree. */
        post: operations["changeQueue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/interrupt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Stops every running job of the account. */
        post: operations["interrupt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["changeHistory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/object_info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getNodeDefinitions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/object_info/{class}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getNodeDefinition"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ws": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * @description Every connection of an account receives the same; `clientId` is ignored.
         *     Binary frames begin with their type, and integers are of four bytes, big-endian.
         *
         *     | Type | Layout |
         *     |---|---|
         *     | 1 | type, image type (1 JPEG, 2 PNG), image |
         *     | 3 | type, length of node id, node id, text |
         *     | 4 | type, length of metadata, metadata as JSON, image (JPEG or PNG) |
         */
        get: operations["openSocket"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
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
        ApiGraph: {
            [key: string]: {
                class_type: string;
                inputs: {
                    [key: string]: unknown;
                };
            };
        };
        Submission: {
            prompt: components["schemas"]["ApiGraph"];
            extra_data?: {
                api_key_comfy_org?: string;
                api_key_service_org?: string;
            } & {
                [key: string]: unknown;
            };
            /** @description Ignored. */
            number?: number;
            /** @description Ignored. */
            front?: boolean;
            partial_execution_targets?: string[];
        };
        PromptAnswer: components["schemas"]["PromptAccepted"] | components["schemas"]["PromptRejected"];
        PromptAccepted: {
            prompt_id: string;
            number?: number;
            node_errors?: components["schemas"]["NodeErrors"];
        };
        PromptRejected: {
            prompt_id?: string | null;
            error: string | {
                [key: string]: unknown;
            };
            node_errors?: components["schemas"]["NodeErrors"];
        };
        /** @description By node id; an empty list in place of no entries. */
        NodeErrors: {
            [key: string]: unknown;
        } | unknown[];
        EngineRefusal: {
            error: {
                type: string;
                message: string;
                details?: string;
                extra_info?: {
                    [key: string]: unknown;
                };
            };
            node_errors?: components["schemas"]["NodeErrors"];
        };
        Refusal: {
            code?: string;
            message: string;
        };
        QueueSize: {
            exec_info: {
                queue_remaining: number;
            };
        };
        JobState: {
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
            status: string;
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
            status: string;
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
            /** @description By node id. */
            outputs?: {
                [key: string]: components["schemas"]["NodeOutput"];
            };
            execution_status?: {
                [key: string]: unknown;
            } | null;
            execution_meta?: {
                [key: string]: unknown;
            } | null;
            workflow?: {
                [key: string]: unknown;
            } | null;
        } & components["schemas"]["JobSummary"];
        JobPage: {
            jobs: components["schemas"]["JobSummary"][];
            pagination: {
                offset: number;
                limit: number;
                total: number;
                has_more: boolean;
            };
        };
        ImageUpload: {
            /** Format: binary */
            image: string;
            /** @enum {unknown} */
            type?: "input" | "temp";
            /** @enum {unknown} */
            overwrite?: "true" | "false";
            subfolder?: string;
        };
        MaskUpload: {
            /** Format: binary */
            image: string;
            /** @enum {unknown} */
            type?: "input";
            subfolder?: string;
            original_ref: string;
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
            images?: components["schemas"]["OutputFile"][];
            video?: components["schemas"]["OutputFile"][];
            audio?: components["schemas"]["OutputFile"][];
        } & {
            [key: string]: unknown;
        };
        /** @description By node id. */
        Outputs: {
            [key: string]: components["schemas"]["NodeOutput"];
        };
        ListChange: {
            delete?: string[];
            clear?: boolean;
        };
        Queue: {
            queue_running: components["schemas"]["QueueEntry"][];
            queue_pending: components["schemas"]["QueueEntry"][];
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
        NodeDefinitions: {
            [key: string]: components["schemas"]["NodeDefinition"];
        };
        NodeDefinition: {
            input: {
                required: {
                    [key: string]: unknown;
                };
                optional?: {
                    [key: string]: unknown;
                };
            };
            output: unknown[];
            output_name?: string[];
            output_node?: boolean;
            name?: string;
            display_name?: string;
            description?: string;
            category?: string;
        };
        TextFrame: components["schemas"]["StatusFrame"] | components["schemas"]["NotificationFrame"] | components["schemas"]["ExecutionStartFrame"] | components["schemas"]["ExecutingFrame"] | components["schemas"]["ProgressFrame"] | components["schemas"]["ProgressStateFrame"] | components["schemas"]["ExecutedFrame"] | components["schemas"]["ExecutionCachedFrame"] | components["schemas"]["ExecutionSuccessFrame"] | components["schemas"]["ExecutionErrorFrame"] | components["schemas"]["ExecutionInterruptedFrame"];
        StatusFrame: {
            /** @constant */
            type: "status";
            data: {
                status: {
                    exec_info: {
                        queue_remaining: number;
                    };
                };
                sid?: string;
            };
        };
        NotificationFrame: {
            /** @constant */
            type: "notification";
            data: {
                value: string;
                prompt_id?: string | null;
            };
        };
        ExecutionStartFrame: {
            /** @constant */
            type: "execution_start";
            data: {
                prompt_id: string;
                /** @description Epoch milliseconds. */
                timestamp?: number;
            };
        };
        /** @description Without a node, execution has finished. */
        ExecutingFrame: {
            /** @constant */
            type: "executing";
            data: {
                prompt_id: string;
                node: string | null;
                display_node?: string | null;
            };
        };
        ProgressFrame: {
            /** @constant */
            type: "progress";
            data: {
                prompt_id: string;
                node?: string | null;
                value: number;
                max: number;
            };
        };
        ProgressStateFrame: {
            /** @constant */
            type: "progress_state";
            data: {
                prompt_id: string;
                nodes: {
                    [key: string]: components["schemas"]["NodeProgress"];
                };
            };
        };
        NodeProgress: {
            value: number;
            max: number;
            /**
             * @example pending
             * @example running
             * @example finished
             * @example error
             */
            state?: string;
            prompt_id?: string;
            node_id?: string;
            display_node_id?: string | null;
            real_node_id?: string | null;
            parent_node_id?: string | null;
        };
        ExecutedFrame: {
            /** @constant */
            type: "executed";
            data: {
                prompt_id: string;
                node: string;
                display_node?: string | null;
                output: components["schemas"]["NodeOutput"];
            };
        };
        ExecutionCachedFrame: {
            /** @constant */
            type: "execution_cached";
            data: {
                prompt_id: string;
                nodes: string[];
                /** @description Epoch milliseconds. */
                timestamp?: number;
            };
        };
        ExecutionSuccessFrame: {
            /** @constant */
            type: "execution_success";
            data: {
                prompt_id: string;
                /** @description Epoch milliseconds. */
                timestamp?: number;
            };
        };
        ExecutionErrorFrame: {
            /** @constant */
            type: "execution_error";
            data: components["schemas"]["ExecutionError"];
        };
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
        ExecutionInterruptedFrame: {
            /** @constant */
            type: "execution_interrupted";
            data: {
                prompt_id: string;
                node_id?: string | null;
                node_type?: string | null;
                executed?: string[];
                /** @description Epoch milliseconds. */
                timestamp?: number;
            };
        };
        PreviewMetadata: {
            node_id: string;
            display_node_id: string;
            real_node_id: string;
            prompt_id: string;
            parent_node_id: string | null;
        };
    };
    responses: {
        /** @description Where it lies. */
        Uploaded: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Uploaded"];
            };
        };
        /** @description Done; with any body, or none. */
        Done: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "*/*": unknown;
            };
        };
        /** @description By class name. */
        NodeDefinitions: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NodeDefinitions"];
            };
        };
        /** @description Refused. */
        Refusal: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Refusal"];
            };
        };
        /** @description Refused by the service, or by the engine behind it. */
        PromptRefusal: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["EngineRefusal"] | components["schemas"]["Refusal"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getQueueSize: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The size. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueueSize"];
                };
            };
            /** @description Refused. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    submitPrompt: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Submission"];
            };
        };
        responses: {
            /** @description Accepted or not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PromptAnswer"];
                };
            };
            /** @description Refused by the service, or by the engine behind it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EngineRefusal"] | components["schemas"]["Refusal"];
                };
            };
            /** @description Refused by the service, or by the engine behind it. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EngineRefusal"] | components["schemas"]["Refusal"];
                };
            };
            /** @description Refused by the service, or by the engine behind it. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EngineRefusal"] | components["schemas"]["Refusal"];
                };
            };
            /** @description Refused by the service, or by the engine behind it. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EngineRefusal"] | components["schemas"]["Refusal"];
                };
            };
            /** @description Refused by the service, or by the engine behind it. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EngineRefusal"] | components["schemas"]["Refusal"];
                };
            };
            /** @description Refused by the service, or by the engine behind it. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EngineRefusal"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getJobStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                prompt_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The status. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobState"];
                };
            };
            /** @description Refused. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    listJobs: {
        parameters: {
            query?: {
                /** @description One or several */
                status?: string;
                workflow_id?: string;
                output_type?: string;
                sort_by?: string;
                sort_order?: "asc" | "desc";
                offset?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobPage"];
                };
            };
            /** @description Refused. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Refused. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    uploadImage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["ImageUpload"];
            };
        };
        responses: {
            /** @description Where it lies. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Uploaded"];
                };
            };
            /** @description Refused. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    uploadMask: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["MaskUpload"];
            };
        };
        responses: {
            /** @description Where it lies. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Uploaded"];
                };
            };
            /** @description Refused. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    viewFile: {
        parameters: {
            query: {
                filename: string;
                /** @description Ignored. */
                subfolder?: string;
                type?: string;
                /** @description Answered with a PNG and no redirect. */
                channel?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description Elsewhere. */
            302: {
                headers: {
                    Location: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getQueue: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The queue. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queue"];
                };
            };
            /** @description Refused. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    changeQueue: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ListChange"];
            };
        };
        responses: {
            /** @description Done; with any body, or none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description Refused. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    interrupt: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; with any body, or none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description Refused. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    changeHistory: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ListChange"];
            };
        };
        responses: {
            /** @description Done; with any body, or none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description Refused. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getNodeDefinitions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By class name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeDefinitions"];
                };
            };
            /** @description Refused. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getNodeDefinition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                class: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By class name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeDefinitions"];
                };
            };
            /** @description Refused. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    openSocket: {
        parameters: {
            query?: {
                clientId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Frames follow. */
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
}
