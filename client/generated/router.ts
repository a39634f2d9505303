/** Generated from contract/router.yaml by `npm run generate`; not to be edited. */

export interface Router {
    Billing: {
        /** @description `yes`, `no` or `unknown`; any other word means `unknown`. */
        charges_on_policy_rejection: string;
    };
    ModelEntry: {
        id: string;
        provider: unknown;
        model: unknown;
        billing: unknown;
    };
    ModelDetail: Router["ModelEntry"] & {
        /**
         * Format: uri
         * @description Absent where no schema has been written.
         */
        input_schema_url?: string;
    };
    ModelPage: {
        data: unknown;
        has_more: boolean;
        next_cursor?: string;
        /** @description The page size that was served. */
        limit: number;
    };
    ValidationEntry: {
        /** @description The outermost step first; an integer indexes an array. */
        loc: unknown;
        msg: string;
        /** @description Open. */
        type: string;
        /** @description The bound that was passed over. */
        ctx?: unknown;
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
        error_type?: unknown;
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
        error_type?: unknown;
    };
}
