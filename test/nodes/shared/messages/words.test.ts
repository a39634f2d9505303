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
} from '../../../../client';
import { ComfyApi } from '../../../../credentials/ComfyApi.credentials';
import { ComfyRouterJwtApi } from '../../../../credentials/ComfyRouterJwtApi.credentials';
import { ComfySelfHostedApi } from '../../../../credentials/ComfySelfHostedApi.credentials';
import { readCredential } from '../../../../nodes/shared/credentials';
import { toJobFault } from '../../../../nodes/shared/jobs/jobItems';
import { fieldOf } from '../../../../nodes/shared/messages/words';
import { engineSentences, v1Sentences, v2Sentences } from '../../../../nodes/shared/messages/tables/service';
import { routerSentences } from '../../../../nodes/shared/messages/tables/router';
import { wordsFor } from '../../../../nodes/shared/messages/wordsFor';
import { failedJob } from '../../support/failedJob';

const hosted = readCredential('comfyApi', { apiKey: 'marker-key', baseUrl: 'https://example.test' });
const selfHosted = readCredential('comfySelfHostedApi', { baseUrl: 'http://127.0.0.1:8189', token: 'marker-token' });

const TROUBLES: Array<[trouble: ConnectionTrouble, what: RegExp, advice: RegExp]> = [
	['refused', /connection was refused/, /Docker/],
	['dns', /was not found/, /typing errors/],
	['tls', /TLS/, /Ignore SSL Issues/],
	[
		'no_tls',
		/^The server at example.test does not support TLS: use http:\/\/example.test$/,
		/Enter Base URL .* with http:\/\/ instead of https/,
	],
	['only_tls', /accepts only TLS connections: use https:\/\/example.test$/, /with https:\/\/ instead of http/],
	['timeout', /in time/, /load/],
	['lost', /was lost/, /again/],
	['blocked', /does not allow/, /administrator/],
	['invalid_address', /not a valid address/, /https:\/\/host/],
	['not_web', /leads to an address that is not a web address/, /Check the server/],
	['too_slow', /is too slow/, /Try again later/],
	['link_local', /link-local/, /only if you enter it in the credential/],
];
it.each(TROUBLES)('says what a connection that is %s means', (trouble, what, advice) => {
	const words = wordsFor(new ConnectionError({ trouble, origin: 'https://example.test', mayHaveArrived: false, message: 'x' }), hosted);
	expect(words.message).toMatch(what);
	expect(words.advice).toMatch(advice);
});

const REASONS = [
	['html', /a web page \(HTTP 502\)/],
	['truncated', /an incomplete response/],
	['not_json', /not JSON/],
	['unexpected', /does not send/],
] as const;
it.each(REASONS)('says where an unreadable answer (%s) came from, with its request id', (reason, what) => {
	const words = wordsFor(
		new UnreadableAnswerError({ reason, status: 502, contentType: 'text/html', requestId: 'req-9', address: 'https://example.test/api' }),
		hosted,
	);
	expect(words.message).toMatch(what);
	expect(words.message).toMatch(/^https:\/\/example\.test returned /);
	expect(words.advice).toContain('req-9');
});

const GRAPH_FAULTS: Array<[facts: GraphFault, what: RegExp, advice: RegExp]> = [
	[{ fault: 'not_json', detail: 'Unexpected token' }, /not valid JSON: Unexpected token/, /Export \(API\)/],
	[{ fault: 'ui_format' }, /editor format/, /Export \(API\)/],
	[{ fault: 'not_a_graph', detail: 'node 1 has no class_type' }, /node 1 has no class_type/, /Export/],
	[{ fault: 'unknown_node', node: 'Promt', known: ['6 (Prompt)'] }, /"Promt"/, /6 \(Prompt\)/],
	[{ fault: 'ambiguous_title', node: 'Prompt', ids: ['6', '7'] }, /Several nodes/, /6, 7/],
	[{ fault: 'unknown_input', node: '6', input: 'txt', known: ['text'] }, /no input "txt"/, /text/],
	[
		{ fault: 'bad_values', detail: 'it is not a JSON object' },
		/Input Values/,
		/For each node, enter its ID or title.*\{"6": \{"text": "a red fox"\}\}/,
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

/** n8n treats it as HTML and does not show it. */
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

/** The same facts with a quoted text in place of each text. */
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
