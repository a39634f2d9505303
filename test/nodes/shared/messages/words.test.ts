/** What messages say of each error. Their texts are those of docs/development/messages.md (test/package/troubleshooting.test.ts). */
import type { INodeProperties } from 'n8n-workflow';

import {
	ApiError,
	ConnectionError,
	type ConnectionTrouble,
	GraphError,
	type GraphFault,
	IntegrityError,
	UnknownOutcomeError,
	UnreadableAnswerError,
	UnreadableJobError,
} from '../../../../client';
import { ComfyApi } from '../../../../credentials/ComfyApi.credentials';
import { ComfyRouterJwtApi } from '../../../../credentials/ComfyRouterJwtApi.credentials';
import { ComfySelfHostedApi } from '../../../../credentials/ComfySelfHostedApi.credentials';
import { readCredential } from '../../../../nodes/shared/credentials';
import { toJobFault } from '../../../../nodes/shared/jobs/jobItems';
import { fieldOf } from '../../../../nodes/shared/messages/words';
import { routerTable } from '../../../../nodes/shared/explain/router';
import { serviceTables } from '../../../../nodes/shared/explain/service';
import { wordsFor } from '../../../../nodes/shared/explain/wordsFor';
import { failedJob } from '../../support/failedJob';

const hosted = readCredential('comfyApi', { apiKey: 'marker-key', baseUrl: 'https://example.test' });
const selfHosted = readCredential('comfySelfHostedApi', { baseUrl: 'http://127.0.0.1:8189', token: 'marker-token' });

const services = serviceTables;
const tables = { ...services, router: routerTable };

const api = (name: ApiError['interface'], code: string, details?: unknown) =>
	new ApiError({ interface: name, code, status: 418, message: 'The service’s words', details, requestId: 'req-1' });

