/** The interfaces that run ComfyUI's workflows. */
import { randomUUID } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import type { ApiGraph } from '../../../client';
import { ComfyRunWorkflow } from '../../../nodes/ComfyRunWorkflow/ComfyRunWorkflow.node';
import type { Behaviour, Sandbox, ServiceSurface } from '../../../sandbox';
import { membersOf } from '../../support/sandboxPool';
import { until } from '../../support/until';
import { LATENESS, LOSSES, REFUSALS } from '../faults';
import { EVENTS, INPUTS, KEYS, POOL_EVENTS } from '../history';
import type { Asked, Bill, Delivered, Interface, Sent } from './interface';
import {
	BOTH_FORGOT,
	CLOCK_WAS_SET_BACK,
	FORGOTTEN,
	INPUT_IS_GONE,
	NOT_SENT_AGAIN,
	NOTHING_TELLS,
	SHARED,
	TIME_IS_UNKNOWN,
	WAS_STOPPED,
} from './outcomes';

const CANVAS = '1';
const SAMPLER = '2';
const SAVER = '3';
/** For so long, too, an engine is asked for a prompt whose answer was lost. */
const MAX_WAIT_MINUTES = 0.3;
const OUR_COLOR = 7;
const COLOR_OF_OTHERS = 8;
const STEP_MS = 1;

/** Saves a picture under this mark, from this seed. */
const graphOf = (mark: string, seed: number, color = OUR_COLOR): ApiGraph => ({
	[CANVAS]: { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color } },
	[SAMPLER]: { class_type: 'SandboxSampler', inputs: { image: [CANVAS, 0], steps: 1, step_ms: STEP_MS, seed } },
	[SAVER]: { class_type: 'SaveImage', inputs: { images: [SAMPLER, 0], filename_prefix: mark } },
});

const seedIn = (graph: ApiGraph): number => Number(graph[SAMPLER]?.inputs.seed);
const markIn = (graph: ApiGraph): string => String(graph[SAVER]?.inputs.filename_prefix);

const node = new ComfyRunWorkflow();

const isOthers = (graph: ApiGraph): boolean => graph[CANVAS]?.inputs.color === COLOR_OF_OTHERS;

