/** What all interfaces have in common that run ComfyUI's workflows. */
import type { IDataObject } from 'n8n-workflow';

import { type ApiGraph, outcomeOf } from '../../../client';
import { ComfyRunWorkflow } from '../../../nodes/ComfyRunWorkflow/ComfyRunWorkflow.node';
import type { Sandbox, ServiceSurface } from '../../../sandbox';
import { until } from '../../support/until';
import type { Asked, Bill, Delivered, Interface, Sent } from './interface';

const CANVAS = '1';
const SAMPLER = '2';
const SAVER = '3';
/** For so long, too, an engine is asked for a prompt whose answer was lost. */
const MAX_WAIT_MINUTES = 0.3;
const OUR_COLOR = 7;
const COLOR_OF_OTHERS = 8;
const STEP_MS = 1;

/** Saves a picture under the item's mark, from the item's value as its seed. */
const graphOf = (mark: string, seed: number, color = OUR_COLOR): ApiGraph => ({
	[CANVAS]: { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color } },
	[SAMPLER]: { class_type: 'SandboxSampler', inputs: { image: [CANVAS, 0], steps: 1, step_ms: STEP_MS, seed } },
	[SAVER]: { class_type: 'SaveImage', inputs: { images: [SAMPLER, 0], filename_prefix: mark } },
});

/** As others make it who run the same flow. */
export const graphOfOthers = (mark: string, nth: number): ApiGraph => graphOf(mark, nth, COLOR_OF_OTHERS);

const seedIn = (graph: ApiGraph): number => Number(graph[SAMPLER]?.inputs.seed);
const markIn = (graph: ApiGraph): string => String(graph[SAVER]?.inputs.filename_prefix);

const node = new ComfyRunWorkflow();

const isOthers = (graph: ApiGraph): boolean => graph[CANVAS]?.inputs.color === COLOR_OF_OTHERS;

const billsOf = (sandbox: Sandbox): Bill[] =>
	sandbox.ledger.runs.flatMap(({ jobId, idempotencyKey }) => {
		const job = sandbox.job(jobId);
		if (job === undefined || isOthers(job.graph)) return [];
		return [{ id: jobId, mark: markIn(job.graph), value: seedIn(job.graph), key: idempotencyKey, isCanceled: CANCELED.has(job.status) }];
	});

interface Body {
	workflow?: ApiGraph;
	prompt?: ApiGraph;
	prompt_id?: string;
}

/** Undefined where it was cut off. */
function bodyIn(text: string): Body | undefined {
	try {
		return JSON.parse(text) as Body;
	} catch {
		return undefined;
	}
}

const sentIn = (sandbox: Sandbox, submission: string): Sent[] =>
	sandbox.requests(submission).flatMap(({ bodyText, headers }) => {
		const body = bodyIn(bodyText);
		const graph = body?.workflow ?? body?.prompt;
		if (graph === undefined || isOthers(graph)) return [];
		const key = headers['idempotency-key']?.toString() ?? body?.prompt_id;
		return [{ mark: markIn(graph), value: seedIn(graph), key }];
	});

const parametersOf = ({ mark, value, input }: Asked, chosen: Chosen): IDataObject => ({
	workflowSource: 'json',
	workflow: graphOf(mark, value) as unknown as IDataObject,
	inputs: {},
	files: {},
	options: { interface: chosen, maxWaitMinutes: MAX_WAIT_MINUTES, ...(input === 'drawn' && { seeds: 'random' }) },
});

/** Of a file's name, where the service does not name files by their content. */
const markOfFile = (name: string): string | undefined => /^(h[0-9a-f]{8}-\d+)_/.exec(name)?.[1];

const deliveredOf = ({ json }: { json: IDataObject }): Delivered => ({
	id: String(json.job_id),
	mark: markOfFile(String(json.name)),
	value: Number(json.seed),
});

/** A job that was taken out of the queue of an engine is `expired`. */
const CANCELED: ReadonlySet<string> = new Set(['canceled', 'expired']);
const TERMINAL: ReadonlySet<string> = new Set(['succeeded', 'canceled', 'failed', 'expired']);

const isIdle = (sandbox: Sandbox, surface: ServiceSurface): boolean => sandbox.jobs(surface).every(({ status }) => TERMINAL.has(status));

/** Ends what runs, and forgets it. */
async function clear(sandbox: Sandbox, surface: ServiceSurface): Promise<void> {
	await until(() => isIdle(sandbox, surface), 60_000);
	sandbox.forgetJobs(surface);
}

/** What the option *Interface* says. */
type Chosen = 'v2' | 'v1' | 'engine';

type Own = { chosen: Chosen } & Omit<Interface, 'node' | 'parameters' | 'bills' | 'sent' | 'delivered' | 'isIdle' | 'clear'>;

export const jobsInterface = (surface: ServiceSurface, { chosen, ...own }: Own): Interface => ({
	...own,
	node: { name: 'comfyRunWorkflow', execute: async (execution) => await node.execute.call(execution) },
	parameters: (asked) => parametersOf(asked, chosen),
	bills: billsOf,
	sent: (sandbox) => sentIn(sandbox, own.submission),
	delivered: deliveredOf,
	isIdle: (sandbox) => isIdle(sandbox, surface),
	clear: async (sandbox) => await clear(sandbox, surface),
});

/** More than faults that are waiting for a request. */
const MOST_TRIES = 20;

/** Sends what others order, ten at a time. They may meet what was meant for us, and send again. */
export async function postAll(jobs: number, post: (nth: number) => Promise<Response>): Promise<void> {
	const left = Array.from({ length: jobs }, (_, nth) => nth);
	const postOne = async (nth: number): Promise<void> => {
		for (let tries = 0; tries < MOST_TRIES; tries++) {
			const answer = await outcomeOf(post(nth));
			if (answer.ok && (await outcomeOf(answer.value.arrayBuffer())).ok && answer.value.ok) return;
		}
		throw new Error('Others could not submit');
	};
	const lane = async (): Promise<void> => {
		for (let nth = left.pop(); nth !== undefined; nth = left.pop()) await postOne(nth);
	};
	await Promise.all(Array.from({ length: 10 }, lane));
}
