/** Jobs that wait behind others, and jobs that are stopped. */
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { cancelAndConfirm } from '../../../client';
import { colorGraph, slowGraph } from '../pictures';
import { downloadOutput, waitForSuccess, assertThat, CheckSkipped, type Report, run, type Stage, CheckFailure } from '../stage';

/** Each larger than the one before, for engines that are too fast to be caught. */
const LOADS = [
	{ jobs: 3, steps: 4 },
	{ jobs: 4, steps: 10 },
	{ jobs: 6, steps: 16 },
];
const STEPS_TO_STOP = [6, 16];
const LOOK_EVERY_MS = 20;
const STEPS_WITH_EVENTS = 10;
/** They say nothing of the work on a job. */
const EVENTS_OF_QUEUE = ['status', 'queue'];

type Load = (typeof LOADS)[number];

const newColor = (): number => randomInt(0xffffff);

export async function checkQueue(stage: Stage, report: Report): Promise<void> {
	await report.check('Cancel a waiting job', async () => {
		for (const load of LOADS) {
			const said = await cancelBehind(stage, load);
			if (said !== undefined) return { said };
		}
		throw new CheckFailure('each time the job had begun to run before it was canceled, or in spite of it');
	});

	await report.check('Live events', async () => {
		let count = 0;
		await run(stage, slowGraph(newColor(), STEPS_WITH_EVENTS, `${stage.folder}/events`), ({ kind }) => {
			if (!EVENTS_OF_QUEUE.includes(kind)) count++;
		});
		assertThat(
			count > 0,
			'no event of a running job arrived, so that waiting falls back to polling. A reverse proxy must let WebSockets and event streams through',
		);
		return { said: `${count} events of one job arrived while it ran` };
	});

	await report.check('Stop a running job', async () => {
		for (const steps of STEPS_TO_STOP) {
			const said = await stopRunning(stage, steps);
			if (said !== undefined) return { said };
		}
		throw new CheckSkipped('not shown: each job was over before it could be stopped');
	});
}

/** @returns undefined where the engine was too fast. */
async function cancelBehind(stage: Stage, load: Load): Promise<string | undefined> {
	const { connection, stranger, signal, folder } = stage;
	const { jobs } = connection;
	const prefix = `${folder}/canceled-behind-${load.jobs}`;
	const ahead = await submitLoad(stage, load);
	const { job_id: victim } = await jobs.submit({ graph: colorGraph(newColor(), prefix) }, { signal });
	const waits = Promise.all(ahead.map(async (id) => await waitForSuccess(stage, id)));
	waits.catch(() => undefined);

	const { status: before } = await stranger.jobs.get(victim, { signal });
	const { job, confirmed } = await cancelAndConfirm(jobs, victim, { signal });
	const others = await waits;
	if (job.status === 'succeeded' || before !== 'queued' || (await hasRun(stage, victim))) return undefined;

	assertThat(confirmed, `the job reads ${job.status}, not canceled`);
	const { output } = await downloadOutput(stage, await run(stage, colorGraph(newColor(), prefix)));
	assertThat(output.name.includes('00001'), `the canceled job has left a picture: the next one is ${output.name}`);
	return `it reads ${job.status} and never ran; the ${others.length} jobs before it succeeded`;
}

const submitLoad = async ({ connection, signal, folder }: Stage, { jobs, steps }: Load): Promise<string[]> =>
	await Promise.all(
		Array.from(
			{ length: jobs },
			async () => (await connection.jobs.submit({ graph: slowGraph(newColor(), steps, `${folder}/load`) }, { signal })).job_id,
		),
	);

/** A job that was deleted from the queue leaves no trace, or reads `expired` through the API proxy. A job that has run stays in the history. */
const hasRun = async ({ stranger, signal }: Stage, jobId: string): Promise<boolean> =>
	(await stranger.jobs.list({ signal })).jobs.some(({ job_id, status }) => job_id === jobId && status !== 'expired');

async function stopRunning(stage: Stage, steps: number): Promise<string | undefined> {
	const { connection, signal, folder } = stage;
	const { jobs } = connection;
	const { job_id: victim } = await jobs.submit({ graph: slowGraph(newColor(), steps, `${folder}/stopped`) }, { signal });
	const { job_id: next } = await jobs.submit({ graph: colorGraph(newColor(), `${folder}/after-stopped`) }, { signal });
	while ((await jobs.get(victim, { signal })).status === 'queued') await delay(LOOK_EVERY_MS, undefined, { signal });
	const { job } = await cancelAndConfirm(jobs, victim, { signal, withinMs: 60_000 });
	await waitForSuccess(stage, next);
	if (job.status === 'succeeded') return undefined;
	assertThat(job.status === 'canceled', `the job reads ${job.status}, not canceled`);
	return 'it reads canceled; the job behind it succeeded';
}
