import { applyInputs, clock, STOP_LIMIT_MS } from '../../../../client';
import { jobIds, jobItem } from '../jobItems';
import { DEFAULT_LARGEST_FILE_MB } from '../../inputFiles/description';
import { placeFiles } from '../../inputFiles/placeFiles';
import { logDecision } from '../../debugLog';
import { jobForModel } from '../jobForModel';
import type { ItemResult } from '../../operation';
import { cancelsStoppedLine } from '../../messages/logLines';
import { hashOfAsked, workflowOfItem } from '../../workflows/ofItem';
import { resolvePrompts } from '../../workflows/prompts';
import type { SubmitContext } from './settings';
import { asked, givenBy } from './asked';
import { submitOnce } from './submitOnce';

export async function execute(context: SubmitContext): Promise<ItemResult> {
	const { settings } = context;
	const workflow = await workflowOfItem(context, settings.source);
	const { graph, appFiles } = await asked(context, workflow);
	const hash = hashOfAsked(graph, workflow, settings.source, givenBy(context));
	const { job, key, facts } = await submitOnce(context, {
		hash,
		prepare: async (drawKey) => {
			const said = resolvePrompts(graph, workflow, drawKey);
			return {
				...said,
				graph: applyInputs(
					said.graph,
					await placeFiles(context, graph, { rows: appFiles, largestBytes: DEFAULT_LARGEST_FILE_MB * 1024 * 1024 }),
				),
			};
		},
	});
	const told = { ...(key !== null && { idempotency_key: key }), ...facts };
	if (context.isTool) return { json: { ...(await jobForModel(context, job)), ...told } };
	return { json: { ...jobIds(job), ...told, ...jobItem(job) } };
}

/** Nobody will wait for these jobs any more. A later retry looks whether this has canceled them. */
export async function onStop(context: SubmitContext): Promise<void> {
	const { connection, known, settings } = context;
	if (!settings.cancelOnStop || typeof known.job_id !== 'string') return;
	const { job_id: jobId } = known;
	logDecision(() => cancelsStoppedLine(jobId));
	await connection.jobs.cancel(jobId, { signal: clock.signalAfter(STOP_LIMIT_MS) });
}
