import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import ts from 'typescript';

import {
	ApiError,
	type ConnectionTrouble,
	ConnectionError,
	GraphError,
	type GraphFault,
	IntegrityError,
	type Job,
	UnknownOutcomeError,
	UnreadableAnswerError,
} from '../../../client';
import { readCredential } from '../../../nodes/shared/credentials';
import { jobFault } from '../../../nodes/shared/jobs/jobItems';
import { wordsFor } from '../../../nodes/shared/messages/wordsFor';
import { engineSentences } from '../../../nodes/shared/messages/tables/engine';
import { routerSentences } from '../../../nodes/shared/messages/tables/router';
import { v1Sentences } from '../../../nodes/shared/messages/tables/v1';
import { v2Sentences } from '../../../nodes/shared/messages/tables/v2';

/** n8n takes it for HTML and drops it. */
const TAG = /<[^<>]*>/;
const QUOTED = 'File "<frozen importlib>", in <module>: <class \'torch.Tensor\'> is no <b>';
const credential = readCredential('comfySelfHostedApi', { baseUrl: 'http://127.0.0.1:8188' });

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

const GRAPH_FAULTS: GraphFault[] = [
	{ fault: 'not_json', detail: QUOTED },
	{ fault: 'ui_format' },
	{ fault: 'not_a_graph', detail: QUOTED },
	{ fault: 'unknown_node', node: QUOTED, known: [QUOTED] },
	{ fault: 'ambiguous_title', node: QUOTED, ids: [QUOTED] },
	{ fault: 'unknown_input', node: QUOTED, input: QUOTED, known: [QUOTED] },
	{ fault: 'bad_values', detail: QUOTED },
];
const TROUBLES: ConnectionTrouble[] = ['refused', 'dns', 'tls', 'timeout', 'too_slow', 'lost', 'blocked', 'link_local', 'invalid_address'];
const REASONS = ['html', 'truncated', 'not_json', 'unexpected'] as const;

const failedJob = (status: string): Job => ({
	job_id: '1',
	interface: 'v2',
	status,
	service_status: status,
	created_at: null,
	started_at: null,
	completed_at: null,
	expires_at: null,
	queue_position: null,
	progress: null,
	outputs: [],
	job_error: { code: 'node_execution_error', message: QUOTED, node_id: '7', class_type: QUOTED, traceback: QUOTED },
	urls: { self: null, events: null, cancel: null },
});

const causes: unknown[] = [
	...refusals,
	...GRAPH_FAULTS.map((facts) => new GraphError(facts)),
	...TROUBLES.map((trouble) => new ConnectionError({ trouble, origin: QUOTED, mayHaveArrived: false, message: QUOTED })),
	...REASONS.map(
		(reason) =>
			new UnreadableAnswerError({ reason, status: 404, contentType: QUOTED, requestId: QUOTED, address: 'http://127.0.0.1:8188/x' }),
	),
	...['failed', 'expired', 'canceled'].map((status) => jobFault(failedJob(status))),
	new UnknownOutcomeError(QUOTED),
	new IntegrityError('size', QUOTED, QUOTED),
	new Error(QUOTED),
];

it('E3: no message holds <…>, not even where it quotes a service, and what stood in them is still read', () => {
	const shown = causes.map((cause) => wordsFor(cause, credential));
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

it('E3: no text of the nodes and credentials holds <…>', () => {
	const root = join(__dirname, '../../..');
	const sources = ['nodes', 'credentials'].flatMap((folder) =>
		readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
			.filter((path) => path.endsWith('.ts'))
			.map((path) => join(root, folder, path)),
	);
	const withoutMarkup = (text: string): string => text.replace(/<\/?(b|br|a)\b[^>]*>/g, '');
	expect(sources.flatMap(textsOf).filter((text) => TAG.test(withoutMarkup(text)))).toEqual([]);
});
