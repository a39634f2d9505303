import { clock, STOP_LIMIT_MS } from '../../../../client';
import { logDecision } from '../../debugLog';
import { DEFAULT_LARGEST_FILE_MB } from '../../inputFiles/description';
import { cancelsStoppedLine } from '../../messages/logLines';
import type { ItemResult } from '../../operation';
import { openLedger } from '../../submission/ledger';
import { resolveWildcards } from '../../workflows/prompts';
import { toJobFields, toJobItem } from '../jobItems';
import { toJobForModel } from '../jobForModel';
import { addFilePlacement } from './placement';
import { prepareInputs } from './prepareInputs';
import { readSeedsOfJob, replaceRandomSeeds } from './seeds';
import type { SubmitContext } from './settings';
import { submitOnce } from './submitOnce';

const LARGEST_FILE_BYTES = DEFAULT_LARGEST_FILE_MB * 1024 * 1024;

/** Submits the item's workflow, and does not wait for its job. */
export async function execute(context: SubmitContext): Promise<ItemResult> {
	const ledger = await openLedger(context);
	const { workflow, graph, appFiles, hash } = await prepareInputs(context, ledger);
	const files = { rows: appFiles, largestBytes: LARGEST_FILE_BYTES };
	const { job, key, facts, isRecovered } = await submitOnce(context, ledger, {
		hash,
		prepare: (seedKey) =>
			addFilePlacement(context, replaceRandomSeeds(resolveWildcards(graph, workflow, seedKey), seedKey, workflow), files),
	});
	const ownSeeds =
		isRecovered && facts.seeds !== undefined && (await readSeedsOfJob(context.connection, job.job_id, workflow, context.signal));
	const reported = { ...(key !== null && { idempotency_key: key }), ...facts, ...ownSeeds };
	if (context.isTool) return { json: { ...(await toJobForModel(context, { job, outputs: job.outputs })), ...reported } };
	return { json: { ...toJobFields(job), ...reported, ...toJobItem(job) } };
}

/** The execution was stopped, so nothing waits for the job. A later retry reads whether this has canceled it. */
export async function onStop({ connection, progress, settings }: SubmitContext): Promise<void> {
	const { jobId } = progress;
	if (!settings.cancelOnStop || jobId === undefined) return;
	logDecision(() => cancelsStoppedLine(jobId));
	await connection.jobs.cancel(jobId, { signal: clock.signalAfter(STOP_LIMIT_MS) });
}
