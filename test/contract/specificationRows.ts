/**
 * Rows copied by hand from the specification's v2 parts. Neither the client nor the sandbox may import this file:
 * a mistake they share must not agree with itself.
 */

/** Table "v2 error codes". */
export const errorCodes = [
	{ code: 'invalid_workflow', status: 422, note: 'message and details.node_errors per node' },
	{ code: 'workflow_format_ui', status: 422 },
	{ code: 'missing_asset', status: 422 },
	{ code: 'hash_mismatch', status: 409 },
	{ code: 'blob_not_found', status: 404 },
	{ code: 'idempotency_key_reuse', status: 422 },
	{ code: 'queue_full', status: 429, retryAfter: true },
	{ code: 'insufficient_credits', status: 402 },
	{ code: 'not_found', status: 404 },
	{ code: 'unauthorized', status: 401 },
	{ code: 'forbidden', status: 403 },
	{ code: 'deployment_not_ready', status: 429, retryAfter: true },
	{ code: 'deployment_stopped', status: 422 },
	{ code: 'rate_limited', status: 429, retryAfter: true },
	{ code: 'upstream_error', status: 500, note: 'generic safe message' },
] as const;

/** Table "Error envelope". A `required` of false: the field may be absent. */
export const envelopeFields = [
	{ field: 'error', types: ['object'], required: true },
	{ field: 'error.code', types: ['string'], required: true },
	{ field: 'error.message', types: ['string'], required: true },
	{ field: 'error.details', types: ['object', 'null'], required: false },
] as const;

/** Table of `GET /api/v2/jobs/{id}/workflow`. */
export const workflowStatuses = [
	{ status: 200, code: null, meaning: 'the workflow' },
	{ status: 401, code: 'unauthorized', meaning: 'missing or invalid credentials' },
	{ status: 403, code: 'forbidden', meaning: 'authenticated but not allowed' },
	{ status: 404, code: 'not_found', meaning: 'unknown' },
	{ status: 404, code: 'not_found', meaning: 'not owned by the caller' },
	{ status: 404, code: 'not_found', meaning: 'past its retention deadline' },
	{ status: 429, code: 'rate_limited', meaning: 'request rate exceeded' },
	{ status: 429, code: 'rate_limited', meaning: 'request rate exceeded, for an id that does not exist' },
	{ status: 500, code: 'upstream_error', meaning: 'unexpected failure' },
] as const;

/** Table "Job workflow response". */
export const workflowFields = [
	{ field: 'workflow', types: ['object'], required: true },
	{ field: 'format', types: ['string'], required: true, values: ['save', 'api'] },
] as const;

/** Numbered rules of the same operation, and of the record's table. */
export const workflowRules = [
	'pinned to a version: format save, exactly as saved, with canvas layout and frontend-only nodes',
	"submitted through v2: format api, the shape of the submission's workflow field",
	'pinned to a version deleted since: format api, and no error',
	'never extra_data',
	'the executed graph on a serverless deployment',
] as const;

/** Table "Authentication", its v2 rows and the storage redirect. */
export const authentication = [
	{ surface: 'hosted', credential: 'account key', accepted: true },
	{ surface: 'hosted', credential: 'none', accepted: false },
	{ surface: 'hosted', credential: 'wrong key', accepted: false },
	{ surface: 'deployment', credential: 'account key', accepted: true },
	{ surface: 'deployment', credential: 'none', accepted: false },
	{ surface: 'self_hosted', credential: 'none', accepted: true },
	{ surface: 'self_hosted_token', credential: 'static token', accepted: true },
	{ surface: 'self_hosted_token', credential: 'none', accepted: false },
	{ surface: 'self_hosted_token', credential: 'wrong key', accepted: false },
	{ surface: 'storage', credential: 'none', accepted: true },
	{ surface: 'storage', credential: 'account key', accepted: false },
] as const;

/** Table "surfaces": each serves the same v2 interface. */
export const surfaces = ['hosted', 'deployment', 'self_hosted', 'self_hosted_token'] as const;

/** The design rules of v2 under "What the service does". */
export const designRules = [
	'poll first: a job and its outputs are reachable by plain GET, without the stream',
	'resumable: an idempotent submission makes one job, which is retrievable by its id',
	'resumable: until expires_at, and not after',
	'identical inputs are not uploaded twice',
	'answers embed follow-up links',
] as const;
