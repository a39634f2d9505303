import { ApiError, ConnectionError, GraphError, IntegrityError, UnknownOutcomeError, UnreadableAnswerError } from '../../../../client';
import { readCredential } from '../../../../nodes/shared/credentials';
import { wordsFor } from '../../../../nodes/shared/messages/wordsFor';

const hosted = readCredential('comfyApi', { apiKey: 'canary-key', baseUrl: 'https://example.test' });
const selfHosted = readCredential('comfySelfHostedApi', { baseUrl: 'http://127.0.0.1:8189', token: 'canary-token' });

const api = (code: string, status: number, details?: unknown, message = 'The service’s words') =>
	new ApiError({ interface: 'v2', code, status, message, details, requestId: 'req-1' });

/** Every row of the specification's table of v2 codes, with what a person must read. */
const codes: Array<[string, number, RegExp, RegExp]> = [
	['invalid_workflow', 422, /cannot run this workflow: The service’s words/, /No job was created/],
	['workflow_format_ui', 422, /editor’s own format/, /Export \(API\)/],
	['missing_asset', 422, /file the workflow needs is not stored/, /Comfy Upload Asset.*Input Files/],
	['hash_mismatch', 409, /other bytes than were announced/, /Nothing was stored/],
	['blob_not_found', 404, /does not have a file with this hash/, /Hash/],
	['idempotency_key_reuse', 422, /already been used/, /Automatic/],
	['queue_full', 429, /queue of the service is full/, /Keep Trying For \(Seconds\).*Concurrency/],
	['insufficient_credits', 402, /not enough credits/, /Add credits/],
	['not_found', 404, /knows no such/, /Check the id/],
	['unauthorized', 401, /did not accept the API Key/, /API Key in the Comfy API credential/],
	['forbidden', 403, /does not allow this action/, /Comfy API credential/],
	['deployment_not_ready', 429, /not ready yet/, /Keep Trying For/],
	['deployment_stopped', 422, /deployment is stopped/, /Start the deployment/],
	['rate_limited', 429, /too many requests/, /Concurrency/],
	['upstream_error', 500, /could not do this/, /Try again later/],
];

it.each(['v1', 'v2', 'engine'] as const)(
	'L7: no advice on a rejection by %s names a field that Comfy Run Workflow does not have',
	(name) => {
		const missing = { node_errors: { '1': [{ field: 'image', reason: 'Invalid image file: cat.png' }] } };
		for (const code of [...codes.map(([one]) => one), 'job_not_found', 'too_many_streams']) {
			for (const details of [undefined, missing]) {
				const error = new ApiError({ interface: name, code, status: 422, message: 'no', details });
				for (const credential of [hosted, selfHosted]) {
					const { advice } = wordsFor(error, credential, true);
					expect(advice).not.toMatch(/Input Files|How To Wait|Job ID|Keep Trying For|Upload Asset/);
				}
			}
		}
	},
);

/** The shapes of `details`, and the line that each must add. */
const shapes: Array<[string, unknown, string | undefined]> = [
	['absent', undefined, undefined],
	['null', null, undefined],
	['per-node lists', { '5': [{ field: 'steps', reason: 'below 1' }] }, 'Node 5 steps: below 1'],
	['a list of something else', { missing_ids: ['a', 'b'] }, undefined],
	['words under node_errors', { node_errors: { '5': ['too small'] } }, 'Node 5 too small'],
	['per-node lists under node_errors', { node_errors: { '5': [{ field: 'steps', reason: 'below 1' }] } }, 'Node 5 steps: below 1'],
	[
		'the engine’s shape',
		{
			node_errors: {
				'5': {
					class_type: 'KSampler',
					dependent_outputs: ['9'],
					errors: [
						{
							type: 'value_smaller_than_min',
							message: 'Value 0 smaller than min of 1',
							details: 'steps',
							extra_info: { input_name: 'steps' },
						},
					],
				},
			},
		},
		'Node 5 (KSampler) steps: Value 0 smaller than min of 1',
	],
];

