/** Batches of jobs on one engine or several. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { type ApiGraph, connect, derivedId, type Job, listenAhead, openPool, type PlacementOptions, waitForJob } from '../../../client';
import { timeOf } from '../../../client/comfyui/timestamps';
import type { Connection } from '../../../client/connection/connection';
import type { Facts, Work } from '../work';
import { type EngineReport, startEngine } from '../services';

export interface PoolOptions {
	/** How long the sampler of a job takes on each engine, in milliseconds. */
	samplerMs: number[];
	count: number;
	/** The engine that is killed in the middle of the batch and loses its jobs, and when it starts again, in milliseconds. */
	killed?: { index: number; awayMs: number };
}

type Engine = Awaited<ReturnType<typeof startEngine>>;
type WhenLost = PlacementOptions['whenLost'];

/** A wait fails after this many times the ideal time. */
const LONGEST_WAIT = 10;
const WARM_UP_MS = 30_000;

/** One step of a sampler. Graphs with different seeds have no results in common. */
const sampledGraph = (seed: number): ApiGraph => ({
	'1': { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'daylight_v2.safetensors' } },
	'2': { class_type: 'CLIPTextEncode', inputs: { text: 'a harbor in the morning', clip: ['1', 1] } },
	'3': { class_type: 'EmptyLatentImage', inputs: { width: 16, height: 16, batch_size: 1 } },
	'4': {
		class_type: 'KSampler',
		inputs: {
			...{ model: ['1', 0], positive: ['2', 0], negative: ['2', 0], latent_image: ['3', 0] },
			...{ seed, steps: 1, cfg: 7, sampler_name: 'euler', scheduler: 'normal', denoise: 1 },
		},
	},
	'5': { class_type: 'VAEDecode', inputs: { samples: ['4', 0], vae: ['1', 2] } },
	'6': { class_type: 'SaveImage', inputs: { images: ['5', 0], filename_prefix: 'bench' } },
});

let seeds = 0;

/** Submits jobs as the nodes do, and waits for all of them. @returns those that succeeded. */
async function runBatch(connection: Connection, count: number, whenLost: WhenLost, maxWaitMs: number): Promise<Job[]> {
	await listenAhead(connection);
	const runOne = async (index: number): Promise<Job> => {
		const placement = { isAwaited: true, jobsToCome: count - 1 - index, whenLost };
		const key = { idempotencyKey: derivedId(randomUUID()), keyIsOurs: true };
		const submitted = await connection.jobs.submit({ graph: sampledGraph(++seeds) }, { ...key, placement });
		const { job } = await waitForJob(connection.jobs, submitted.job_id, { mode: 'live', submitted, maxWaitMs });
		if (job.status !== 'succeeded') throw new Error(`${job.job_id} ${job.status}`);
		return job;
	};
	const ended = await Promise.allSettled(Array.from({ length: count }, async (_, index) => await runOne(index)));
	for (const end of ended) if (end.status === 'rejected') console.error('A job was not delivered:', end.reason);
	return ended.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
}

const connectTo = ({ origin }: Engine): Connection => connect({ interface: 'engine', baseUrl: origin });

/** Returns how many of the jobs of one engine ran in one millisecond, without the time between them. */
const rateOf = (jobs: readonly Job[]): number =>
	jobs.length / jobs.reduce((sum, job) => sum + (timeOf(job.completed_at) ?? NaN) - (timeOf(job.started_at) ?? NaN), 0);

async function killLater(engine: Engine, afterMs: number, awayMs: number): Promise<void> {
	await delay(afterMs);
	await engine.order('kill');
	await delay(awayMs);
	await engine.order('start');
}

async function workOf(options: PoolOptions, connectAll: (engines: readonly Engine[]) => Connection): Promise<Work> {
	const { samplerMs, count, killed } = options;
	const engines = await Promise.all(samplerMs.map(async (ms) => await startEngine({ samplerMs: ms })));
	// The first jobs load code, which is not measured.
	const small = connectAll(engines);
	await runBatch(small, 2 * engines.length, 'report', WARM_UP_MS);
	await small.close();
	/** The time of the batch if no engine is ever idle, except the killed one. */
	const idealMs = (rates: readonly number[]): number => {
		const missed = killed === undefined ? 0 : killed.awayMs * (rates[killed.index] ?? NaN);
		return (count + missed) / rates.reduce((sum, rate) => sum + rate, 0);
	};
	const expectedMs = idealMs(samplerMs.map((ms) => 1 / ms));

	const report = async (): Promise<EngineReport> => {
		const reports = await Promise.all(engines.map(async (engine) => await engine.order('report')));
		return reports.reduce((sum, { requests, runs }) => ({ requests: sum.requests + requests, runs: sum.runs + runs }));
	};
	const ratesIn = (jobs: readonly Job[]): number[] =>
		engines.length === 1 ? [rateOf(jobs)] : engines.map(({ origin }) => rateOf(jobs.filter(({ server }) => server === origin)));
	const once = async (): Promise<Facts> => {
		const before = await report();
		const startedAt = performance.now();
		const connection = connectAll(engines);
		const killing = killed && killLater(engines[killed.index] as Engine, expectedMs / 3, killed.awayMs);
		const delivered = await runBatch(connection, count, killed ? 'runElsewhere' : 'report', expectedMs * LONGEST_WAIT);
		const ms = performance.now() - startedAt;
		await killing;
		await connection.close();
		const after = await report();
		return {
			ms,
			overIdeal: ms / idealMs(ratesIn(delivered)),
			delivered: delivered.length,
			runs: after.runs - before.runs,
			requestsPerJob: (after.requests - before.requests) / count,
		};
	};
	return { once };
}

/** The batch on all engines, through one pool. */
export const pool = async (options: PoolOptions): Promise<Work> =>
	await workOf(options, (engines) =>
		openPool({ servers: engines.map(({ origin }) => ({ baseUrl: origin, engineUrl: '', wanted: 'engine' })) }),
	);

/** The batch on one engine, without a pool. */
export const single = async (options: PoolOptions): Promise<Work> => await workOf(options, ([engine]) => connectTo(engine as Engine));
