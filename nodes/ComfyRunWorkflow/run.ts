import { isTerminal } from '../../client';
import { saveOutputs } from '../shared/jobs/download/download';
import { graphOf, onStop as stopSubmission, submitOnce } from '../shared/jobs/submit/submit';
import { awaitEnd, STILL_RUNNING_OUTPUT } from '../shared/jobs/wait';
import { jobItem } from '../shared/jobItems';
import type { ItemContext, ItemResult } from '../shared/operations';
import { hashOf } from '../shared/submissionLedger';
import { doneItems } from './items';
import type { RunSettings } from './settings';

type RunContext = ItemContext<RunSettings>;

export const patienceMs = ({ wait }: RunSettings): number => wait.maxWaitMs;

/** Submits, waits and saves by the operations of the other nodes. */
export async function execute(context: RunContext): Promise<ItemResult | ItemResult[]> {
	const { settings } = context;
	const submission = { ...context, settings: settings.submit };
	const graph = await graphOf(submission);
	const { job: submitted, key } = await submitOnce(submission, { hash: hashOf(graph), prepare: async () => ({ graph }) });
	const jobId = submitted.job_id;
	const job = await awaitEnd({ ...context, settings: { ...settings.wait, jobId } });
	const more = key === null ? {} : { idempotency_key: key };
	if (!isTerminal(job.status)) return { json: { ...jobItem(job), ...more }, output: STILL_RUNNING_OUTPUT };
	const saving = { ...settings.save, jobId };
	return doneItems(job, await saveOutputs({ ...context, settings: saving }, job.outputs), saving, more);
}

export async function onStop(context: RunContext): Promise<void> {
	await stopSubmission({ ...context, settings: context.settings.submit });
}
