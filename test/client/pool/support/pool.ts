import { type ApiGraph, type Job, openPool, type PoolSettings, type ServerSettings, type SubmitOptions } from '../../../../client';
import type { PoolConnection } from '../../../../client/connection/connection';
import { ServerContact } from '../../../../client/contact/serverContact';
import { type Behaviour, type FaultRule, type Sandbox, type SandboxOptions, startSandbox } from '../../../../sandbox';
import { PROMPT } from '../../engine/support/engine';
import { newGraph } from '../../support/graphs';

export type PlacementOptions = NonNullable<SubmitOptions['placement']>;

export const AWAITED: PlacementOptions = { isAwaited: true, jobsToCome: 0, whenLost: 'report' };
export const ELSEWHERE: PlacementOptions = { isAwaited: true, jobsToCome: 0, whenLost: 'runElsewhere' };

const DEFAULTS: Partial<Behaviour> = {
	workers: 4,
	engineConcurrency: 1,
	enginePromptIds: 'asked_for',
	engineAuthorization: null,
	engineJobRoutes: true,
	engineModels: null,
	engineUsers: null,
	gateOpen: true,
};

interface OpenOptions extends Partial<Pick<PoolSettings, 'servers'>> {
	/** How long requests are repeated while no server responds. */
	waitMs?: number;
}

/** Three engines for the tests of a file. Their queues, histories, files and settings are reset after each test. */
export function usePool(options: SandboxOptions = {}) {
	const engines: Sandbox[] = [];
	const connections: PoolConnection[] = [];
	beforeAll(async () => {
		engines.push(
			...(await Promise.all([0, 1, 2].map(async () => await startSandbox({ progressIntervalMs: 50, ...DEFAULTS, ...options })))),
		);
	});
	beforeEach(() => {
		for (const engine of engines) {
			engine.resetRecords();
			engine.ledger.runs.length = 0;
		}
	});
	afterEach(async () => {
		for (const engine of engines) engine.clearFaults();
		await Promise.all(connections.splice(0).map(async (connection) => await connection.close()));
		for (const engine of engines) {
			await engine.startEngine();
			engine.restartEngine();
			engine.configure({ ...DEFAULTS, ...options });
		}
	});
	afterAll(async () => void (await Promise.all(engines.splice(0).map(async (engine) => await engine.close()))));

	const engine = (nth: number): Sandbox => {
		const found = engines[nth];
		if (found === undefined) throw new Error(`There is no engine ${nth}`);
		return found;
	};
	const settingsOf = ({ urls }: Sandbox): ServerSettings => ({ baseUrl: urls.engine, engineUrl: '', wanted: 'engine' });
	const open = ({ waitMs = 30_000, servers = engines.map(settingsOf) }: OpenOptions = {}): PoolConnection => {
		const connection = openPool({ servers, contact: new ServerContact(waitMs) });
		connections.push(connection);
		return connection;
	};
	const countsOf = (on: string): number[] => engines.map((one) => one.requests(on, 'engine').length);
	const runsOf = (jobId?: string): number[] =>
		engines.map(({ ledger }) => ledger.runs.filter((run) => jobId === undefined || run.jobId === jobId).length);
	const settings = (...nths: number[]): ServerSettings[] => nths.map((nth) => settingsOf(engine(nth)));
	return {
		engine,
		/** The servers of a pool of some of the engines. */
		settings,
		/** A connection to all three engines; closed after the test. Each one is a different process in effect. */
		open,
		address: (nth: number): string => engine(nth).urls.engine,
		inject: (nth: number, rule: FaultRule) => engine(nth).inject({ surface: 'engine', ...rule }),
		/** How many matching requests each engine received. */
		counts: countsOf,
		/** How often each engine ran the job, or all jobs. */
		runs: runsOf,
		/** How many prompts each engine received, and how often it ran the job, or all jobs. */
		sent: (jobId?: string) => ({ prompts: countsOf(PROMPT), runs: runsOf(jobId) }),
		/** Submits a new graph over a connection of its own. */
		submit: async (submitOptions: SubmitOptions = {}, graph: ApiGraph = newGraph()): Promise<Job> =>
			await open().jobs.submit({ graph }, submitOptions),
		/** Submits a job to one engine alone, as another program does. */
		submitTo: async (nth: number, graph: ApiGraph = newGraph(), submitOptions: SubmitOptions = {}): Promise<Job> =>
			await open({ servers: settings(nth) }).jobs.submit({ graph }, submitOptions),
		/** From now on, the engine describes this class as `change` returns it; undefined if it does not have it. */
		redefine: async (nth: number, className: string, change: (definition: Definition) => Definition | undefined): Promise<void> => {
			const path = `/api/object_info/${className}`;
			const all = (await (await fetch(engine(nth).urls.engine + path)).json()) as Record<string, Definition>;
			const changed = change(all[className] ?? {});
			engine(nth).resetRecords();
			engine(nth).inject({
				on: `GET ${path}`,
				surface: 'engine',
				times: Infinity,
				answer: { status: 200, json: changed === undefined ? {} : { [className]: changed } },
			});
		},
	};
}

export type Definition = Record<string, unknown>;

/** Replaces the choices of the checkpoint loader. */
export const withCheckpoints =
	(...names: string[]) =>
	(definition: Definition): Definition => ({ ...definition, input: { required: { ckpt_name: [names, {}] } } });

let seeds = 0;

/** A small picture by a model. */
export const modelGraph = (model = 'daylight_v2.safetensors'): ApiGraph => ({
	1: { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: model } },
	2: { class_type: 'CLIPTextEncode', inputs: { text: 'a fox', clip: ['1', 1] } },
	3: { class_type: 'EmptyLatentImage', inputs: { width: 16, height: 16, batch_size: 1 } },
	4: {
		class_type: 'KSampler',
		inputs: {
			model: ['1', 0],
			seed: (seeds += 1),
			steps: 1,
			cfg: 8,
			sampler_name: 'euler',
			scheduler: 'normal',
			positive: ['2', 0],
			negative: ['2', 0],
			latent_image: ['3', 0],
			denoise: 1,
		},
	},
	5: { class_type: 'VAEDecode', inputs: { samples: ['4', 0], vae: ['1', 2] } },
	6: { class_type: 'SaveImage', inputs: { images: ['5', 0], filename_prefix: 'model' } },
});

/** Waits for a job as a node does: it reads the job until the job ends. */
export async function ended({ jobs }: Pick<PoolConnection, 'jobs'>, job: Job | string): Promise<Job> {
	for (;;) {
		const read = await jobs.get(job);
		if (read.completed_at !== null || ['failed', 'canceled', 'expired'].includes(read.status)) return read;
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
}