it.each([
	[
		0,
		'Max Wait (Minutes)',
		/^The queue of the service is full: nothing more was taken within 60 minutes, with no job of this node waiting or running$/,
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

describe.each(codes)('v2 code %s', (code, status, what, advice) => {
	it.each(shapes)('says what happened and what to do, with details %s', (_, details, line) => {
		const { message, advice: text } = wordsFor(api(code, status, details), hosted);
		expect(message).toMatch(what);
		expect(text.replaceAll('\n', ' ')).toMatch(advice);
		expect(text).toContain('req-1');
		expect(text.split('\n').some((one) => one.startsWith('Node '))).toBe(line !== undefined);
		if (line !== undefined) expect(text.split('\n')).toContain(`${line}.`);
	});
});

it('a refused workflow of which no node is named is to be run in ComfyUI', () => {
	const advice = (details?: unknown) => wordsFor(api('invalid_workflow', 422, details), hosted).advice;
	expect(advice({ node_errors: {} })).toMatch(/No job was created\. Open the workflow in ComfyUI/);
	expect(advice({ 5: [{ field: 'steps', reason: 'below 1' }] })).toMatch(/No job was created\. Correct the inputs named here\./);
});

it('keeps the service’s own words for a code that is new', () => {
	expect(wordsFor(api('brand_new', 418), hosted).message).toBe('The service answered "brand_new" (HTTP 418): The service’s words');
});

it('names the field of the credential in use', () => {
	expect(wordsFor(api('unauthorized', 401), selfHosted).message).toContain('Token');
	expect(wordsFor(api('unauthorized', 401), selfHosted).advice).toContain('Comfy Self-Hosted API');
});

it.each([
	['refused', /connection was refused/, /Docker/],
	['dns', /not known/, /typing mistake/],
	['tls', /TLS/, /Ignore SSL Issues/],
	['no_tls', /^The server at example.test speaks no TLS: use http:\/\/example.test$/, /Enter Base URL .* with http:\/\/ in place of https/],
	['only_tls', /speaks TLS only: use https:\/\/example.test$/, /with https:\/\/ in place of http/],
	['timeout', /in time/, /load/],
	['lost', /was lost/, /again/],
	['blocked', /does not allow/, /administrator/],
	['invalid_address', /not a usable address/, /https:\/\/host/],
] as const)('says what a connection that is %s means', (trouble, what, advice) => {
	const words = wordsFor(new ConnectionError({ trouble, origin: 'https://example.test', mayHaveArrived: false, message: 'x' }), hosted);
	expect(words.message).toMatch(what);
	expect(words.advice).toMatch(advice);
});

it.each([
	['html', /a web page \(HTTP 502\)/],
	['truncated', /half an answer/],
	['not_json', /not JSON/],
	['unexpected', /does not give/],
] as const)('says where an unreadable answer (%s) came from, with its request id', (reason, what) => {
	const words = wordsFor(
		new UnreadableAnswerError({ reason, status: 502, contentType: 'text/html', requestId: 'req-9', address: 'https://example.test/api' }),
		hosted,
	);
	expect(words.message).toMatch(what);
	expect(words.message).toMatch(/^https:\/\/example\.test sent /);
	expect(words.advice).toContain('req-9');
});

const page = (address: string, status: number) => new UnreadableAnswerError({ reason: 'html', status, contentType: 'text/html', address });

it.each([502, 503, 429])('says of a page with %d that it may pass, before the address is doubted', (status) => {
	expect(wordsFor(page('https://example.test/api', status), hosted).advice).toMatch(/^The server.* for now\. Try again later.*Base URL/);
	expect(wordsFor(page('https://storage.test/x', status), hosted).advice).toMatch(/Try again later/);
});

it('doubts no address that is not entered anywhere: a link has led there', () => {
	const { advice } = wordsFor(page('https://storage.test/x', 403), hosted);
	expect(advice).toMatch(/link or a redirect .* led there.*Try again/);
	expect(advice).not.toContain('Base URL');
	expect(wordsFor(page('https://example.test/api', 403), hosted).advice).toContain('Base URL');
	expect(wordsFor(page('http://127.0.0.1:8189/api', 403), selfHosted).advice).toContain('Address in the Comfy Self-Hosted API credential');
});

it.each(['refused', 'dns'] as const)('doubts no field where a link leads to an address that cannot be reached (%s)', (trouble) => {
	const lost = (origin: string) => new ConnectionError({ trouble, origin, mayHaveArrived: false, message: 'x' });
	expect(wordsFor(lost('https://storage.test'), hosted).advice).toMatch(/led there.*Check that n8n can reach/);
	expect(wordsFor(lost('https://storage.test'), hosted).advice).not.toContain('Base URL');
	expect(wordsFor(lost('http://10.0.0.7:8189'), selfHosted).advice).toContain(
		'turn on Keep Links On This Address in the Comfy Self-Hosted API credential (under More Settings)',
	);
	expect(wordsFor(lost('http://127.0.0.1:8189'), selfHosted).advice).not.toContain('Keep Links');
});

it('says where else to listen where a server lists no jobs, by a source that the credential has', () => {
	const none = api('no_job_list', 501);
	expect(wordsFor(none, hosted).advice).toContain('Set Source to Hosted Account');
	expect(wordsFor(none, selfHosted).advice).toContain('Set Source to Engine');
});

it('says of a lost submission that it may have been submitted, with its key', () => {
	const words = wordsFor(new UnknownOutcomeError('key-1'), hosted);
	expect(words.message).toMatch(/may have been submitted,/);
	expect(words.advice).toContain('key-1');
});

it('says what was expected of damaged bytes', () => {
	expect(wordsFor(new IntegrityError('size', '10', '7'), hosted).message).toMatch(/size is 7, not 10/);
});

it.each([
	[{ fault: 'not_json', detail: 'Unexpected token' }, /not readable JSON: Unexpected token/, /Export \(API\)/],
	[{ fault: 'ui_format' }, /editor’s own format/, /Export \(API\)/],
	[{ fault: 'not_a_graph', detail: 'node 1 has no class_type' }, /node 1 has no class_type/, /Export/],
	[{ fault: 'unknown_node', node: 'Promt', known: ['6 (Prompt)'] }, /"Promt"/, /6 \(Prompt\)/],
	[{ fault: 'ambiguous_title', node: 'Prompt', ids: ['6', '7'] }, /Several nodes/, /6, 7/],
	[{ fault: 'unknown_input', node: '6', input: 'txt', known: ['text'] }, /no input "txt"/, /text/],
	[
		{ fault: 'bad_values', detail: 'it is not a JSON object' },
		/Input Values/,
		/id or title of each node.*\{"6": \{"text": "a red fox"\}\}/,
	],
] as const)('explains an unusable workflow (%j)', (facts, what, advice) => {
	const words = wordsFor(new GraphError(facts as never), hosted);
	expect(words.message).toMatch(what);
	expect(words.advice).toMatch(advice);
	expect(words.advice).toMatch(/Nothing was sent/);
});

it('never repeats a secret', () => {
	for (const cause of [api('unauthorized', 401), new Error('boom'), new UnknownOutcomeError('k')]) {
		expect(JSON.stringify([wordsFor(cause, hosted), wordsFor(cause, selfHosted)])).not.toContain('canary');
	}
});
