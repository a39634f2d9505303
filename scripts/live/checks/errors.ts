/** Rejected workflows, failed jobs and unknown jobs: each error names what is wrong. */
import { randomUUID } from 'node:crypto';
import { ApiError, type ApiGraph, isRecord, outcomeOf, waitForJob } from '../../../client';
import { drawn, inverted, ofUnknownClass, UNKNOWN_CLASS } from '../pictures';
import { hold, type Report, Unmet } from '../report';
import { pngSource } from '../../../test/client/support/pictures';
import type { Stage } from '../stage';

const NODE_OF_WIDTH = '2';
const NODE_OF_LOADER = '1';

export async function checkErrors(stage: Stage, report: Report): Promise<void> {
	await report.check('Unknown node class', async () => {
		const refusal = await refusalOf(stage, ofUnknownClass(`${stage.folder}/never`));
		const said = JSON.stringify([refusal.message, refusal.details]);
		hold(said.includes(UNKNOWN_CLASS), `the refusal does not name ${UNKNOWN_CLASS}: ${said}`);
		return { said: refusal.message };
	});

	await report.check('Invalid input', async () => {
		const refusal = await refusalOf(stage, drawn(0, `${stage.folder}/never`, -1));
		const nodes = isRecord(refusal.details) && isRecord(refusal.details.node_errors) ? refusal.details.node_errors : {};
		const said = JSON.stringify(nodes[NODE_OF_WIDTH] ?? null);
		hold(
			said.includes('width'),
			`the refusal does not name node ${NODE_OF_WIDTH} and its width: ${refusal.message} ${JSON.stringify(refusal.details)}`,
		);
		return { said: `${refusal.message}: node ${NODE_OF_WIDTH}, width` };
	});

	await report.check('Failed job', async () => {
		const { connection, signal, folder, inputFolder } = stage;
		const source = pngSource(Buffer.from('This is no picture.'));
		const { asset } = await connection.assets.upload(source, { filePath: `${inputFolder}/broken.png`, signal });
		const graph = inverted(connection.assets.reference(asset), `${folder}/never`);
		const { job_id: id } = await connection.jobs.submit({ graph }, { signal });
		const { job } = await waitForJob(connection.jobs, id, { mode: 'live', maxWaitMs: Infinity, signal });
		const { node_id, message } = job.job_error ?? {};
		hold(job.status === 'failed', `the job reads ${job.status}, not failed`);
		hold(
			node_id === NODE_OF_LOADER && message !== undefined && message !== '',
			`the error names no node: ${JSON.stringify(job.job_error)}`,
		);
		return { said: `it names node ${node_id}: ${firstLine(message)}` };
	});

	await report.check('Unknown job', async () => {
		const { stranger, signal } = stage;
		const read = await outcomeOf(stranger.jobs.get(randomUUID(), { signal }));
		hold(!read.ok, 'a job that was never submitted is read');
		hold(read.error instanceof ApiError && read.error.status === 404, `it is not reported as unknown: ${String(read.error)}`);
		return { said: read.error.message };
	});
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

async function refusalOf({ connection, signal }: Stage, graph: ApiGraph): Promise<ApiError> {
	try {
		const { job_id: id } = await connection.jobs.submit({ graph }, { signal });
		throw new Unmet(`the workflow was accepted as job ${id}`);
	} catch (error) {
		if (error instanceof ApiError && error.code === 'invalid_workflow') return error;
		throw error;
	}
}
