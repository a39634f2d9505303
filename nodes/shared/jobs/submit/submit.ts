import { clock, STOP_LIMIT_MS } from '../../../../client';
import { logDecision } from '../../debugLog';
import { largestFile } from '../../inputFiles/description';
import { cancelsStoppedLine } from '../../messages/logLines';
import type { ItemResult, ItemRun } from '../../operation';
import { openLedger } from '../../submission/ledger';
import { resolveWildcards } from '../../workflows/prompts';
import { toJobFields, toJobItem } from '../jobItems';
import { toJobForModel } from '../jobForModel';
import { addFilePlacement } from './placement';
import { prepareInputs } from './prepareInputs';
import { readSeedsOfJob, replaceRandomSeeds } from './seeds';
import type { SubmitSettings } from './settings';
import { submitOnce } from './submitOnce';

/** Submits the item's workflow, and does not wait for its job. */
export async function execute(item: ItemRun, settings: SubmitSettings): Promise<ItemResult> {
	const ledger = await openLedger(item);
	const { workflow, graph, toEditorFile, appFiles, hash } = await prepareInputs(item, settings, ledger);
	const files = { rows: appFiles, largestBytes: largestFile.read(undefined, item.isTool) };
	const { job, key, facts, isRecovered } = await submitOnce(item, settings, ledger, {
		hash,
		toEditorFile,
		prepare: (seedKey) => addFilePlacement(item, replaceRandomSeeds(resolveWildcards(graph, workflow, seedKey), seedKey, workflow), files),
	});
	const ownSeeds = isRecovered && facts.seeds !== undefined && (await readSeedsOfJob(item.connection, job.job_id, workflow, item.signal));
	const reported = { ...(key !== null && { idempotency_key: key }), ...facts, ...ownSeeds };
	if (item.isTool) return { json: { ...(await toJobForModel(item, { job, outputs: job.outputs })), ...reported } };
	return { json: { ...toJobFields(job), ...reported, ...toJobItem(job) } };
}

/** Cancels a job because the execution was stopped. A later retry reads whether this has canceled it. */
export async function cancelStopped({ connection }: ItemRun, jobId: string): Promise<void> {
	logDecision(() => cancelsStoppedLine(jobId));
	await connection.jobs.cancel(jobId, { signal: clock.signalAfter(STOP_LIMIT_MS) });
}

/** Nothing waits for the job. */
export async function onStop(item: ItemRun, { cancelOnStop }: Pick<SubmitSettings, 'cancelOnStop'>): Promise<void> {
	const { jobId } = item.progress;
	if (cancelOnStop && jobId !== undefined) await cancelStopped(item, jobId);
}
