/** One job from its submission to its file, and rejected, failed and unknown jobs. */
import { randomInt, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { ApiError, type ApiGraph, isRecord, outcomeOf, waitForJob } from '../../../client';
import { pngSource } from '../../../test/client/support/pictures';
import { assertSamePixels, colorGraph, inversionGraph, readPixels, solidColor, UNKNOWN_CLASS, unknownClassGraph } from '../pictures';
import { assertThat, type Check, CheckFailure, downloadOutput, type Stage, waitForSuccess } from '../stage';

/** Neither of their values can be lost in fractions. */
const PURE_COLORS = [0xff0000, 0x00ff00, 0x0000ff, 0xffff00, 0x00ffff, 0xff00ff];
const WHITE = 0xffffff;

const NODE_OF_WIDTH = '2';
const NODE_OF_LOADER = '1';

/** The API proxy never answers a second submission with the first job. */
const isKeyRejection = (error: unknown): boolean => error instanceof ApiError && error.code === 'idempotency_key_reuse';

export const JOB_CHECKS: Check[] = [
	{
		name: 'Submit, wait, save',
		check: async (stage) => {
			const { connection, stranger, signal, folder } = stage;
			const color = PURE_COLORS[randomInt(PURE_COLORS.length)] as number;
			const graph = colorGraph(color, `${folder}/drawn`);
			const { job_id: id } = await connection.jobs.submit({ graph }, { signal });
			const { file, output } = await downloadOutput(stage, await waitForSuccess(stage, id));
			assertSamePixels(solidColor(WHITE - color), await readPixels(file));
			const { format, workflow } = await stranger.jobs.workflow(id, { signal });
			assertThat(format === 'api', `the format of the workflow is ${format}, not api`);
			assertThat(isDeepStrictEqual(workflow, graph), `the workflow is not the one that was sent: ${JSON.stringify(workflow)}`);
			return `job ${id} made ${output.name} of the right color, and has the workflow that was sent`;
		},
	},
	{
		name: 'Same key, one job',
		check: async (stage) => {
			const { connection, stranger, signal, folder } = stage;
			const graph = colorGraph(randomInt(WHITE), `${folder}/key`);
			const options = { idempotencyKey: `live-${randomUUID()}`, signal };
			const { job_id: id } = await connection.jobs.submit({ graph }, options);
			await waitForSuccess(stage, id);
			const again = await outcomeOf(stranger.jobs.submit({ graph }, options));
			if (again.ok) assertThat(again.value.job_id === id, `the key gave a second job: ${again.value.job_id}`);
			else if (!isKeyRejection(again.error)) throw again.error;
			const { jobs } = await stranger.jobs.list({ signal });
			const places = jobs.flatMap(({ job_id }, index) => (job_id === id ? [index] : []));
			assertThat(isDeepStrictEqual(places, [0]), `queue and history hold the job at ${JSON.stringify(places)}, where it is the newest`);
			return `submitted again by another client, ${again.ok ? 'which got the same job' : 'which was rejected'}; there is one job`;
		},
	},
	{
		name: 'Unknown node class',
		check: async (stage) => {
			const refusal = await submitInvalid(stage, unknownClassGraph(`${stage.folder}/never`));
			const said = JSON.stringify([refusal.message, refusal.details]);
			assertThat(said.includes(UNKNOWN_CLASS), `the refusal does not name ${UNKNOWN_CLASS}: ${said}`);
			return refusal.message;
		},
	},
	{
		name: 'Invalid input',
		check: async (stage) => {
			const { message, details } = await submitInvalid(stage, colorGraph(0, `${stage.folder}/never`, -1));
			const nodes = isRecord(details) && isRecord(details.node_errors) ? details.node_errors : {};
			const isNamed = JSON.stringify(nodes[NODE_OF_WIDTH] ?? null).includes('width');
			assertThat(isNamed, `the refusal does not name node ${NODE_OF_WIDTH} and its width: ${message} ${JSON.stringify(details)}`);
			return `${message}: node ${NODE_OF_WIDTH}, width`;
		},
	},
	{
		name: 'Failed job',
		check: async ({ connection, signal, folder, inputFolder }) => {
			const source = pngSource(Buffer.from('This is no picture.'));
			const { asset } = await connection.assets.upload(source, { filePath: `${inputFolder}/broken.png`, signal });
			const graph = inversionGraph(connection.assets.reference(asset), `${folder}/never`);
			const { job_id: id } = await connection.jobs.submit({ graph }, { signal });
			const { job } = await waitForJob(connection.jobs, id, { mode: 'live', maxWaitMs: Infinity, signal });
			const { node_id, message = '' } = job.job_error ?? {};
			assertThat(job.status === 'failed', `the job reads ${job.status}, not failed`);
			assertThat(node_id === NODE_OF_LOADER && message !== '', `the error names no node: ${JSON.stringify(job.job_error)}`);
			return `it names node ${node_id}: ${message.split('\n', 1)[0]}`;
		},
	},
	{
		name: 'Unknown job',
		check: async ({ stranger, signal }) => {
			const read = await outcomeOf(stranger.jobs.get(randomUUID(), { signal }));
			assertThat(!read.ok, 'a job that was never submitted is read');
			assertThat(read.error instanceof ApiError && read.error.status === 404, `it is not reported as unknown: ${String(read.error)}`);
			return read.error.message;
		},
	},
];

async function submitInvalid({ connection, signal }: Stage, graph: ApiGraph): Promise<ApiError> {
	const submitted = await outcomeOf(connection.jobs.submit({ graph }, { signal }));
	if (submitted.ok) throw new CheckFailure(`the workflow was accepted as job ${submitted.value.job_id}`);
	if (submitted.error instanceof ApiError && submitted.error.code === 'invalid_workflow') return submitted.error;
	throw submitted.error;
}