describe('an error of a service', () => {
	const TOO_SMALL = {
		type: 'value_smaller_than_min',
		message: 'Value 0 smaller than min of 1',
		details: 'steps',
		extra_info: { input_name: 'steps' },
	};

	/** The shapes of `details`, and the lines that each adds. */
	it.each<[shape: string, details: unknown, lines: string[]]>([
		['absent', undefined, []],
		['null', null, []],
		['a list of something else', { missing_ids: ['a', 'b'] }, []],
		[
			'per-node lists',
			{ '5': [{ field: 'steps', reason: 'below 1' }], '7': [{ field: 'cfg', reason: 'odd' }] },
			['Node 5 steps: below 1.', 'Node 7 cfg: odd.'],
		],
		['words under node_errors', { node_errors: { '5': ['too small', 7] } }, ['Node 5 too small.', 'Node 5 7.']],
		[
			'entries in an unknown shape',
			{ node_errors: { '5': { odd: 1 }, '7': [{ type: 'too_big' }] } },
			['Node 5 {"odd":1}.', 'Node 7 too_big.'],
		],
		['per-node lists under node_errors', { node_errors: { '5': [{ field: 'steps', reason: 'below 1' }] } }, ['Node 5 steps: below 1.']],
		[
			'the engine’s shape',
			{ node_errors: { '5': { class_type: 'KSampler', dependent_outputs: ['9'], errors: [TOO_SMALL] } } },
			['Node 5 (KSampler) steps: Value 0 smaller than min of 1.'],
		],
	])('says what happened and what to do, with details %s', (_, details, lines) => {
		for (const [name, table] of Object.entries(services)) {
			const said = [...Object.keys(table), 'brand_new'].map((code) => wordsFor(api(name as keyof typeof services, code, details), hosted));
			expect(new Set(said.map(({ message }) => message)).size).toBe(said.length);
			for (const { message, advice } of said) {
				expect(`${message}${advice}`).not.toContain('marker');
				expect(advice.split('\n').filter((line) => line.startsWith('Node '))).toEqual(lines);
				expect(advice.split('\n').at(-1)).toBe('Request ID: req-1.');
				expect(advice.split('\n').length).toBeGreaterThan(1 + lines.length);
			}
		}
	});

	it('with an unknown code keeps the words of the service, for two interfaces', () => {
		for (const name of ['v1', 'v2'] as const)
			expect(wordsFor(api(name, 'brand_new'), hosted).message).toBe('The server returned "brand_new" (HTTP 418): The service’s words');
	});

	it.each<[name: keyof typeof services, code: string, credential: typeof hosted, isRunNode: boolean, says: string]>([
		['v2', 'unauthorized', hosted, false, 'Check API Key in the Comfy API credential'],
		['v2', 'unauthorized', selfHosted, false, 'Check Token in the Comfy Self-Hosted API credential'],
		['v1', 'payload_too_large', hosted, false, '50 MB'],
		['engine', 'payload_too_large', selfHosted, false, '--max-upload-size'],
		['v2', 'missing_asset', hosted, false, 'under Input Files'],
		['v2', 'missing_asset', hosted, true, 'in a row of Files'],
		['v2', 'queue_full', hosted, false, 'Raise Keep Trying For (Seconds)'],
		['v2', 'queue_full', hosted, true, 'Raise Max Wait (Minutes)'],
		['v2', 'jobs_not_listed', hosted, false, 'Set Interface to v1'],
		['v2', 'jobs_not_listed', selfHosted, false, 'Set Interface to Engine'],
		['v2', 'no_job_list', hosted, false, 'set Source to Hosted Account'],
		['v2', 'no_job_list', selfHosted, false, 'set Source to Engine'],
	])('names the field of this node and credential (%s, %s, %#)', (name, code, credential, isRunNode, says) => {
		expect(wordsFor(api(name, code), credential, isRunNode).advice).toContain(says);
	});

	it.each(['v1', 'v2', 'engine'] as const)('no advice on a rejection by %s names a field that Comfy Run Workflow does not have', (name) => {
		const missing = { node_errors: { '1': [{ field: 'image', reason: 'Invalid image file: cat.png' }] } };
		for (const code of Object.keys(services[name]))
			for (const details of [undefined, missing])
				for (const credential of [hosted, selfHosted])
					expect(wordsFor(api(name, code, details), credential, true).advice).not.toMatch(
						/Input Files|How To Wait|Job ID|Keep Trying For|Upload Asset/,
					);
	});

	it('has the advice to run a rejected workflow in ComfyUI only if it names no node', () => {
		const advice = (details: unknown) => wordsFor(api('v2', 'invalid_workflow', details), hosted).advice;
		expect(advice({ node_errors: {} })).toMatch(/No job was created\. Open the workflow in ComfyUI/);
		expect(advice({ 5: [{ field: 'steps', reason: 'below 1' }] })).toMatch(/No job was created\. Correct the inputs/);
	});

	it.each([
		[0, 3_600, 'Max Wait (Minutes)', /: it accepted no job for 60 minutes, with no job of this node waiting or running$/],
		[1, 3_600, 'Max Wait (Minutes)', /with 1 job of this node waiting or running$/],
		[3, 90, 'Keep Trying For (Seconds)', /for 90 seconds, with 3 jobs of this node waiting or running$/],
	])(
		'about a queue that stayed full says for how long, with %i of our own in flight for %i s, and which field to raise',
		(inFlight, seconds, field, what) => {
			const error = api('v2', 'queue_full');
			error.refusedWith = { inFlight, forMs: seconds * 1_000, field };
			const { message, advice } = wordsFor(error, hosted);
			expect(message).toMatch(what);
			expect(advice).toContain(`No job was created. Raise ${field}, lower Concurrency`);
		},
	);
});

const TROUBLES: Array<[trouble: ConnectionTrouble, says: RegExp]> = [
	['refused', /Docker/],
	['dns', /Base URL/],
	['tls', /Ignore SSL Issues/],
	['no_tls', /use http:\/\/example\.test.*Base URL/s],
	['only_tls', /use https:\/\/example\.test.*Base URL/s],
	['timeout', /load/],
	['lost', /again/],
	['blocked', /administrator/],
	['invalid_address', /https:\/\/host/],
	['not_web', /Check the server/],
	['too_slow', /Try again later/],
	['link_local', /only if you enter it in the credential/],
];
it.each(TROUBLES)('a connection that is %s says what to do', (trouble, says) => {
	const { message, advice } = wordsFor(
		new ConnectionError({ trouble, origin: 'https://example.test', mayHaveArrived: false, message: 'x' }),
		hosted,
	);
	expect(message).toContain('example.test');
	expect(`${message}\n${advice}`).toMatch(says);
});

