import { type ApiGraph, type ConnectSettings, derivedId, isTerminal, type Job, type SubmitOptions } from '../../../../client';
import type { EngineConnection } from '../../../../client/connection/connection';
import type { Behaviour, Sandbox, SandboxOptions } from '../../../../sandbox';
import { until } from '../../../support/until';
import { newGraph } from '../../support/graphs';
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
	engineCancelRoutes: true,
	engineJobStatuses: 5,
	gateOpen: true,
	engineAuthorization: null,
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
		running: async (jobId: string): Promise<void> => await until(() => harness.sandbox.job(jobId)?.status === 'running'),
		ended: async (jobId: string): Promise<Job> => {
			await until(() => isTerminal(harness.sandbox.job(jobId)?.status ?? ''));
			const { records } = open();
			for (;;) {
				const job = await records.ended(jobId);
				if (job !== undefined) return job;
			}
		},
	};
}

export const pause = async (milliseconds: number): Promise<void> => await new Promise((resolve) => setTimeout(resolve, milliseconds));

export const newKey = (): string => derivedId(crypto.randomUUID());
