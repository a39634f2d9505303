/**
 * Rows copied by hand from the specification's router parts. Neither the client nor the sandbox may import this file:
 * a mistake they share must not agree with itself.
 */

/** Headings of "Router endpoints". */
export const endpoints = [
	{ route: 'GET /models', answers: 'a page of models' },
	{ route: 'GET /models/{provider}/{model}', answers: 'one model' },
	{ route: 'POST /models/{provider}/{model}', answers: "the model's own output" },
	{ route: 'GET /models/{provider}/{model}/openapi.json', answers: 'a standalone OpenAPI document' },
] as const;

/** The paragraph "Rules" below the list. */
export const listRules = [
	'a limit above 100 is served as 100, and the answer echoes the page size',
	'zero and negative limits select the default of 20',
	'an invalid or expired cursor is 400 invalid_input and never restarts the list',
	'cursors are opaque and URL-encoded when sent',
	'a walk goes on while has_more is true, also over short and empty pages',
	'a 503 is service_unavailable, not an empty catalog',
] as const;

/** List "Idempotency rules", numbered as there. */
export const idempotencyRules = [
	'1: the key is reused for every attempt, and not echoed',
	'2: keys are shared within the workspace',
	'3: the same key while the original call is running: 409 concurrency_limit_exceeded with Retry-After',
	'4: the same key for another model path, query or body: 409 invalid_input',
	'4: the same key for a record that cannot be replayed: 409 invalid_input',
	'5: 504 with Retry-After keeps a handle, and the same key collects that generation',
	'5: 504 without a key: nothing can be collected',
	'5: 504 before the provider has accepted anything: nothing can be collected',
	'6: a refusal before dispatch releases the key',
	'6: an oversized answer makes the key non-replayable',
	'6: a failed write makes the key non-replayable',
	'6: an asset that cannot be safely replayed makes the key non-replayable',
	'7: the state is kept 24 hours, and a retry starts no new window',
	'8: a new key after a timeout can make a second, billable run',
	'9: a 422 is not billed',
	'9: a generation that completes is billed even if the caller disconnected',
] as const;

/** Statements about the schema document. */
export const schemaRules = [
	'200 carries a strong ETag and Cache-Control private, must-revalidate',
	'304 has no body and the same ETag when the tag matches',
	'If-None-Match is compared weakly',
	'If-None-Match * matches any document',
	'another tag gets the document',
	'it is the document that calls are validated by',
	'x-service-input-schema-authored is false where any object is taken',
	'input_schema_url is absent where no schema was written',
] as const;

/** Tables "Request-level buckets" and "Transport-level buckets". */
export const buckets = [
	{ bucket: 'invalid_input', status: 400 },
	{ bucket: 'content_policy_violation', status: 400 },
	{ bucket: 'provider_error', status: 502 },
	{ bucket: 'provider_timeout', status: 504 },
	{ bucket: 'insufficient_credits', status: 402 },
	{ bucket: 'model_not_found', status: 404 },
	{ bucket: 'unauthorized', status: 401 },
	{ bucket: 'forbidden', status: 403 },
	{ bucket: 'concurrency_limit_exceeded', status: 429 },
	{ bucket: 'client_disconnected', status: 499 },
	{ bucket: 'internal_error', status: 500 },
	{ bucket: 'deadline_exceeded', status: 504 },
	{ bucket: 'not_enabled', status: 403 },
	{ bucket: 'service_unavailable', status: 503 },
	{ bucket: 'rate_limited', status: 429 },
] as const;

/** Not in the specification: what the public service has added. */
export const newerBuckets = [
	{ bucket: 'cancelled', status: 409 },
	{ bucket: 'queue_timeout', status: 504 },
	{ bucket: 'request_not_found', status: 404 },
	{ bucket: 'queue_backlog_full', status: 429 },
] as const;

/** Router rows of the table "Limits". */
export const limits = [
	'list page size: default 20, maximum 100',
	'cursor: 1 to 512 characters',
	'provider: at most 64 characters',
	'model: at most 128 characters',
	'model id: at most 193 characters',
	'schema URL: at most 2048 characters',
	'connection hold per call',
	'idempotency state: 24 hours',
	'committed-spend headers: integers in US cents, remaining never below zero',
	'Retry-After: integer seconds',
] as const;

/** Table "Authentication", its router row, and what the public service says about tokens. */
export const authentication = [
	{ credential: 'a JWT as bearer', accepted: true },
	{ credential: 'X-API-Key', accepted: true },
	{ credential: 'an API key as bearer', accepted: true },
	{ credential: 'X-API-Key beside a wrong bearer', accepted: true },
	{ credential: 'a wrong X-API-Key beside a JWT', accepted: false },
	{ credential: 'an expired JWT', accepted: false },
	{ credential: 'a forged JWT', accepted: false },
	{ credential: 'none', accepted: false },
] as const;