const REASONS = [
	['html', 'a web page (HTTP 502)'],
	['truncated', 'an incomplete response'],
	['not_json', 'not JSON (text/html)'],
	['unexpected', 'does not send'],
] as const;
it.each(REASONS)('an unreadable answer (%s) is reported with its address and request id', (reason, what) => {
	const facts = { reason, status: 502, contentType: 'text/html', requestId: 'req-9', address: 'https://example.test/api' };
	const { message, advice } = wordsFor(new UnreadableAnswerError(facts), hosted);
	expect(message).toMatch(/^https:\/\/example\.test returned /);
	expect(message).toContain(what);
	expect(advice).toContain('req-9');
});

const mounted = readCredential('comfySelfHostedApi', { baseUrl: 'http://127.0.0.1:8189/comfy', signIn: 'bearer', bearerToken: 'x' });
const refused = (origin: string) => new ConnectionError({ trouble: 'refused', origin, mayHaveArrived: false, message: 'x' });
const webPage = (address: string, status: number) =>
	new UnreadableAnswerError({ reason: 'html', status, contentType: 'text/html', address });
const redirect = { reason: 'other_origin', status: 302, contentType: null, redirectsTo: 'https://login.test' } as const;
it.each<[what: string, cause: Error, credential: typeof hosted, says: RegExp]>([
	[
		'a link of the service leads to it',
		refused('https://storage.test'),
		hosted,
		/^A link or redirect from the service led to this address/,
	],
	['a link of a server leads to it', refused('http://10.0.0.7:8189'), selfHosted, /turn on Use This Address For Links in the Comfy Self-/],
	[
		'its path leads nowhere',
		webPage('http://127.0.0.1:8189/comfy/api/x', 404),
		mounted,
		/^Check Address .*: its path \/comfy may be wrong/,
	],
	['it leads to a login', new UnreadableAnswerError({ ...redirect, address: mounted.baseUrl }), mounted, /, or check Bearer Token in /],
	['n8n itself reports it', Object.assign(new Error('x'), { description: 'Enter another one.' }), hosted, /^Enter another one\.$/],
])('the advice about an address has the field to change: %s', (_, cause, credential, says) => {
	expect(wordsFor(cause, credential).advice).toMatch(says);
});

it('a submission without an outcome quotes the error of a server, but no page of a gateway', () => {
	const page = new UnreadableAnswerError({ reason: 'html', status: 502, contentType: 'text/html', address: 'https://example.test/api' });
	const lost = (cause: Error) => wordsFor(new UnknownOutcomeError('key-1', { cause }), hosted).message;
	expect(lost(page)).toMatch(/the server answered with HTTP 502 and no job was found for it$/);
	expect(lost(new ApiError({ interface: 'v2', code: 'x', status: 500, message: 'too hot' }))).toMatch(/HTTP 500 .*: too hot$/);
});

it('a job that could not be read names the server only if its address is known', () => {
	const unread = (address?: string) =>
		wordsFor(new UnreadableJobError({ jobId: 'j1', forMs: 60_000, since: 0, address }, { cause: new Error('x') }), hosted).advice;
	expect(unread()).toMatch(/no usable answer from the server since 1970-01-01 00:00:00 UTC/);
	expect(unread('https://example.test')).toMatch(/no usable answer from https:\/\/example\.test\S* since/);
});

