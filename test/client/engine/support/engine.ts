import { type ApiGraph, type ConnectSettings, derivedId, type Job, type SubmitOptions } from '../../../../client';
import type { EngineConnection } from '../../../../client/connection';
import type { Behaviour, RecordedRequest, Sandbox, SandboxOptions } from '../../../../sandbox';
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

export interface EngineHarness {
	readonly sandbox: Sandbox;
	/** A connection to the engine; closed after the test. */
	connect(settings?: Partial<ConnectSettings>): EngineConnection;
	/** Submits a new graph over a connection of its own. */
	submit(options?: SubmitOptions, settings?: Partial<ConnectSettings>): Promise<Job>;
	/** Requests of a route that came to the engine. */
	requests(on: string): RecordedRequest[];
	count(on: string): number;
	/** Executions of a prompt that the engine took in. */
	runsOf(jobId: string): number;
	/** Until the engine runs it. */
	running(jobId: string): Promise<void>;
	ended(jobId: string): Promise<Job>;
}

/** One engine for the tests of a file; its queue, history and habits start anew for each. */
export function useEngine(options: SandboxOptions = {}): EngineHarness {
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
		get sandbox() {
			return harness.sandbox;
		},
		connect: open,
		submit: async (options, settings) => await open(settings).jobs.submit({ graph: newGraph() }, options),
		requests,
		count: (on) => requests(on).length,
		runsOf: (jobId) => harness.sandbox.ledger.runs.filter((run) => run.jobId === jobId).length,
		running: async (jobId) => {
			await eventually(async () => {
				const { queue_running } = (await (await fetch(`${harness.sandbox.urls.engine}/queue`)).json()) as { queue_running: unknown[][] };
				return queue_running.find(([, id]) => id === jobId);
			});
		},
		ended: async (jobId) => {
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
