/** A batch on several servers. */
import { runContest } from './contest';
import { createGoal, resultOf, shownNumber, shownTime, type Topic } from './topic';

const POOL = 'three servers as a pool';
const POOL_RESTARTED = 'three servers as a pool, the fastest one restarts';
const FASTEST = 'only the fastest server';

/** Of the sampler, in milliseconds. */
const POOL_SPEEDS = [1_000, 500, 250];
const AWAY_MS = 10_000;

export const POOL_TOPIC: Topic = {
	name: 'pool',
	times: 'alone',
	title: 'Run a batch on several servers',
	how: `Three ComfyUI servers have the speeds 1 : 2 : 4 and run one job at a time. The jobs of a batch are submitted to one pool of these servers. In one of the cases, the fastest server is killed during the batch, loses its jobs, and starts again after ${AWAY_MS / 1_000} s. The ideal is the time in which no server is idle while it runs. It is calculated from the job times during the batch, and in the last column from job times that were measured before the batch.`,
	means: 'Each server gets as many jobs as its speed allows. If a server restarts, the pool delivers all results.',
	summary: { task: 'Run a batch on three servers of different speeds', own: POOL, other: FASTEST, show: ({ ms }) => shownTime(ms) },
	shown: {
		delivered: ({ delivered = NaN }) => String(delivered),
		'jobs that ran': ({ runs = NaN }) => String(runs),
		'requests per job': ({ requestsPerJob = NaN }) => shownNumber(requestsPerJob),
		'time, relative to the ideal': ({ overIdeal = NaN }) => shownNumber(overIdeal),
		'time, relative to the ideal before': ({ overAlone = NaN }) => shownNumber(overAlone),
	},
	measure: async ({ poolJobs }, times) => {
		const options = { count: Math.round(poolJobs * times), samplerMs: POOL_SPEEDS };
		const killed = { index: POOL_SPEEDS.length - 1, awayMs: AWAY_MS };
		const fastest = { ...options, samplerMs: POOL_SPEEDS.slice(-1) };
		const results = [
			...(await runContest({ [POOL]: ['pool.pool', options] }, { rounds: 1 })),
			...(await runContest(
				{ [POOL_RESTARTED]: ['pool.pool', { ...options, killed }], [FASTEST]: ['pool.single', fastest] },
				{ rounds: 1, together: true },
			)),
		];
		return { size: `${options.count} jobs`, results };
	},
	goals: (results, { poolJobs }) => {
		const [pool, restarted, fastest] = [POOL, POOL_RESTARTED, FASTEST].map((name) => resultOf(results, name).facts);
		const missing = (delivered = NaN): number => poolJobs - delivered;
		return [
			createGoal('Pool: time, relative to the ideal', pool?.overIdeal, 1.05),
			createGoal(
				'Pool: requests per job, in addition to those of one server',
				(pool?.requestsPerJob ?? NaN) - (fastest?.requestsPerJob ?? NaN),
				2,
			),
			createGoal('Pool: jobs that were not delivered', missing(pool?.delivered), 0),
			createGoal('Pool, a server restarts: jobs that were not delivered', missing(restarted?.delivered), 0),
		];
	},
};
