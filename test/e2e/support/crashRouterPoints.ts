/** Crash points of Comfy Run Router Model. */
import sharp from 'sharp';
import type { WorkflowNode } from '../../../scripts/n8nHost/documents';
import type { CrashPoint } from './crash';
import { always, never, NEVER_ANSWERED, NEVER_LOOKED, SUBMISSION_MS } from './crashParts';
import { call, file, ORDER, webhook } from './guardedFlows';
import { jsonRun, RUNS } from './router';
import { line } from './workflows';

/** How long the router's provider takes. n8n is killed meanwhile. */
const PROVIDER_MS = 25_000;

type RoutedWhat = Partial<CrashPoint> & Pick<CrashPoint, 'recovered'>;

const routed = (
	way: string,
	model: string,
	input: (tag: string) => string,
	parameters: WorkflowNode['parameters'],
	what: RoutedWhat,
): CrashPoint => ({
	name: `Router, ${way}`,
	workflow: (tag) => line(tag, [webhook(tag), jsonRun(model, {}, { inputJson: `=${input(tag)}`, ...parameters }), file]),
	credentials: (all) => all.hosted,
	begin: call,
	requests: 1,
	...what,
});

const slowly = (tag: string) => `{ "ms": ${PROVIDER_MS}, "note": "${tag} {{ ${ORDER} }}" }`;
const noted: RoutedWhat = {
	recovered: always,
	standsForMs: PROVIDER_MS,
	isThere: ({ ledger }, { requests }) =>
		!ledger.routerRuns.some(({ requestId }) => requests.some((request) => request.requestId === requestId)),
	readResult: async ({ json }) => Number(/ (\d+)"/.exec(JSON.stringify(json.output))?.[1]),
	expected: (order) => [order],
};

const WIDTHS = 16;
const widthOf = (order: number) => 16 * ((order % WIDTHS) + 1);
const drawnBy = (tag: string) =>
	`{ "prompt": "${tag} {{ ${ORDER} }}", "seed": {{ ${ORDER} }}, "size": { "width": {{ 16 * (${ORDER} % ${WIDTHS} + 1) }}, "height": 16 } }`;
const drawn: Partial<CrashPoint> = {
	readResult: async ({ json }, content) => [(json.output as { seed?: number }).seed, (await sharp(content).metadata()).width],
	expected: (order) => [[order, widthOf(order)]],
};

const QUEUED = { delivery: 'queued' };

export const onRouter: CrashPoint[] = [
	routed('direct, at the provider', 'lab/slow', slowly, {}, noted),
	routed('queued, at the provider', 'lab/slow', slowly, QUEUED, noted),
	routed(
		'direct, before it looked',
		'aurora/image-2',
		drawnBy,
		{},
		{ ...drawn, fault: { on: RUNS, fault: NEVER_LOOKED }, recovered: never },
	),
	routed('direct, answering', 'aurora/image-2', drawnBy, {}, { ...drawn, fault: { on: RUNS, fault: NEVER_ANSWERED }, recovered: always }),
	routed('queued, submitting', 'aurora/image-2', drawnBy, QUEUED, {
		...drawn,
		fault: { on: `${RUNS}/requests`, fault: NEVER_ANSWERED },
		standsForMs: SUBMISSION_MS,
		recovered: always,
	}),
];
