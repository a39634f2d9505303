/** Jobs that wait behind others, and jobs that are stopped. */
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { cancelAndConfirm } from '../../../client';
import { colorGraph, slowGraph } from '../pictures';
import { assertThat, type Check, CheckSkipped, run, type Stage, waitForSuccess } from '../stage';

/** Of a job that runs for seconds. */
const STEPS = 16;
const JOBS_AHEAD = 6;
const LOOK_EVERY_MS = 20;
/** They say nothing of the work on a job. */
const EVENTS_OF_QUEUE = ['status', 'queue'];

const newColor = (): number => randomInt(0xffffff);

const submitSlow = async ({ connection, signal, folder }: Stage): Promise<string> =>
	(await connection.jobs.submit({ graph: slowGraph(newColor(), STEPS, `${folder}/slow`) }, { signal })).job_id;

/** Of an engine. Other interfaces have no front of the queue. */
export const FRONT_CHECKS: Check[] = [
	{
		name: 'Front of the queue',
		check: async (stage) => {
			const { connection, signal, folder } = stage;
			const running = await submitSlow(stage);
			while ((await connection.jobs.get(running, { signal })).status === 'queued') await delay(LOOK_EVERY_MS, undefined, { signal });
			const submit = async (atFront: boolean): Promise<string> =>
				(await connection.jobs.submit({ graph: slowGraph(newColor(), 1, `${folder}/front`) }, { signal, atFront })).job_id;
			const waiting = [await submit(false), await submit(false)];
			const front = [await submit(true), await submit(true)];
			const { status } = await connection.jobs.get(running, { signal });
			const ended: string[] = [];
			await Promise.all([...waiting, ...front].map(async (id) => await waitForSuccess(stage, id).then(() => ended.push(id))));
			if (status !== 'running') throw new CheckSkipped('not shown: the job before them had ended when they were submitted');
			const wanted = [...front.reverse(), ...waiting];
			assertThat(isDeepStrictEqual(ended, wanted), `the jobs ended in the order ${ended.join(', ')} instead of ${wanted.join(', ')}`);
			return 'two jobs at the front ended before two that waited, the newest one first';
		},
	},
];

export const QUEUE_CHECKS: Check[] = [
	{
		name: 'Cancel a waiting job',
		check: async (stage) => {
			const { connection, stranger, signal, folder } = stage;
			const ahead = await Promise.all(Array.from({ length: JOBS_AHEAD }, async () => await submitSlow(stage)));
			const { job_id: victim } = await connection.jobs.submit({ graph: colorGraph(newColor(), `${folder}/canceled`) }, { signal });
			const waits = Promise.all(ahead.map(async (id) => await waitForSuccess(stage, id)));
			waits.catch(() => undefined);
			const { status: before } = await stranger.jobs.get(victim, { signal });
			const { job, confirmed } = await cancelAndConfirm(connection.jobs, victim, { signal });
			await waits;
			if (before !== 'queued') throw new CheckSkipped('not shown: the job had begun to run before it was canceled');
			assertThat(confirmed, `the job reads ${job.status}, not canceled`);
			// A job that was deleted from the queue leaves no trace, or reads `expired` through the API proxy.
			const { jobs } = await stranger.jobs.list({ signal });
			assertThat(!jobs.some(({ job_id, status }) => job_id === victim && status !== 'expired'), 'the canceled job has run');
			return `it reads ${job.status} and never ran; the ${ahead.length} jobs before it succeeded`;
		},
	},
	{
		name: 'Live events',
		check: async (stage) => {
			let count = 0;
			await run(stage, slowGraph(newColor(), STEPS, `${stage.folder}/events`), ({ kind }) => {
				if (!EVENTS_OF_QUEUE.includes(kind)) count++;
			});
			assertThat(
				count > 0,
				'no event of a running job arrived, so that waiting falls back to polling. A reverse proxy must let WebSockets and event streams through',
			);
			return `${count} events of one job arrived while it ran`;
		},
	},
	{
		name: 'Stop a running job',
		check: async (stage) => {
			const { connection, signal, folder } = stage;
			const { jobs } = connection;
			const victim = await submitSlow(stage);
			const { job_id: next } = await jobs.submit({ graph: colorGraph(newColor(), `${folder}/after-stopped`) }, { signal });
			while ((await jobs.get(victim, { signal })).status === 'queued') await delay(LOOK_EVERY_MS, undefined, { signal });
			const { job } = await cancelAndConfirm(jobs, victim, { signal, withinMs: 60_000 });
			await waitForSuccess(stage, next);
			if (job.status === 'succeeded') throw new CheckSkipped('not shown: the job was over before it could be stopped');
			assertThat(job.status === 'canceled', `the job reads ${job.status}, not canceled`);
			return 'it reads canceled; the job behind it succeeded';
		},
	},
];
