/** Generated from contract/router.yaml by `npm run generate`; not to be edited. */

export interface Router {
    Billing: {
        charges_on_policy_rejection: string;
    };
    ModelEntry: {
        id: string;
        provider: unknown;
        model: unknown;
        billing: unknown;
    };
    ModelDetail: Router["ModelEntry"] & {
        input_schema_url?: string;
    };
    ModelPage: {
        data: unknown;
        has_more: boolean;
        next_cursor?: string;
        limit: number;
    };
    Estimate: {
        source: string;
        amount?: number | string;
        min_amount?: number | string;
        max_amount?: number | string;
        currency?: string;
        reason?: string;
        pricing_as_of?: string;
    };
    ValidationEntry: {
        loc: unknown;
        msg: string;
        type: string;
        ctx?: unknown;
        input?: unknown;
    };
    RequestStatus: {
        request_id: string;
        status: string;
        queue_position?: number;
        status_url: string;
        response_url: string;
        cancel_url: string;
        error_type?: unknown;
    };
    CancelAnswer: {
        request_id: string;
        status: string;
        detail?: string;
        error_type?: unknown;
    };
}
