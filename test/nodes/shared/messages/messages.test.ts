import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeProperties } from 'n8n-workflow';
import ts from 'typescript';

import {
	ApiError,
	ConnectionError,
	type ConnectionTrouble,
	type ConversionNote,
	type ConversionRefusal,
	GraphError,
	type GraphFault,
	IntegrityError,
	type Job,
	type JobError,
	parseExact,
	UnknownOutcomeError,
	UnreadableAnswerError,
} from '../../../../client';
import { ComfyApi } from '../../../../credentials/ComfyApi.credentials';
import { ComfyRouterJwtApi } from '../../../../credentials/ComfyRouterJwtApi.credentials';
import { ComfySelfHostedApi } from '../../../../credentials/ComfySelfHostedApi.credentials';
import { readCredential } from '../../../../nodes/shared/credentials';
import { jobFault } from '../../../../nodes/shared/jobs/jobItems';
import { noteLines, refusalLines } from '../../../../nodes/shared/messages/conversion';
import { fieldOf } from '../../../../nodes/shared/messages/words';
import { engineSentences, v1Sentences, v2Sentences } from '../../../../nodes/shared/messages/tables/service';
import { routerSentences } from '../../../../nodes/shared/messages/tables/router';
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

/** Every row of the specification's tables of codes, and what else v1 answers, with what a person must read. */
const codes: Array<[name: 'v1' | 'v2', code: string, status: number, what: RegExp, advice: RegExp]> = [
	['v2', 'invalid_workflow', 422, /cannot run this workflow: The service’s words/, /No job was created/],
	['v2', 'workflow_format_ui', 422, /editor’s own format/, /Export \(API\)/],
	['v2', 'missing_asset', 422, /file the workflow needs is not stored/, /Comfy Upload Asset.*Input Files/],
	['v2', 'hash_mismatch', 409, /other bytes than were announced/, /Nothing was stored/],
	['v2', 'blob_not_found', 404, /does not have a file with this hash/, /Hash/],
	['v2', 'idempotency_key_reuse', 422, /already been used/, /Automatic/],
	['v2', 'queue_full', 429, /queue of the service is full/, /Keep Trying For \(Seconds\).*Concurrency/],
	['v2', 'insufficient_credits', 402, /not enough credits/, /Add credits/],
	['v2', 'not_found', 404, /knows no such/, /Check the id/],
	['v2', 'unauthorized', 401, /did not accept the API Key/, /API Key in the Comfy API credential/],
	['v2', 'forbidden', 403, /does not allow this action/, /Comfy API credential/],
	['v2', 'deployment_not_ready', 429, /not ready yet/, /Keep Trying For/],
	['v2', 'deployment_stopped', 422, /deployment is stopped/, /Start the deployment/],
	['v2', 'rate_limited', 429, /too many requests/, /Concurrency/],
	['v2', 'upstream_error', 500, /could not do this/, /Try again later/],
	['v1', 'invalid_request', 400, /could not use the request: The service’s words/, /Check the fields/],
	['v1', 'invalid_workflow', 400, /cannot run this workflow: The service’s words/, /No job was created/],
	['v1', 'invalid_workflow', 200, /cannot run this workflow: The service’s words/, /No job was created/],
	['v1', 'unauthorized', 401, /did not accept the API Key/, /API Key in the Comfy API credential/],
	['v1', 'insufficient_credits', 402, /not enough credits/, /Add credits/],
	['v1', 'forbidden', 403, /does not allow this action/, /Comfy API credential/],
	['v1', 'not_found', 404, /knows no such/, /Check the id/],
	['v1', 'payload_too_large', 413, /larger than the service takes/, /50 MB.*Interface to v2/],
	['v1', 'subscription_inactive', 429, /no active subscription/, /Activate the subscription.*waiting does not help/],
	['v1', 'upstream_error', 500, /could not do this: The service’s words/, /Try again later/],
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
		{ node_errors: { '5': { class_type: 'KSampler', dependent_outputs: ['9'], errors: [TOO_SMALL] } } },
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
	expect(advice({ 5: [{ field: 'steps', reason: 'below 1' }] })).toMatch(/No job was created\. Correct the inputs named here\./);
});

