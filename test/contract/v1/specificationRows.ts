/**
 * Rows copied by hand from the specification's v1 parts. Neither the client nor the sandbox may import this file:
 * a mistake they share must not agree with itself.
 */

/** Table "v1 endpoints (hosted surface)". */
export const endpoints = [
	{ route: 'GET /api/object_info', answers: 'node definitions by class name, with input.required and outputs' },
	{ route: 'POST /api/upload/image', answers: 'name, subfolder' },
	{ route: 'POST /api/upload/mask', answers: 'name, subfolder' },
	{ route: 'POST /api/prompt', answers: 'prompt_id; an error field may appear' },
	{ route: 'GET /api/job/{prompt_id}/status', answers: 'status' },
	{ route: 'GET /api/view', answers: '302 to a signed URL' },
	{ route: 'GET /api/queue', answers: 'queue_running, queue_pending arrays' },
	{ route: 'POST /api/queue', answers: 'cancels pending or running jobs' },
	{ route: 'POST /api/interrupt', answers: 'interrupts the currently running job' },
	{ route: 'GET /ws', answers: 'event stream; clientId is ignored, every connection gets the same' },
] as const;

/** List "Rules for v1". */
export const rules = [
	'submissions may be concurrent; jobs run in parallel up to the limit and extra jobs queue',
	'partner nodes: extra_data.api_key_service_org is taken',
	'the download redirect is fetched with no added headers, and refuses the key',
	'the name of an upload is an input value of nodes',
] as const;

/** Table "v1 job status values". */
export const statuses = [
	{ state: 'success', terminal: true },
	{ state: 'error', terminal: true },
	{ state: 'non_retryable_error', terminal: true },
	{ state: 'lost', terminal: true },
	{ state: 'cancelled', terminal: true },
	{ state: 'submitted', terminal: false },
	{ state: 'queued_waiting', terminal: false },
	{ state: 'preparing', terminal: false },
	{ state: 'executing', terminal: false },
	{ state: 'cancel_requested', terminal: false },
] as const;

/** The older vocabulary in the paragraph below that table. */
export const olderStatuses = [
	{ state: 'pending', terminal: false },
	{ state: 'in_progress', terminal: false },
	{ state: 'completed', terminal: true },
	{ state: 'failed', terminal: true },
	{ state: 'cancelled', terminal: true },
] as const;

/** Table "v1 HTTP statuses". */
export const httpStatuses = [
	{ status: 400, meaning: 'bad workflow' },
	{ status: 400, meaning: 'missing fields' },
	{ status: 401, meaning: 'missing API key' },
	{ status: 401, meaning: 'invalid API key' },
	{ status: 402, meaning: 'insufficient credits' },
	{ status: 429, meaning: 'subscription inactive' },
	{ status: 500, meaning: 'internal server error' },
] as const;

/** List "v1 execution errors". */
export const exceptionTypes = [
	'ValidationError',
	'ModelDownloadError',
	'ImageDownloadError',
	'OOMError',
	'InsufficientFundsError',
	'InactiveSubscriptionError',
] as const;

/** Table of text frames; `data` names what must be in it. */
export const textEvents = [
	{ type: 'status', data: ['status.exec_info.queue_remaining'] },
	{ type: 'notification', data: ['value'] },
	{ type: 'execution_start', data: ['prompt_id'] },
	{ type: 'executing', data: ['prompt_id', 'node'] },
	{ type: 'progress', data: ['prompt_id', 'value', 'max'] },
	{ type: 'progress_state', data: ['prompt_id', 'nodes'] },
	{ type: 'executed', data: ['prompt_id', 'node', 'output'] },
	{ type: 'execution_cached', data: ['prompt_id', 'nodes'] },
	{ type: 'execution_success', data: ['prompt_id'] },
	{ type: 'execution_error', data: ['prompt_id', 'exception_type', 'exception_message', 'traceback'] },
	{ type: 'execution_interrupted', data: ['prompt_id'] },
] as const;

/** Table of binary frames. */
export const binaryTypes = [
	{ code: 1, name: 'PREVIEW_IMAGE', variant: 'image_type 1 = JPEG' },
	{ code: 1, name: 'PREVIEW_IMAGE', variant: 'image_type 2 = PNG' },
	{ code: 3, name: 'TEXT', variant: 'node id and progress text' },
	{ code: 4, name: 'PREVIEW_IMAGE_WITH_METADATA', variant: 'metadata as JSON, then JPEG or PNG' },
] as const;

/** Fields of that metadata; `parent_node_id` may be null. */
export const metadataFields = ['node_id', 'display_node_id', 'real_node_id', 'prompt_id', 'parent_node_id'] as const;

/** Table "Authentication", its v1 row. */
export const authentication = [
	{ door: 'a route', credential: 'X-API-Key', accepted: true },
	{ door: 'a route', credential: 'none', accepted: false },
	{ door: 'a route', credential: 'wrong', accepted: false },
	{ door: 'the WebSocket', credential: 'token', accepted: true },
	{ door: 'the WebSocket', credential: 'none', accepted: false },
	{ door: 'the WebSocket', credential: 'wrong', accepted: false },
] as const;