const GRAPH_FAULTS: GraphFault[] = [
	{ fault: 'not_json', detail: 'Unexpected token' },
	{ fault: 'ui_format' },
	{ fault: 'not_a_graph', detail: 'node 1 has no class_type' },
	{ fault: 'unknown_node', node: 'Promt', known: ['6 (Prompt)', '7 (Other)'] },
	{ fault: 'ambiguous_title', node: 'Prompt', ids: ['6', '7'] },
	{ fault: 'unknown_input', node: '6', input: 'txt', known: ['text', 'clip'] },
	{ fault: 'bad_values', detail: 'it is not a JSON object' },
];
it.each(GRAPH_FAULTS)('an unusable workflow is reported with every fact, and that nothing was sent (%j)', ({ fault, ...facts }) => {
	const { message, advice } = wordsFor(new GraphError({ fault, ...facts } as GraphFault), hosted);
	for (const fact of Object.values(facts).flat()) expect(`${message}\n${advice}`).toContain(String(fact));
	expect(advice).toMatch(/Nothing was sent/);
});

const labelOf = (properties: INodeProperties[], name: string): string | undefined =>
	properties.find((one) => one.name === name)?.displayName;
const NAMED_IN_MESSAGES = [
	...['API Key', 'JWT', 'Token', 'ComfyUI Authorization', 'Partner API Key', 'Ignore SSL Issues', 'Use This Address For Links'],
	...['Address', 'Base URL', 'ComfyUI Address', 'Hosted URL', 'Router URL'],
];

it.each(NAMED_IN_MESSAGES)('messages name %s with the switch that shows it', (label) => {
	const fields = [new ComfyApi(), new ComfyRouterJwtApi(), new ComfySelfHostedApi()].flatMap(({ displayName, properties }) =>
		properties
			.filter((one) => one.displayName.replace(' (Insecure)', '') === label)
			.map((one) => ({ displayName, shownBy: labelOf(properties, Object.keys(one.displayOptions?.show ?? {})[0] ?? '') })),
	);
	expect(fields.length).toBeGreaterThan(0);
	for (const { displayName, shownBy } of fields)
		expect(fieldOf(label, displayName)).toBe(
			`${label} in the ${displayName} credential${shownBy === undefined ? '' : ` (under ${shownBy})`}`,
		);
});

/** n8n treats it as HTML and does not show it. */
const TAG = /<[^<>]*>/;
const QUOTED = 'File "<frozen importlib>", in <module>: <class \'torch.Tensor\'> is no <b>';

const refusals = Object.entries(tables).flatMap(([name, table]) =>
	[...Object.keys(table), 'brand_new'].map((code) => {
		const details = { node_errors: { 1: [QUOTED] }, upstream_detail: QUOTED };
		return new ApiError({ interface: name as keyof typeof tables, code, status: 422, message: QUOTED, details, requestId: QUOTED });
	}),
);

/** The same facts with a quoted text in place of each text. */
const quotedFacts = (facts: GraphFault): GraphFault =>
	JSON.parse(JSON.stringify(facts), (name, value: unknown) =>
		typeof value === 'string' && name !== 'fault' ? QUOTED : value,
	) as GraphFault;

const quoted = { code: 'node_execution_error', message: QUOTED, node_id: '7', class_type: QUOTED, traceback: QUOTED };

const causes: unknown[] = [
	...refusals,
	...GRAPH_FAULTS.map((facts) => new GraphError(quotedFacts(facts))),
	...TROUBLES.map(([trouble]) => new ConnectionError({ trouble, origin: QUOTED, mayHaveArrived: false, message: QUOTED })),
	...REASONS.map(
		([reason]) =>
			new UnreadableAnswerError({ reason, status: 404, contentType: QUOTED, requestId: QUOTED, address: 'http://127.0.0.1:8189/x' }),
	),
	...['failed', 'expired', 'canceled'].map((status) => toJobFault(failedJob(quoted, { interface: 'v2', status, service_status: status }))),
	new UnknownOutcomeError(QUOTED),
	new IntegrityError('size', QUOTED, QUOTED),
	new Error(QUOTED),
];

it('no message holds <…>, not even where it quotes a service, and what stood in them is still read', () => {
	const shown = causes.map((cause) => wordsFor(cause, selfHosted));
	expect(shown.filter(({ message, advice }) => TAG.test(message) || TAG.test(advice))).toEqual([]);
	expect(shown.some(({ advice }) => advice.includes('module'))).toBe(true);
});
