/** One job from its submission to its file, and rejected, failed and unknown jobs. */
import { isDeepStrictEqual } from 'node:util';
import { randomInt, randomUUID } from 'node:crypto';
import { ApiError, type ApiGraph, isRecord, type Job, outcomeOf, waitForJob } from '../../../client';
import { colorGraph, solidColor, assertSamePixels, inversionGraph, unknownClassGraph, readPixels, UNKNOWN_CLASS } from '../pictures';
import { downloadOutput, waitForSuccess, assertThat, type Report, type Stage, CheckFailure } from '../stage';
import { pngSource } from '../../../test/client/support/pictures';

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
		const [graph, key] = [colorGraph(color, `${folder}/drawn`), `live-${randomUUID()}`];
		const { job_id: id } = await connection.jobs.submit({ graph }, { idempotencyKey: key, signal });
		const job = await waitForSuccess(stage, id);
		const { file, output } = await downloadOutput(stage, job);
		const pixels = await readPixels(file);
		assertSamePixels(solidColor(WHITE - color), pixels);
		return { said: `job ${id} made ${output.name}, ${pixels.size}, of the right color`, value: { job, graph, key } };
	});
	const needed = (): Done => {
		if (done === undefined) throw new CheckFailure('not tried, because the first job did not hold');
		return done;
	};

	await report.check('Get workflow', async () => {
		const { job, graph } = needed();
		const { format, workflow } = await stranger.jobs.workflow(job.job_id, { signal });
		assertThat(format === 'api', `the format is ${format}, not api`);
		assertThat(isDeepStrictEqual(workflow, graph), `the workflow is not the one that was sent: ${JSON.stringify(workflow)}`);
		return { said: 'the workflow that was sent, in API format' };
	});

	await report.check('Same key, one job', async () => {
		const { job, graph, key } = needed();
		const again = await outcomeOf(stranger.jobs.submit({ graph }, { idempotencyKey: key, signal }));
		if (again.ok) assertThat(again.value.job_id === job.job_id, `the key gave a second job: ${again.value.job_id}`);
		else if (!isKeyRejection(again.error)) throw again.error;
		const { jobs } = await stranger.jobs.list({ signal });
		const newest = jobs.findIndex(({ job_id }) => job_id === job.job_id);
		const count = jobs.filter(({ job_id }) => job_id === job.job_id).length;
		assertThat(count === 1, `queue and history hold the job ${count} times`);
		assertThat(newest === 0, `there are ${newest} newer jobs in queue and history, where there must be none`);
		return { said: `submitted again by another client, ${again.ok ? 'which got the same job' : 'which was rejected'}; there is one job` };
	});
}

/** The API proxy never answers a second submission with the first job. */
const isKeyRejection = (error: unknown): boolean => error instanceof ApiError && error.code === 'idempotency_key_reuse';

const NODE_OF_WIDTH = '2';
const NODE_OF_LOADER = '1';

export async function checkErrors(stage: Stage, report: Report): Promise<void> {
	await report.check('Unknown node class', async () => {
		const refusal = await submitInvalid(stage, unknownClassGraph(`${stage.folder}/never`));
		const said = JSON.stringify([refusal.message, refusal.details]);
		assertThat(said.includes(UNKNOWN_CLASS), `the refusal does not name ${UNKNOWN_CLASS}: ${said}`);
		return { said: refusal.message };
	});

	await report.check('Invalid input', async () => {
		const refusal = await submitInvalid(stage, colorGraph(0, `${stage.folder}/never`, -1));
		const nodes = isRecord(refusal.details) && isRecord(refusal.details.node_errors) ? refusal.details.node_errors : {};
		const said = JSON.stringify(nodes[NODE_OF_WIDTH] ?? null);
		assertThat(
			said.includes('width'),
			`the refusal does not name node ${NODE_OF_WIDTH} and its width: ${refusal.message} ${JSON.stringify(refusal.details)}`,
		);
		return { said: `${refusal.message}: node ${NODE_OF_WIDTH}, width` };
	});

	await report.check('Failed job', async () => {
		const { connection, signal, folder, inputFolder } = stage;
		const source = pngSource(Buffer.from('This is no picture.'));
		const { asset } = await connection.assets.upload(source, { filePath: `${inputFolder}/broken.png`, signal });
		const graph = inversionGraph(connection.assets.reference(asset), `${folder}/never`);
		const { job_id: id } = await connection.jobs.submit({ graph }, { signal });
		const { job } = await waitForJob(connection.jobs, id, { mode: 'live', maxWaitMs: Infinity, signal });
		const { node_id, message } = job.job_error ?? {};
		assertThat(job.status === 'failed', `the job reads ${job.status}, not failed`);
		assertThat(
			node_id === NODE_OF_LOADER && message !== undefined && message !== '',
			`the error names no node: ${JSON.stringify(job.job_error)}`,
		);
		return { said: `it names node ${node_id}: ${firstLine(message)}` };
	});

	await report.check('Unknown job', async () => {
		const { stranger, signal } = stage;
		const read = await outcomeOf(stranger.jobs.get(randomUUID(), { signal }));
		assertThat(!read.ok, 'a job that was never submitted is read');
		assertThat(read.error instanceof ApiError && read.error.status === 404, `it is not reported as unknown: ${String(read.error)}`);
		return { said: read.error.message };
	});
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

async function submitInvalid({ connection, signal }: Stage, graph: ApiGraph): Promise<ApiError> {
	try {
		const { job_id: id } = await connection.jobs.submit({ graph }, { signal });
		throw new CheckFailure(`the workflow was accepted as job ${id}`);
	} catch (error) {
		if (error instanceof ApiError && error.code === 'invalid_workflow') return error;
		throw error;
	}
}