const billsOf = (sandbox: Sandbox): Bill[] =>
	sandbox.ledger.runs.flatMap(({ jobId, idempotencyKey: key, at }) => {
		const job = sandbox.job(jobId);
		if (job === undefined || isOthers(job.graph)) return [];
		return [{ id: jobId, mark: markIn(job.graph), value: seedIn(job.graph), key, at, isCanceled: CANCELED.has(job.status) }];
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
	sandbox.requests(submission).flatMap(({ bodyText, headers, at, status }) => {
		const body = bodyIn(bodyText);
		const graph = body?.workflow ?? body?.prompt;
		if (graph === undefined || isOthers(graph)) return [];
		const key = headers['idempotency-key']?.toString() ?? body?.prompt_id;
		return [{ mark: markIn(graph), value: seedIn(graph), key, at, status }];
	});

const rowOf = (input: string, code: string): IDataObject => ({
	input: { mode: 'name', value: input },
	valueFrom: 'value',
	value: `={{ ${code} }}`,
});

/** Each item sets the name of its picture and, if its input is random, the seed. */
const parametersOf = ({ mark, input, key }: Asked, chosen: Chosen): IDataObject => ({
	workflowSource: 'json',
	workflow: graphOf('', 1) as unknown as IDataObject,
	inputs: {
		values: [
			rowOf(`${SAVER}.filename_prefix`, mark),
			...(input === 'random' ? [rowOf(`${SAMPLER}.seed`, 'Math.floor(Math.random() * 1e9)')] : []),
		],
	},
	files: {},
	options: { interface: chosen, maxWaitMinutes: MAX_WAIT_MINUTES, idempotencyKeyMode: key, ...(input === 'drawn' && { seeds: 'random' }) },
});

/** Of a file's name, where the service does not name files by their content. */
const markOfFile = (name: string): string | undefined => /^(h[0-9a-f]{8}[-\d]+)_/.exec(name)?.[1];

const deliveredOf = ({ json }: { json: IDataObject }): Delivered => ({
	id: String(json.job_id),
	mark: markOfFile(String(json.name)),
	value: json.seed === null ? undefined : Number(json.seed),
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

interface Own extends Pick<Interface, 'name' | 'behaviour' | 'submission' | 'restart' | 'isKeyed' | 'unconfirmed' | 'conditions'> {
	chosen: Chosen;
	/** With addresses by which the sandbox is reached. */
	credential(urls: Sandbox['urls'], apiKey: string): ReturnType<Interface['credential']>;
	/** Where others send their graphs, in a body with this field. */
	others: (urls: Sandbox['urls']) => string;
	field: 'workflow' | 'prompt';
}

const jobsInterface = (surface: ServiceSurface, { chosen, others, field, credential, ...own }: Own): Interface => ({
	...own,
	range: {
		faultsOfSubmissions: [...REFUSALS, ...LOSSES, ...LATENESS, ...(own.isKeyed ? (['delivered twice'] as const) : [])],
		faultsOfAnything: [...REFUSALS, ...LOSSES],
		events: EVENTS,
		inputs: INPUTS,
		keys: KEYS,
		mostItems: 3,
	},
	node: { name: 'comfyRunWorkflow', execute: async (execution) => await node.execute.call(execution) },
	credential: ({ keys, urls }, host) => credential(by(host, urls), keys.apiKey),
	parameters: (asked) => parametersOf(asked, chosen),
	bills: billsOf,
	sent: (sandbox) => sentIn(sandbox, own.submission),
	delivered: deliveredOf,
	// As others make it who run the same flow.
	crowd: async ({ urls, keys: { apiKey } }, jobs, mark) =>
		await postAll(jobs, others(urls), { authorization: `Bearer ${apiKey}`, 'x-api-key': apiKey }, (nth) => ({
			[field]: graphOf(mark, nth, COLOR_OF_OTHERS),
		})),
	isIdle: (sandbox) => isIdle(sandbox, surface),
	clear: async (sandbox) => await clear(sandbox, surface),
});

const ofAccount = (name: string, surface: 'hosted' | 'deployment'): Interface =>
	jobsInterface(surface, {
		name,
		chosen: 'v2',
		// The address by which a life comes is not the one that the service would write.
		behaviour: { links: 'relative' },
		submission: 'POST /api/v2/jobs',
		credential: (urls, apiKey) => ({ type: 'comfyApi', data: { apiKey, baseUrl: urls[surface], hostedUrl: urls.hosted } }),
		others: (urls) => `${urls[surface]}/api/v2/jobs`,
		field: 'workflow',
		isKeyed: true,
		unconfirmed: [INPUT_IS_GONE, CLOCK_WAS_SET_BACK, TIME_IS_UNKNOWN, NOT_SENT_AGAIN, WAS_STOPPED],
		conditions: [NOTHING_TELLS, SHARED],
	});

export const v2 = ofAccount('v2', 'hosted');
export const deployment = ofAccount('deployment', 'deployment');

export const v1 = jobsInterface('hosted', {
	name: 'v1',
	chosen: 'v1',
	behaviour: {},
	submission: 'POST /api/prompt',
	credential: (urls, apiKey) => ({ type: 'comfyApi', data: { apiKey, hostedUrl: urls.hosted } }),
	others: ({ hosted }) => `${hosted}/api/prompt`,
	field: 'prompt',
	isKeyed: false,
	unconfirmed: [INPUT_IS_GONE, CLOCK_WAS_SET_BACK, TIME_IS_UNKNOWN, NOT_SENT_AGAIN, WAS_STOPPED],
	conditions: [NOTHING_TELLS, SHARED],
});

const bareEngine = (name: string, behaviour: Partial<Behaviour>): Interface =>
	jobsInterface('self_hosted', {
		name,
		chosen: 'engine',
		behaviour,
		submission: 'POST /api/prompt',
		credential: (urls) => ({ type: 'comfySelfHostedApi', data: { baseUrl: urls.engine, engineUrl: '' } }),
		others: ({ engine: url }) => `${url}/prompt`,
		field: 'prompt',
		isKeyed: false,
		restart: (sandbox) => sandbox.restartEngine(),
		unconfirmed: [FORGOTTEN, INPUT_IS_GONE, CLOCK_WAS_SET_BACK, TIME_IS_UNKNOWN, NOT_SENT_AGAIN, WAS_STOPPED],
		conditions: [BOTH_FORGOT],
	});

export const engine = bareEngine('engine', { engineJobRoutes: true });
/** As of before July 2025: prompts get ids of its own. */
export const olderEngine = bareEngine('older engine', { engineJobRoutes: false, enginePromptIds: 'own' });

/** Three engines; the last one is older. */
const POOL = [{}, {}, { engineJobRoutes: false, enginePromptIds: 'own' as const }];

const onPool = bareEngine('pool', { engineJobRoutes: true });

export const pool: Interface = {
	...onPool,
	servers: POOL,
	range: { ...onPool.range, events: POOL_EVENTS, servers: POOL.length },
	credential: (sandbox, host) => {
		const [baseUrl, ...more] = membersOf(sandbox).map(({ urls }) => by(host, urls).engine);
		return { type: 'comfySelfHostedApi', data: { baseUrl, engineUrl: '', moreServers: more.join('\n') } };
	},
	crowd: async (sandbox, jobs, mark) => {
		const members = membersOf(sandbox);
		await Promise.all(members.map(async (member, index) => await onPool.crowd(member, Math.ceil((jobs - index) / members.length), mark)));
	},
	restart: undefined,
};

/** More than faults that are waiting for a request. */
const MOST_TRIES = 20;

/** Sends what others submit, ten at a time. They may meet what was meant for us, and send again. */
export async function postAll(jobs: number, url: string, headers: Record<string, string>, body: (nth: number) => unknown): Promise<void> {
	const left = Array.from({ length: jobs }, (_, nth) => nth).values();
	const post = async (nth: number): Promise<boolean> => {
		const answer = await fetch(url, {
			method: 'POST',
			headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID(), ...headers },
			body: JSON.stringify(body(nth)),
		});
		await answer.arrayBuffer();
		return answer.ok;
	};
	const lane = async (): Promise<void> => {
		for (const nth of left) {
			let tries = 0;
			while (!(await post(nth).catch(() => false))) if (++tries === MOST_TRIES) throw new Error('Others could not submit');
		}
	};
	await Promise.all(Array.from({ length: 10 }, lane));
}

/** The same addresses, under another name of this machine. */
export const by = (host: string, urls: Sandbox['urls']): Sandbox['urls'] =>
	Object.fromEntries(
		Object.entries(urls).map(([name, url]) => {
			const { protocol, port, pathname } = new URL(url);
			return [name, `${protocol}//${host}:${port}${pathname.replace(/\/$/, '')}`];
		}),
	) as unknown as Sandbox['urls'];