it.each(['v1', 'v2'] as const)('keeps the words of the service for an unknown code of %s', (name) => {
	const { message } = wordsFor(api('brand_new', 418, undefined, name), name === 'v1' ? hostedV1 : hosted);
	expect(message).toBe('The service answered "brand_new" (HTTP 418): The service’s words');
});

const TROUBLES: Array<[trouble: ConnectionTrouble, what: RegExp, advice: RegExp]> = [
	['refused', /connection was refused/, /Docker/],
	['dns', /not known/, /typing mistake/],
	['tls', /TLS/, /Ignore SSL Issues/],
	['no_tls', /^The server at example.test speaks no TLS: use http:\/\/example.test$/, /Enter Base URL .* with http:\/\/ in place of https/],
	['only_tls', /speaks TLS only: use https:\/\/example.test$/, /with https:\/\/ in place of http/],
	['timeout', /in time/, /load/],
	['lost', /was lost/, /again/],
	['blocked', /does not allow/, /administrator/],
	['invalid_address', /not a usable address/, /https:\/\/host/],
	['too_slow', /is too slow/, /Run the item again later/],
	['link_local', /link-local/, /only if you enter it in the credential/],
];
it.each(TROUBLES)('says what a connection that is %s means', (trouble, what, advice) => {
	const words = wordsFor(new ConnectionError({ trouble, origin: 'https://example.test', mayHaveArrived: false, message: 'x' }), hosted);
	expect(words.message).toMatch(what);
	expect(words.advice).toMatch(advice);
});

const REASONS = [
	['html', /a web page \(HTTP 502\)/],
	['truncated', /half an answer/],
	['not_json', /not JSON/],
	['unexpected', /does not give/],
] as const;
it.each(REASONS)('says where an unreadable answer (%s) came from, with its request id', (reason, what) => {
	const words = wordsFor(
		new UnreadableAnswerError({ reason, status: 502, contentType: 'text/html', requestId: 'req-9', address: 'https://example.test/api' }),
		hosted,
	);
	expect(words.message).toMatch(what);
	expect(words.message).toMatch(/^https:\/\/example\.test sent /);
	expect(words.advice).toContain('req-9');
});

const page = (address: string, status: number) => new UnreadableAnswerError({ reason: 'html', status, contentType: 'text/html', address });

it.each([502, 503, 429])('says that a page with %d may be temporary, before it questions the address', (status) => {
	expect(wordsFor(page('https://example.test/api', status), hosted).advice).toMatch(/^The server.* for now\. Try again later.*Base URL/);
	expect(wordsFor(page('https://storage.test/x', status), hosted).advice).toMatch(/Try again later/);
});

it('questions no address that only a link led to', () => {
	const { advice } = wordsFor(page('https://storage.test/x', 403), hosted);
	expect(advice).toMatch(/link or a redirect .* led there.*Try again/);
	expect(advice).not.toContain('Base URL');
	expect(wordsFor(page('https://example.test/api', 403), hosted).advice).toContain('Base URL');
	expect(wordsFor(page('http://127.0.0.1:8189/api', 403), selfHosted).advice).toContain('Address in the Comfy Self-Hosted API credential');
});

it.each(['refused', 'dns'] as const)('questions no field when a link leads to an unreachable address (%s)', (trouble) => {
	const lost = (origin: string) => new ConnectionError({ trouble, origin, mayHaveArrived: false, message: 'x' });
	expect(wordsFor(lost('https://storage.test'), hosted).advice).toMatch(/led there.*Check that n8n can reach/);
	expect(wordsFor(lost('https://storage.test'), hosted).advice).not.toContain('Base URL');
	expect(wordsFor(lost('http://10.0.0.7:8189'), selfHosted).advice).toContain(
		'turn on Keep Links On This Address in the Comfy Self-Hosted API credential (under More Settings)',
	);
	expect(wordsFor(lost('http://127.0.0.1:8189'), selfHosted).advice).not.toContain('Keep Links');
});

it('names another source of the credential when a server lists no jobs', () => {
	const none = api('no_job_list', 501);
	expect(wordsFor(none, hosted).advice).toContain('Set Source to Hosted Account');
	expect(wordsFor(none, selfHosted).advice).toContain('Set Source to Engine');
});

