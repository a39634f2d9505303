/** What an engine refuses must name what is wrong. */
import { ApiError, type ApiGraph, isRecord } from '../../../client';
import { drawn, ofUnknownClass, UNKNOWN_CLASS } from '../graphs';
import { hold, type Report, Unmet } from '../report';
import type { Stage } from '../stage';

const NODE_OF_WIDTH = '2';

export async function checkRefusals(stage: Stage, report: Report): Promise<void> {
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
}

async function refusalOf({ connection, signal }: Stage, graph: ApiGraph): Promise<ApiError> {
	try {
		const { job_id: id } = await connection.jobs.submit({ graph }, { signal });
		throw new Unmet(`the workflow was accepted as job ${id}`);
	} catch (error) {
		if (error instanceof ApiError && error.code === 'invalid_workflow') return error;
		throw error;
	}
}
