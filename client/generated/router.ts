/** Generated from contract/router.yaml by `npm run generate`; not to be edited. */

export interface Router {
    Provider: string;
    ModelName: string;
    Billing: {
        /** @description `yes`, `no` or `unknown`; any other word means `unknown`. */
        charges_on_policy_rejection: string;
    };
    ModelEntry: {
        id: string;
        provider: Router["Provider"];
        model: Router["ModelName"];
        billing: Router["Billing"];
    };
    ModelDetail: Router["ModelEntry"] & {
        /**
         * Format: uri
         * @description Absent where no schema has been written.
         */
        input_schema_url?: string;
    };
    ModelPage: {
        data: Router["ModelEntry"][];
        has_more: boolean;
        next_cursor?: string;
        /** @description The page size that was served. */
        limit: number;
    };
    /** @description Open; the known ones are listed above. */
    ErrorBucket: string;
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
        error_type?: Router["ErrorBucket"];
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
        error_type?: Router["ErrorBucket"];
    };
}
