import { type ApiGraph, type ConnectSettings, derivedId, type Job, type SubmitOptions } from '../../../../client';
import type { EngineConnection } from '../../../../client/connection';
import type { Behaviour, Sandbox, SandboxOptions } from '../../../../sandbox';
import { quickGraph } from '../../support/graphs';
import { useSandbox } from '../../support/sandbox';

export const PROMPT = 'POST /api/prompt';
/** The smallest answer that an engine gives. */
export const STATE = 'GET /api/prompt';
export const QUEUE = 'GET /api/queue';
export const HISTORY = 'GET /api/history/:id';
export const INTERRUPT = 'POST /api/interrupt';
export const SOCKET = 'GET /ws';
export const JOB_ROUTE = 'GET /api/jobs/:id';

const DEFAULTS: Partial<Behaviour> = {
	workers: 4,
	engineConcurrency: 1,
	engineInterrupt: 'by_id',
	enginePromptIds: 'asked_for',
	engineJobRoutes: false,
	engineAuthorization: null,
	engineMissingNode: 'invalid_prompt',
};

/** One engine for the tests of a file. Its queue, history and settings are reset before each test. */
export function useEngine(options: SandboxOptions = {}) {
	const harness = useSandbox({ progressIntervalMs: 50, ...options });
	const open = (settings: Partial<ConnectSettings> = {}) =>
		harness.connect('hosted', {
			interface: 'engine',
			baseUrl: harness.sandbox.urls.engine,
			token: undefined,
			...settings,
		}) as EngineConnection;
	afterEach(async () => {
		await harness.sandbox.startEngine();
		harness.sandbox.restartEngine();
		harness.sandbox.configure({ ...DEFAULTS, ...options });
	});
	const requests = (on: string) => harness.sandbox.requests(on, 'engine');
	return {
		get sandbox(): Sandbox {
			return harness.sandbox;
		},
		/** A connection to the engine; closed after the test. */
		connect: open,
		/** Submits a graph, by default a new one, over a connection of its own. */
		submit: async (options?: SubmitOptions, settings?: Partial<ConnectSettings>, graph: ApiGraph = newGraph()): Promise<Job> =>
			await open(settings).jobs.submit({ graph }, options),
		requests,
		count: (on: string): number => requests(on).length,
		/** Executions of a prompt that the engine took in. */
		runsOf: (jobId: string): number => harness.sandbox.ledger.runs.filter((run) => run.jobId === jobId).length,
		/** Resolves when the engine runs the job. */
		running: async (jobId: string): Promise<void> => {
			await eventually(async () => {
				const { queue_running } = (await (await fetch(`${harness.sandbox.urls.engine}/queue`)).json()) as { queue_running: unknown[][] };
				return queue_running.find(([, id]) => id === jobId);
			});
		},
		ended: async (jobId: string): Promise<Job> => {
			const { records } = open();
			return await eventually(async () => await records.ended(jobId));
		},
	};
}

/** The first answer that is one, asked for every 5 ms. */
async function eventually<T>(ask: () => Promise<T | undefined>, withinMs = 60_000): Promise<T> {
	const deadline = performance.now() + withinMs;
	for (;;) {
		const answer = await ask();
		if (answer !== undefined) return answer;
		if (performance.now() > deadline) throw new Error(`It did not come true within ${withinMs} ms`);
		await pause(5);
	}
}

export const pause = async (milliseconds: number): Promise<void> => await new Promise((resolve) => setTimeout(resolve, milliseconds));

export const newKey = (): string => derivedId(crypto.randomUUID());

let colors = 0;
/** No two tests share one, so that none is cached. */
export const newGraph = (): ApiGraph => quickGraph(++colors);
