import { ApiError, type Job, type JobError } from '../../../../client';
import { readCredential } from '../../../../nodes/shared/credentials';
import { jobFault } from '../../../../nodes/shared/jobs/jobItems';
import { wordsFor } from '../../../../nodes/shared/messages/wordsFor';

const hosted = readCredential(
	'comfyApi',
	{ apiKey: 'canary-key', baseUrl: 'https://example.test', hostedUrl: 'https://hosted.test' },
	'v1',
);

const api = (code: string, status: number, details?: unknown) =>
	new ApiError({ interface: 'v1', code, status, message: 'The service’s words', details, requestId: 'req-1' });

/** Every row of the specification's table of v1 statuses, and what else is met, with what a person must read. */
const codes: Array<[string, number, RegExp, RegExp]> = [
	['invalid_request', 400, /could not use the request: The service’s words/, /Check the fields/],
	['invalid_workflow', 400, /cannot run this workflow: The service’s words/, /No job was created/],
	['invalid_workflow', 200, /cannot run this workflow: The service’s words/, /No job was created/],
	['unauthorized', 401, /did not accept the API Key/, /API Key in the Comfy API credential/],
	['insufficient_credits', 402, /not enough credits/, /Add credits/],
	['forbidden', 403, /does not allow this action/, /Comfy API credential/],
	['not_found', 404, /knows no such/, /Check the id/],
	['payload_too_large', 413, /larger than the service takes/, /50 MB.*Interface to v2/],
	['subscription_inactive', 429, /no active subscription/, /Activate the subscription.*waiting does not help/],
	['upstream_error', 500, /could not do this: The service’s words/, /Try again later/],
	['not_implemented', 501, /v1 interface does not offer/, /Set Interface to v2/],
];

it.each(codes)('v1 code %s (HTTP %s) says what happened and what to do', (code, status, what, advice) => {
	const { message, advice: text } = wordsFor(api(code, status), hosted);
	expect(message).toMatch(what);
	expect(text.replaceAll('\n', ' ')).toMatch(advice);
	expect(text).toContain('req-1');
});

it('keeps the service’s own words for a code that is new', () => {
	expect(wordsFor(api('brand_new', 418), hosted).message).toBe('The service answered "brand_new" (HTTP 418): The service’s words');
});

it('reads the engine’s reasons of each node', () => {
	const errors = [
		{ type: 'required_input_missing', message: 'Required input is missing', details: 'steps', extra_info: { input_name: 'steps' } },
	];
	const details = { type: 'prompt_outputs_failed_validation', node_errors: { '5': { class_type: 'KSampler', errors } } };
	expect(wordsFor(api('invalid_workflow', 400, details), hosted).advice).toContain('Node 5 (KSampler) steps: Required input is missing');
});

const job = (job_error: Partial<JobError> | null, changes: Partial<Job> = {}): Job => ({
	job_id: 'j1',
	interface: 'v1',
	status: 'failed',
	service_status: 'error',
	created_at: null,
	started_at: null,
	completed_at: null,
	expires_at: null,
	queue_position: null,
	progress: null,
	outputs: [],
	job_error: job_error && { code: 'unknown', message: 'words', node_id: null, class_type: null, traceback: null, ...job_error },
	urls: { self: null, events: null, cancel: null },
	...changes,
});

/** Every `exception_type` of the specification, those met besides, and the ends that are worse than an error. */
const ends: Array<[string, RegExp]> = [
	['ValidationError', /Correct the inputs/],
	['ModelDownloadError', /model that the workflow names/],
	['ImageDownloadError', /input image could not be fetched.*Comfy Upload Asset/],
	['OOMError', /too little memory.*smaller/],
	['InsufficientFundsError', /balance is too low.*Add credits/],
	['InactiveSubscriptionError', /no active subscription.*Activate/],
	['PanicError', /cause lies in the service/],
	['ServiceError', /cause lies in the service/],
	['WebSocketError', /cause lies in the service/],
	['DispatcherError', /cause lies in the service/],
	['non_retryable_error', /Retrying will not help/],
	['lost', /disappeared.*Submit the workflow again/],
	['SomethingNew', /Correct this node in the workflow or its inputs/],
];

it.each(ends)('a job that ended with %s says how to go on', (code, advice) => {
	const fault = jobFault(job({ code, node_id: '7', class_type: 'KSampler', traceback: 'line 1' }));
	expect(fault.message).toBe('Job j1 stopped at node 7 (KSampler): words');
	expect(fault.advice).toMatch(advice);
	expect(fault.advice).toContain(`Code: ${code}.`);
	expect(fault.advice).toContain('line 1');
});

it('says both why retrying will not help, and what went wrong', () => {
	const { advice } = jobFault(job({ code: 'non_retryable_error', exception_type: 'OOMError' }));
	expect(advice).toMatch(/Retrying will not help[^]*too little memory/);
});

it('a job that failed for reasons nobody tells keeps the service’s own word', () => {
	expect(jobFault(job(null)).message).toBe('Job j1 ended with status "error"');
});