const GRAPH_FAULTS: Array<[facts: GraphFault, what: RegExp, advice: RegExp]> = [
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
];
it.each(GRAPH_FAULTS)('explains an unusable workflow (%j)', (facts, what, advice) => {
	const words = wordsFor(new GraphError(facts), hosted);
	expect(words.message).toMatch(what);
	expect(words.advice).toMatch(advice);
	expect(words.advice).toMatch(/Nothing was sent/);
});

const labelOf = (properties: INodeProperties[], name: string): string | undefined =>
	properties.find((one) => one.name === name)?.displayName;
const NAMED_IN_MESSAGES = [
	...['API Key', 'JWT', 'Token', 'Engine Authorization', 'Partner API Key', 'Ignore SSL Issues', 'Keep Links On This Address'],
	...['Address', 'Base URL', 'Engine Address', 'Hosted URL', 'Router URL'],
];

it.each(NAMED_IN_MESSAGES)('messages name %s with the switch that shows it', (label) => {
	const fields = [new ComfyApi(), new ComfyRouterJwtApi(), new ComfySelfHostedApi()].flatMap(({ displayName, properties }) =>
		properties
			.filter((one) => one.displayName.replace(' (Insecure)', '') === label)
			.map((one) => ({ displayName, shownBy: labelOf(properties, Object.keys(one.displayOptions?.show ?? {})[0] ?? '') })),
	);
	expect(fields.length).toBeGreaterThan(0);
	for (const { displayName, shownBy } of fields) {
		expect(fieldOf(label, displayName)).toBe(
			`${label} in the ${displayName} credential${shownBy === undefined ? '' : ` (under ${shownBy})`}`,
		);
	}
});

