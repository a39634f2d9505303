/** One job from its submission to its file, and what can be asked of it afterwards. */
import { isDeepStrictEqual } from 'node:util';
import { randomInt, randomUUID } from 'node:crypto';
import { ApiError, type ApiGraph, type Job, outcomeOf } from '../../../client';
import { drawn, filled, holdSame, pixelsOf } from '../pictures';
import { hold, type Report, Unmet } from '../report';
import { fileOf, finished, type Stage } from '../stage';

/** Neither of their values can be lost in fractions. */
const PURE_COLORS = [0xff0000, 0x00ff00, 0x0000ff, 0xffff00, 0x00ffff, 0xff00ff];
const WHITE = 0xffffff;

interface Done {
	job: Job;
	graph: ApiGraph;
	key: string;
}

export async function checkJob(stage: Stage, report: Report): Promise<void> {
	const { connection, stranger, signal, folder } = stage;
	const done = await report.check('Submit, wait, save', async () => {
		const color = PURE_COLORS[randomInt(PURE_COLORS.length)] as number;
		const [graph, key] = [drawn(color, `${folder}/drawn`), `live-${randomUUID()}`];
		const { job_id: id } = await connection.jobs.submit({ graph }, { idempotencyKey: key, signal });
		const job = await finished(stage, id);
		const { file, output } = await fileOf(stage, job);
		const pixels = await pixelsOf(file);
		holdSame(filled(WHITE - color), pixels);
		return { said: `job ${id} made ${output.name}, ${pixels.size}, of the right color`, value: { job, graph, key } };
	});
	const needed = (): Done => {
		if (done === undefined) throw new Unmet('not tried, because the first job did not hold');
		return done;
	};

	await report.check('Get workflow', async () => {
		const { job, graph } = needed();
		const { format, workflow } = await stranger.jobs.workflow(job.job_id, { signal });
		hold(format === 'api', `the format is ${format}, not api`);
		hold(isDeepStrictEqual(workflow, graph), `the workflow is not the one that was sent: ${JSON.stringify(workflow)}`);
		return { said: 'the workflow that was sent, in API format' };
	});

	await report.check('Same key, one job', async () => {
		const { job, graph, key } = needed();
		const again = await outcomeOf(stranger.jobs.submit({ graph }, { idempotencyKey: key, signal }));
		if (again.ok) hold(again.value.job_id === job.job_id, `the key gave a second job: ${again.value.job_id}`);
		else if (!isKeyRejection(again.error)) throw again.error;
		const { jobs } = await stranger.jobs.list({ signal });
		const newest = jobs.findIndex(({ job_id }) => job_id === job.job_id);
		const count = jobs.filter(({ job_id }) => job_id === job.job_id).length;
		hold(count === 1, `queue and history hold the job ${count} times`);
		hold(newest === 0, `there are ${newest} newer jobs in queue and history, where there must be none`);
		return { said: `submitted again by another client, ${again.ok ? 'which got the same job' : 'which was rejected'}; there is one job` };
	});
}

/** The API proxy never answers a second submission with the first job. */
const isKeyRejection = (error: unknown): boolean => error instanceof ApiError && error.code === 'idempotency_key_reuse';
