/** Generated from contract/router.yaml by `npm run generate`; not to be edited. */

export interface paths {
    "/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description A short or empty page is not the end; `has_more` says so. A limit is clamped, never refused. */
        get: operations["listModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/models/{provider}/{model}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getModel"];
        put?: never;
        /** @description Held open until the result is there, at most 10 minutes. Some models answer with raw bytes. */
        post: operations["runModel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/models/{provider}/{model}/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The document that calls are checked against, as an OpenAPI description of its own. */
        get: operations["getInputSchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/models/{provider}/{model}/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["submitRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/models/{provider}/{model}/requests/{request_id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getRequestStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/models/{provider}/{model}/requests/{request_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Kept for 24 hours after it completed. */
        get: operations["getRequestResult"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/models/{provider}/{model}/requests/{request_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["cancelRequest"];
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
        Provider: string;
        ModelName: string;
        Billing: {
            /** @description `yes`, `no` or `unknown`; any other word means `unknown`. */
            charges_on_policy_rejection: string;
        };
        ModelEntry: {
            id: string;
            provider: components["schemas"]["Provider"];
            model: components["schemas"]["ModelName"];
            billing: components["schemas"]["Billing"];
        };
        ModelDetail: components["schemas"]["ModelEntry"] & {
            /**
             * Format: uri
             * @description Absent where no schema has been written.
             */
            input_schema_url?: string;
        };
        ModelPage: {
            data: components["schemas"]["ModelEntry"][];
            has_more: boolean;
            next_cursor?: string;
            /** @description The page size that was served. */
            limit: number;
        };
        /** @description The model's own. */
        ModelInput: {
            [key: string]: unknown;
        };
        /** @description The model's own; never checked. */
        ModelOutput: {
            [key: string]: unknown;
        };
        InputSchemaDocument: {
            openapi: string;
            paths: {
                [key: string]: unknown;
            };
            components?: {
                [key: string]: unknown;
            };
            /** @description False where any object is taken. */
            "x-service-input-schema-authored"?: boolean;
        };
        /** @description Open; the known ones are listed above. */
        ErrorBucket: string;
        RouterError: {
            /** @description For people. */
            detail: string;
            error_type: components["schemas"]["ErrorBucket"];
            upstream_detail?: string;
            refusal_subject?: string;
        };
        ValidationError: {
            detail: components["schemas"]["ValidationEntry"][];
        };
        ValidationEntry: {
            /** @description The outermost step first; an integer indexes an array. */
            loc: (string | number)[];
            msg: string;
            /** @description Open. */
            type: string;
            /** @description The bound that was passed over. */
            ctx?: {
                [key: string]: unknown;
            };
            /** @description The value that was refused. */
            input?: unknown;
        };
        RequestStatus: {
            /**
             * Format: uuid
             * @description Not the id in the header.
             */
            request_id: string;
            /** @description `IN_QUEUE`, `IN_PROGRESS`, `COMPLETED`; open. */
            status: string;
            /** @description Absent outside the queue. */
            queue_position?: number;
            /** Format: uri */
            status_url: string;
            /** Format: uri */
            response_url: string;
            /** Format: uri */
            cancel_url: string;
            /** @description Present where a completed request ended badly; a result may be stored, and charged, all the same. */
            error_type?: components["schemas"]["ErrorBucket"];
        };
        CancelAnswer: {
            /**
             * Format: uuid
             * @description Not the id in the header.
             */
            request_id: string;
            /** @description `CANCELLATION_REQUESTED` or `ALREADY_COMPLETED`. */
            status: string;
            detail?: string;
            error_type?: components["schemas"]["ErrorBucket"];
        };
    };
    responses: {
        /** @description The model's own output. */
        Ran: {
            headers: {
                "X-Service-Request-Id": string;
                /** @description A recorded result. */
                "Idempotent-Replayed"?: "true";
                /** @description A decimal text; absent does not mean free. */
                "X-Service-Credits-Used"?: string;
                /** @description A JSON array of names in one text. */
                "X-Service-Router-Dropped-Params"?: string;
                "X-Service-Router-Fallback-Provider"?: string;
                /** @description In US cents. */
                "X-Committed-Spend-Limit"?: number;
                /** @description In US cents. */
                "X-Committed-Spend-Current"?: number;
                /** @description In US cents. */
                "X-Committed-Spend-Remaining"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ModelOutput"];
                "*/*": string;
            };
        };
        /** @description Not completed yet. */
        Pending: {
            headers: {
                "X-Service-Request-Id": string;
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RequestStatus"];
            };
        };
        /** @description An intermediary may send a web page, half a body or text in its place. */
        Refused: {
            headers: {
                "X-Service-Request-Id": string;
                "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                /** @description Seconds. */
                "Retry-After"?: number;
                "X-Service-Upstream-Status"?: string;
                "X-Service-Upstream-Detail"?: string;
                "X-Service-Refusal-Subject"?: string;
                /** @description In US cents. */
                "X-Committed-Spend-Limit"?: number;
                /** @description In US cents. */
                "X-Committed-Spend-Current"?: number;
                /** @description In US cents. */
                "X-Committed-Spend-Remaining"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RouterError"];
            };
        };
        /** @description Never billed. */
        InvalidFields: {
            headers: {
                "X-Service-Request-Id": string;
                "X-Service-Error-Type": string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ValidationError"];
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
    listModels: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    "X-Service-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelPage"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            400: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            401: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            403: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            429: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            500: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            503: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
        };
    };
    getModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: components["schemas"]["Provider"];
                model: components["schemas"]["ModelName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The model. */
            200: {
                headers: {
                    "X-Service-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelDetail"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            400: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            401: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            403: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            404: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            429: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            500: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            503: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
        };
    };
    runModel: {
        parameters: {
            query?: {
                model_provider?: string;
                strict_mode?: boolean;
                reject_unknown_fields?: boolean;
                fallback_provider?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                provider: components["schemas"]["Provider"];
                model: components["schemas"]["ModelName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ModelInput"];
            };
        };
        responses: {
            /** @description The model's own output. */
            200: {
                headers: {
                    "X-Service-Request-Id": string;
                    /** @description A recorded result. */
                    "Idempotent-Replayed"?: "true";
                    /** @description A decimal text; absent does not mean free. */
                    "X-Service-Credits-Used"?: string;
                    /** @description A JSON array of names in one text. */
                    "X-Service-Router-Dropped-Params"?: string;
                    "X-Service-Router-Fallback-Provider"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelOutput"];
                    "*/*": string;
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            400: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            401: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            402: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            403: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            404: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            409: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            413: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description Never billed. */
            422: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            429: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            500: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            502: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            503: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            504: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
        };
    };
    getInputSchema: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
            path: {
                provider: components["schemas"]["Provider"];
                model: components["schemas"]["ModelName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    "X-Service-Request-Id": string;
                    ETag: string;
                    "Cache-Control": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InputSchemaDocument"];
                };
            };
            /** @description The caller has it. */
            304: {
                headers: {
                    "X-Service-Request-Id": string;
                    ETag: string;
                    "Cache-Control": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            400: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            401: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            403: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            404: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            429: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            500: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            503: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
        };
    };
    submitRequest: {
        parameters: {
            query?: {
                model_provider?: string;
                strict_mode?: boolean;
                reject_unknown_fields?: boolean;
            };
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                provider: components["schemas"]["Provider"];
                model: components["schemas"]["ModelName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ModelInput"];
            };
        };
        responses: {
            /** @description Queued. */
            201: {
                headers: {
                    "X-Service-Request-Id": string;
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestStatus"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            400: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            401: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            402: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            403: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            404: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            409: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            413: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description Never billed. */
            422: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            429: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            500: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            502: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            503: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            504: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
        };
    };
    getRequestStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: components["schemas"]["Provider"];
                model: components["schemas"]["ModelName"];
                request_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How it stands. */
            200: {
                headers: {
                    "X-Service-Request-Id": string;
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestStatus"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            400: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            401: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            403: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            404: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            410: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            429: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            500: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            503: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
        };
    };
    getRequestResult: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: components["schemas"]["Provider"];
                model: components["schemas"]["ModelName"];
                request_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The model's own output. */
            200: {
                headers: {
                    "X-Service-Request-Id": string;
                    /** @description A recorded result. */
                    "Idempotent-Replayed"?: "true";
                    /** @description A decimal text; absent does not mean free. */
                    "X-Service-Credits-Used"?: string;
                    /** @description A JSON array of names in one text. */
                    "X-Service-Router-Dropped-Params"?: string;
                    "X-Service-Router-Fallback-Provider"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelOutput"];
                    "*/*": string;
                };
            };
            /** @description Not completed yet. */
            202: {
                headers: {
                    "X-Service-Request-Id": string;
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestStatus"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            400: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            401: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            402: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            403: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            404: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            409: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            410: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            413: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description Never billed. */
            422: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            429: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            500: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            502: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            503: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            504: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
        };
    };
    cancelRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: components["schemas"]["Provider"];
                model: components["schemas"]["ModelName"];
                request_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Asked for. */
            202: {
                headers: {
                    "X-Service-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CancelAnswer"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            400: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            401: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            403: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            404: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description Too late. */
            409: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CancelAnswer"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            429: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            500: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
            /** @description An intermediary may send a web page, half a body or text in its place. */
            503: {
                headers: {
                    "X-Service-Request-Id": string;
                    "X-Service-Error-Type": components["schemas"]["ErrorBucket"];
                    /** @description Seconds. */
                    "Retry-After"?: number;
                    "X-Service-Upstream-Status"?: string;
                    "X-Service-Upstream-Detail"?: string;
                    "X-Service-Refusal-Subject"?: string;
                    /** @description In US cents. */
                    "X-Committed-Spend-Limit"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Current"?: number;
                    /** @description In US cents. */
                    "X-Committed-Spend-Remaining"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterError"];
                };
            };
        };
    };
}
