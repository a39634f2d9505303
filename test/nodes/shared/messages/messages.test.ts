import { ApiError } from '../../../../client';
import { readCredential } from '../../../../nodes/shared/credentials';
import { wordsFor } from '../../../../nodes/shared/messages/wordsFor';

const hosted = readCredential('comfyApi', { apiKey: 'marker-key', baseUrl: 'https://example.test' });
const selfHosted = readCredential('comfySelfHostedApi', { baseUrl: 'http://127.0.0.1:8189', token: 'marker-token' });

const hostedV1 = readCredential(
	'comfyApi',
	{ apiKey: 'marker-key', baseUrl: 'https://example.test', hostedUrl: 'https://hosted.test' },
	'v1',
);

const api = (code: string, status: number, details?: unknown, name: 'v1' | 'v2' = 'v2') =>
	new ApiError({ interface: name, code, status, message: 'The service’s words', details, requestId: 'req-1' });

/** Each error code of the specification, and further codes of v1, with the expected message. */
const codes: Array<[name: 'v1' | 'v2', code: string, status: number, what: RegExp, advice: RegExp]> = [
	['v2', 'invalid_workflow', 422, /rejected this workflow: The service’s words/, /No job was created/],
	['v2', 'workflow_format_ui', 422, /editor format/, /Export \(API\)/],
	['v2', 'missing_asset', 422, /file of the workflow is not stored/, /Comfy Upload Asset.*Input Files/],
	['v2', 'hash_mismatch', 409, /received a file with a different hash/, /Nothing was stored/],
	['v2', 'blob_not_found', 404, /does not have a file with this hash/, /Hash/],
	['v2', 'idempotency_key_reuse', 422, /already been used/, /Automatic/],
	['v2', 'queue_full', 429, /queue of the service is full/, /Keep Trying For \(Seconds\).*Concurrency/],
	['v2', 'insufficient_credits', 402, /not have enough credits/, /Add credits/],
	['v2', 'not_found', 404, /has no entry with this ID/, /Check the ID/],
	['v2', 'unauthorized', 401, /did not accept the API Key/, /API Key in the Comfy API credential/],
	['v2', 'forbidden', 403, /does not allow this action/, /Comfy API credential/],
	['v2', 'deployment_not_ready', 429, /not ready yet/, /Keep Trying For/],
	['v2', 'deployment_stopped', 422, /deployment is stopped/, /Start the deployment/],
	['v2', 'rate_limited', 429, /too many requests/, /Concurrency/],
	['v2', 'upstream_error', 500, /could not run this request/, /Try again later/],
	['v1', 'invalid_request', 400, /rejected the request: The service’s words/, /Check the fields/],
	['v1', 'invalid_workflow', 400, /rejected this workflow: The service’s words/, /No job was created/],
	['v1', 'invalid_workflow', 200, /rejected this workflow: The service’s words/, /No job was created/],
	['v1', 'unauthorized', 401, /did not accept the API Key/, /API Key in the Comfy API credential/],
	['v1', 'insufficient_credits', 402, /not have enough credits/, /Add credits/],
	['v1', 'forbidden', 403, /does not allow this action/, /Comfy API credential/],
	['v1', 'not_found', 404, /has no entry with this ID/, /Check the ID/],
	['v1', 'payload_too_large', 413, /larger than the service allows/, /50 MB.*Interface to v2/],
	['v1', 'subscription_inactive', 429, /no active subscription/, /only with a subscription\. Activate it in your account/],
	['v1', 'upstream_error', 500, /could not run this request: The service’s words/, /Try again later/],
	['v1', 'not_implemented', 501, /v1 interface does not offer/, /Set Interface to v2/],
];