const failedJob = (job_error: Partial<JobError> | null, changes: Partial<Job> = {}): Job => ({
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

it.each(ends)('a job that ended with %s says what to do', (code, advice) => {
	const fault = jobFault(failedJob({ code, node_id: '7', class_type: 'KSampler', traceback: 'line 1' }));
	expect(fault.message).toBe('Job j1 stopped at node 7 (KSampler): words');
	expect(fault.advice).toMatch(advice);
	expect(fault.advice).toContain(`Code: ${code}.`);
	expect(fault.advice).toContain('line 1');
});

const OUT_OF_MEMORY = /^The GPU had too little memory\. Use smaller pictures/;
const NETWORK = /^The node could not reach a server on the network\. Check the internet connection/;
it.each<[what: string, reason: Partial<JobError>, advice: RegExp]>([
	['PyTorch’s exception', { exception_type: 'torch.OutOfMemoryError' }, OUT_OF_MEMORY],
	['the exception of an older PyTorch', { exception_type: 'torch.cuda.OutOfMemoryError' }, OUT_OF_MEMORY],
	['a message of CUDA', { message: 'CUDA out of memory. Tried to allocate 2.00 GiB' }, OUT_OF_MEMORY],
	['a message of HIP', { message: 'HIP out of memory' }, OUT_OF_MEMORY],
	['a message of ComfyUI', { message: 'Allocation on device 0 would exceed allowed memory.' }, OUT_OF_MEMORY],
	['the class in a traceback', { traceback: 'Traceback:\ntorch.OutOfMemoryError: Allocation on device' }, OUT_OF_MEMORY],
	['a message of a partner node', { message: 'Unable to connect to the API server due to local network issues.' }, NETWORK],
	['the last line of a traceback', { traceback: 'Traceback:\ncomfy_api_nodes.util.ApiServerError: no' }, NETWORK],
	['an exception of aiohttp', { exception_type: 'aiohttp.client_exceptions.ClientConnectorDNSError' }, NETWORK],
])('a job that failed because of memory or the network is not blamed on the workflow: known by %s', (_, reason, advice) => {
	const fault = jobFault(failedJob({ code: 'node_execution_error', node_id: '7', ...reason }));
	expect(fault.advice).toMatch(advice);
	expect(fault.advice).not.toContain('Correct this node');
});

it('a failed job without a message is reported by the name of its exception', () => {
	expect(jobFault(failedJob({ message: '', node_id: '7', exception_type: 'AssertionError' })).message).toMatch(/ node 7: AssertionError$/);
});

it('a failed job with a message of 300 kB is reported in short', () => {
	const { message, advice } = jobFault(failedJob({ message: `first ${'x'.repeat(300_000)} last`, traceback: 'x'.repeat(300_000) }));
	expect(message.length).toBeLessThan(1_200);
	expect(message).toMatch(/first xxx.*… \(300,011 characters in all\)$/);
	expect(advice.length).toBeLessThan(12_000);
});

it('a failed job shows the last lines of a long traceback without rows of markers', () => {
	const calls = Array.from(
		{ length: 30 },
		(_, at) => `  File "/comfy/module${at}.py", line ${at}, in call${at}\n    run(${at})\n    ^^^^^~~~\n`,
	);
	const traceback = `Traceback (most recent call last):\n${calls.join('')}ValueError: too blue\n`;
	const { advice } = jobFault(failedJob({ message: 'too blue', traceback }));
	expect(advice).toContain('Traceback (the last 8 of 62 lines; job_error has all of them): ');
	expect(advice).toMatch(/module29\.py[^]*\nValueError: too blue/);
	expect(advice).not.toMatch(/\^\^|~~|module1\.py/);
	expect(advice.length).toBeLessThan(800);
});

it('says both why retrying will not help, and what went wrong', () => {
	const { advice } = jobFault(failedJob({ code: 'non_retryable_error', exception_type: 'OOMError' }));
	expect(advice).toMatch(/Retrying will not help[^]*too little memory/);
});

it('a job that failed without a reason keeps the status of the service', () => {
	expect(jobFault(failedJob(null)).message).toBe('Job j1 ended with status "error"');
});

const told = (...refusals: ConversionRefusal[]) => wordsFor(new GraphError({ fault: 'not_convertible', refusals }));
const missing = (nodeId: string, className: string, pack?: string): ConversionRefusal => ({
	refusal: 'unknown_class',
	nodeId,
	title: className,
	className,
	pack,
});

it('names a missing node with its id, its title and the pack that the file names', () => {
	const { message, advice } = told({ ...missing('5', 'Frobnicate', 'acme/ComfyUI-Frob'), title: 'My step' } as ConversionRefusal);
	expect(message).toBe('This ComfyUI does not have the node "Frobnicate" that the workflow uses (node 5 "My step")');
	expect(advice).toContain('Nothing was sent. Install the custom nodes acme/ComfyUI-Frob, which contain it.');
	expect(advice).toContain('Install Missing Custom Nodes');
});

it('counts ten missing nodes of one pack, names two of them and lists all with their cause', () => {
	const { message, advice } = told(...Array.from({ length: 10 }, (_, index) => missing(String(index), `VHS_Node${index}`)));
	expect(message).toBe('This ComfyUI does not have 10 nodes that the workflow uses: VHS_Node0, VHS_Node1 and 8 more');
	expect(advice).toContain('Install the custom nodes ComfyUI-VideoHelperSuite, which probably contain them.');
	expect(advice.split('\n').slice(1, -1)).toEqual(
		Array.from(
			{ length: 10 },
			(_, index) => `VHS_Node${index} (node ${index}): probably part of the custom nodes ComfyUI-VideoHelperSuite.`,
		),
	);
	expect(advice).toMatch(/\nComfy Manage Jobs > Check Workflow lists everything that is missing/);
});

it('asks for an update of ComfyUI if the file says that all missing nodes are part of it', () => {
	const { message, advice } = told(missing('5', 'BrandNewNode', 'comfy-core'), missing('6', 'OtherNewNode', 'comfy-core'));
	expect(message).toBe('This ComfyUI does not have 2 nodes that the workflow uses: BrandNewNode and OtherNewNode');
	expect(advice).toContain('Nothing was sent. Update ComfyUI: a newer version has them.');
	expect(advice).not.toMatch(/custom node/i);
});

it('gives each of several missing nodes its own cause', () => {
	const { message, advice } = told(
		missing('1', 'KlingFutureVideoNode'),
		missing('2', 'Frobnicate'),
		missing('3', 'PreviewBridge'),
		missing('4', 'VAELoader', 'comfy-core'),
		missing('5', 'PreviewBridge'),
	);
	expect(message).toBe('This ComfyUI does not have 4 nodes that the workflow uses: KlingFutureVideoNode, Frobnicate and 2 more');
	expect(advice.split('\n').slice(0, -1)).toEqual([
		expect.stringMatching(/^Nothing was sent\. Update ComfyUI, or install the custom nodes that contain them\./),
		'KlingFutureVideoNode (node 1): probably a partner node of a newer ComfyUI.',
		'Frobnicate (node 2): a node of a newer ComfyUI or a custom node; neither its name nor the workflow says which.',
		'PreviewBridge (nodes 3, 5): probably part of the custom nodes ComfyUI-Impact-Pack.',
		'VAELoader (node 4): part of a newer ComfyUI.',
	]);
});

it('does not ask a user of the hosted service to install anything', () => {
	const error = new GraphError({ fault: 'not_convertible', refusals: [missing('1', 'Frobnicate')] });
	const { message, advice } = wordsFor(error, hosted);
	expect(message).toBe('The service does not have the node "Frobnicate" that the workflow uses (node 1)');
	expect(advice).not.toMatch(/Install|Update ComfyUI/);
});

it('several problems are listed below each other', () => {
	const { message, advice } = told(
		missing('5', 'Frobnicate'),
		{ refusal: 'unknown_widgets', nodeId: '7', title: 'Painter', className: 'PainterNode' },
		{ refusal: 'broken_link', nodeId: '12:3', title: 'KSampler', className: 'KSampler', input: 'model' },
	);
	expect(message).toContain('(and 2 more problems, see below)');
	expect(advice).toMatch(/\nThe inputs of node 7 "Painter" \(PainterNode\) are drawn by an extension.*File > Export \(API\)/);
	expect(advice).toContain('\nThe link into model of node 12:3 (KSampler) leads nowhere or in a circle.');
});

it.each<[ConversionRefusal, RegExp]>([
	[{ refusal: 'broken_file', detail: 'nodes is no list' }, /The file is broken: nodes is no list\. Open the workflow in ComfyUI/],
	[
		{ refusal: 'unknown_subgraph', nodeId: '3', title: 'Upscale', className: '0a-1b' },
		/Node 3 "Upscale" \(0a-1b\) stands for a subgraph that is not in the file/,
	],
	[
		{ refusal: 'cyclic_subgraph', nodeId: '3', title: 'Upscale', className: '0a-1b' },
		/The subgraph of node 3 "Upscale" \(0a-1b\) contains itself/,
	],
	[
		{ refusal: 'hidden_links', nodeId: '3', title: 'Everywhere', className: 'Anything Everywhere' },
		/An extension of the editor links node 3 "Everywhere" \(Anything Everywhere\) to other nodes.*Export \(API\)/,
	],
	[{ refusal: 'nothing_to_run' }, /muted, bypassed or a note\. Enable its nodes/],
	[{ refusal: 'too_large', detail: 'it has 200,000 nodes' }, /too large to be converted here: it has 200,000 nodes\. .*Export \(API\)/],
])('%j becomes a line', (refusal, line) => expect(refusalLines([refusal])[0]).toMatch(line));

it('a broken file with thousands of problems gives a short message', () => {
	const lines = refusalLines(
		Array.from({ length: 5_000 }, (_, index) => ({ refusal: 'broken_link', nodeId: String(index), title: 'T', className: `C${index}` })),
	);
	expect(lines).toHaveLength(51);
	expect(lines.at(-1)).toBe('And 4950 more.');
	const { message, advice } = told(
		...Array.from({ length: 5_000 }, (_, index) => missing(String(index), 'x'.repeat(5_000), 'y'.repeat(5_000))),
	);
	expect(message.length + advice.length).toBeLessThan(3_000);
});

const note = (nodeId: string, more: object): ConversionNote =>
	({ nodeId, title: 'Sampler', className: 'KSampler', input: 'steps', ...more }) as ConversionNote;

it('a note line names a node once, with each input, its value digit by digit, and what is expected', () => {
	const seed = (parseExact('{"a": 18446744073709551615}') as { a: unknown }).a;
	expect(
		noteLines([
			note('5', { note: 'widget_guessed', input: 'cfg', value: [1, 2] }),
			note('5', { note: 'value_by_name', input: 'seed', value: seed, instead: 'flow' }),
			note('5', { note: 'value_does_not_fit', value: 'abc', expected: 'integer' }),
			note('6', { note: 'link_dropped', input: 'model.image', value: ['2', 0], choice: 'model' }),
		]),
	).toEqual([
		'Node 5 "Sampler" (KSampler): steps is "abc", but ComfyUI expects a whole number; cfg is [1,2], but ComfyUI’s editor may send another value; seed is 18446744073709551615, taken by its name, because "flow" at its position does not fit. Check these values in ComfyUI.',
		'Node 6 "Sampler" (KSampler): the link into model.image is left out, because this ComfyUI does not know the choice at model. Check this value in ComfyUI.',
	]);
});

it('nodes of one class with the same values share a line', () => {
	expect(noteLines(['5', '7', '9'].map((id) => note(id, { note: 'value_does_not_fit', value: 20, expected: 'text' })))).toEqual([
		'Nodes 5, 7, 9 (KSampler): steps is 20, but ComfyUI expects a text. Check this value in ComfyUI.',
	]);
});

it('a wrong value stands before 40 others of its node', () => {
	const guessed = Array.from({ length: 40 }, (_, at) => note('5', { note: 'widget_guessed', input: `i${at}`, value: at }));
	const [line = ''] = noteLines([...guessed, note('5', { note: 'value_does_not_fit', value: 'abc', expected: 'number' })]);
	expect(line).toContain('(KSampler): steps is "abc", but ComfyUI expects a number; i0 is 0');
	expect(line).toContain('and 11 more. Check');
});

/** n8n takes it for HTML and drops it. */
const TAG = /<[^<>]*>/;
const QUOTED = 'File "<frozen importlib>", in <module>: <class \'torch.Tensor\'> is no <b>';

const tables = { v1: v1Sentences, v2: v2Sentences, engine: engineSentences, router: routerSentences };
const refusals = Object.entries(tables).flatMap(([name, table]) =>
	[...Object.keys(table), 'brand_new'].map(
		(code) =>
			new ApiError({
				interface: name as keyof typeof tables,
				code,
				status: 422,
				message: QUOTED,
				details: { node_errors: { 1: [QUOTED] }, upstream_detail: QUOTED },
				requestId: QUOTED,
			}),
	),
);

/** The same facts, of which every text is quoted. */
const quotedFacts = (facts: GraphFault): GraphFault =>
	JSON.parse(JSON.stringify(facts), (name, value: unknown) =>
		typeof value === 'string' && name !== 'fault' ? QUOTED : value,
	) as GraphFault;

const quoted = { code: 'node_execution_error', message: QUOTED, node_id: '7', class_type: QUOTED, traceback: QUOTED };

const causes: unknown[] = [
	...refusals,
	...GRAPH_FAULTS.map(([facts]) => new GraphError(quotedFacts(facts))),
	...TROUBLES.map(([trouble]) => new ConnectionError({ trouble, origin: QUOTED, mayHaveArrived: false, message: QUOTED })),
	...REASONS.map(
		([reason]) =>
			new UnreadableAnswerError({ reason, status: 404, contentType: QUOTED, requestId: QUOTED, address: 'http://127.0.0.1:8189/x' }),
	),
	...['failed', 'expired', 'canceled'].map((status) => jobFault(failedJob(quoted, { interface: 'v2', status, service_status: status }))),
	new UnknownOutcomeError(QUOTED),
	new IntegrityError('size', QUOTED, QUOTED),
	new Error(QUOTED),
];

it('no message holds <…>, not even where it quotes a service, and what stood in them is still read', () => {
	const shown = causes.map((cause) => wordsFor(cause, selfHosted));
	expect(shown.filter(({ message, advice }) => TAG.test(message) || TAG.test(advice))).toEqual([]);
	expect(shown.some(({ advice }) => advice.includes('module'))).toBe(true);
});

/** Every text in a source file, template parts included. */
function textsOf(path: string): string[] {
	const texts: string[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node))
			texts.push(node.text);
		ts.forEachChild(node, visit);
	};
	visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest));
	return texts;
}

it('no text of the nodes and credentials holds <…>', () => {
	const root = join(__dirname, '../../../..');
	const sources = ['nodes', 'credentials'].flatMap((folder) =>
		readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
			.filter((path) => path.endsWith('.ts'))
			.map((path) => join(root, folder, path)),
	);
	const withoutMarkup = (text: string): string => text.replace(/<\/?(b|br|a)\b[^>]*>/g, '');
	expect(sources.flatMap(textsOf).filter((text) => TAG.test(withoutMarkup(text)))).toEqual([]);
});
