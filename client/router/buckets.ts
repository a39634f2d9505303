/** The specification's fifteen kinds of refusal, then the four that only newer documents name. */
export const ROUTER_BUCKETS = [
	'invalid_input',
	'content_policy_violation',
	'provider_error',
	'provider_timeout',
	'insufficient_credits',
	'model_not_found',
	'unauthorized',
	'forbidden',
	'concurrency_limit_exceeded',
	'client_disconnected',
	'internal_error',
	'deadline_exceeded',
	'not_enabled',
	'service_unavailable',
	'rate_limited',
	'cancelled',
	'queue_timeout',
	'request_not_found',
	'queue_backlog_full',
] as const;

export type RouterBucket = (typeof ROUTER_BUCKETS)[number];

const KNOWN: ReadonlySet<string> = new Set(ROUTER_BUCKETS);

export const isBucket = (word: string): word is RouterBucket => KNOWN.has(word);

/** What a word that is new to us counts as. */
export const bucketOf = (word: string): RouterBucket => (isBucket(word) ? word : 'internal_error');

/** What gateways in front of the router mean; 400, 404 and their like are another product's where no bucket is named. */
const OF_STATUS: Readonly<Record<number, RouterBucket>> = {
	401: 'unauthorized',
	402: 'insufficient_credits',
	403: 'forbidden',
	429: 'rate_limited',
	503: 'service_unavailable',
};

export const bucketOfStatus = (status: number): RouterBucket | undefined =>
	OF_STATUS[status] ?? (status >= 500 ? 'internal_error' : undefined);