it.each(['v1', 'v2', 'engine'] as const)('no advice on a rejection by %s names a field that Comfy Run Workflow does not have', (name) => {
	const missing = { node_errors: { '1': [{ field: 'image', reason: 'Invalid image file: cat.png' }] } };
	for (const code of [...codes.map(([, one]) => one), 'job_not_found', 'too_many_streams']) {
		for (const details of [undefined, missing]) {
			const error = new ApiError({ interface: name, code, status: 422, message: 'no', details });
			for (const credential of [hosted, selfHosted]) {
				const { advice } = wordsFor(error, credential, true);
				expect(advice).not.toMatch(/Input Files|How To Wait|Job ID|Keep Trying For|Upload Asset/);
			}
		}
	}
});

const TOO_SMALL = {
	type: 'value_smaller_than_min',
	message: 'Value 0 smaller than min of 1',
	details: 'steps',
	extra_info: { input_name: 'steps' },
};

/** The shapes of `details`, and the line that each adds. */
const shapes: Array<[string, unknown, string | undefined]> = [
	['absent', undefined, undefined],
	['null', null, undefined],
	['per-node lists', { '5': [{ field: 'steps', reason: 'below 1' }] }, 'Node 5 steps: below 1'],
	['a list of something else', { missing_ids: ['a', 'b'] }, undefined],
	['words under node_errors', { node_errors: { '5': ['too small'] } }, 'Node 5 too small'],
	['per-node lists under node_errors', { node_errors: { '5': [{ field: 'steps', reason: 'below 1' }] } }, 'Node 5 steps: below 1'],
	[
		'the engine’s shape',
		{ node_errors: { '5': { class_type: 'KSampler', dependent_outputs: ['9'], errors: [TOO_SMALL] } } },
		'Node 5 (KSampler) steps: Value 0 smaller than min of 1',
	],
];

it.each([
	[
		0,
		'Max Wait (Minutes)',
		/^The queue of the service is full: it accepted no job for 60 minutes, with no job of this node waiting or running$/,
	],
	[1, 'Max Wait (Minutes)', /with 1 job of this node waiting or running$/],
	[3, 'Keep Trying For (Seconds)', /with 3 jobs of this node waiting or running$/],
])('a queue that stayed full says for how long, with %i of our own in flight, and which field to raise', (inFlight, field, what) => {
	const error = api('queue_full', 429);
	error.refusedWith = { inFlight, forMs: 3_600_000, field };
	const { message, advice } = wordsFor(error, hosted);
	expect(message).toMatch(what);
	expect(advice).toMatch(/^No job was created/);
	expect(advice).toContain(`Raise ${field}, lower Concurrency`);
});

describe.each(codes)('%s code %s (HTTP %i)', (name, code, status, what, advice) => {
	it.each(shapes)('says what happened and what to do, with details %s', (_, details, line) => {
		const { message, advice: text } = wordsFor(api(code, status, details, name), name === 'v1' ? hostedV1 : hosted);
		expect(message).toMatch(what);
		expect(text.replaceAll('\n', ' ')).toMatch(advice);
		expect(text).toContain('req-1');
		expect(text.split('\n').some((one) => one.startsWith('Node '))).toBe(line !== undefined);
		if (line !== undefined) expect(text.split('\n')).toContain(`${line}.`);
	});
});

it('the advice for a rejected workflow without a named node is to run it in ComfyUI', () => {
	const advice = (details?: unknown) => wordsFor(api('invalid_workflow', 422, details), hosted).advice;
	expect(advice({ node_errors: {} })).toMatch(/No job was created\. Open the workflow in ComfyUI/);
	expect(advice({ 5: [{ field: 'steps', reason: 'below 1' }] })).toMatch(
		/No job was created\. Correct the inputs that this message names\./,
	);
});

it.each(['v1', 'v2'] as const)('keeps the words of the service for an unknown code of %s', (name) => {
	const { message } = wordsFor(api('brand_new', 418, undefined, name), name === 'v1' ? hostedV1 : hosted);
	expect(message).toBe('The service returned "brand_new" (HTTP 418): The service’s words');
});
