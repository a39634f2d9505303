import { ApiError, type ApiGraph, applyInputs, checkDigits, ComfyError, type Job, outcomeOf, parseGraph, StoppedError, type Submission, UnknownOutcomeError } from '../../client';
import { inputText } from '../shared/binaryFields';
import { customKey } from '../shared/customKeys';
import { jobIds, jobItem } from '../shared/jobItems';
import { EmptyField, type ItemContext, type ItemResult, STOP_LIMIT_MS } from '../shared/operations';
import { jobElsewhere, OtherInterfaceError } from '../shared/messages/unknownOutcome';
import { hashOf, type LedgerEntry, SubmissionLedger } from '../shared/submissionLedger';
import { extraDataOf } from './extraData';
import { inputValuesOf } from './inputValues';
import type { SubmitSettings } from './settings';
import { isEmptyWorkflow, pastedWorkflow } from './workflowText';

type SubmitContext = ItemContext<SubmitSettings>;

const WORKFLOW_FILE_LABEL = 'Workflow File Field';

async function graphOf({ execution, itemIndex, settings }: SubmitContext): Promise<ApiGraph> {
	const { workflowSource, workflow, workflowField } = settings;
	const source =
		workflowSource === 'file' ? await inputText(execution, itemIndex, workflowField, WORKFLOW_FILE_LABEL) : workflow;
	if (isEmptyWorkflow(source)) {
		throw new EmptyField('Workflow is empty', 'Paste the workflow in API format, or check that its expression finds one in the input item.');
	}
	return checkDigits(applyInputs(parseGraph(pastedWorkflow(source)), inputValuesOf(settings)));
}

/** A custom key belongs to the user; an automatic one to this run and item. Not every interface takes one. */
function keyOf({ settings, itemIndex, connection }: SubmitContext, ledger: SubmissionLedger, hash: string): string | null {
	if (settings.keyMode === 'none' || !connection.jobs.capabilities.safeResubmit) return null;
	return settings.keyMode === 'automatic' ? ledger.keyFor(itemIndex, hash) : customKey(settings.customKey);
}

/** Whether it is certain that no job came of it, so that sending again cannot make a second one. */
const madeNoJob = (cause: unknown): boolean => cause instanceof ComfyError && !(cause instanceof UnknownOutcomeError || cause instanceof StoppedError);

/** Sends under the recorded key; what is certain of the outcome is recorded before anything else happens. */
async function send(context: SubmitContext, ledger: SubmissionLedger, entry: LedgerEntry, inDoubt: boolean, submission: Submission): Promise<Job> {
	const { connection, settings, signal } = context;
	const key = connection.jobs.capabilities.safeResubmit ? entry.key : null;
	const { interface: sentOver = connection.interface } = entry;
	if (inDoubt && sentOver !== connection.interface) throw new OtherInterfaceError(entry.key, sentOver, connection.interface);
	if (key === null && inDoubt) throw new UnknownOutcomeError(entry.key ?? undefined);
	entry.interface = connection.interface;
	if (!inDoubt) entry.refused = true;
	const sent = connection.jobs.submit(submission, {
		idempotencyKey: key ?? undefined,
		keyIsOurs: settings.keyMode === 'automatic',
		earlierAnswerLost: inDoubt,
		firstSentAt: entry.sent_at,
		knownJobIds: ledger.knownJobIds(),
		retryBudgetMs: settings.keepTryingForMs,
		signal,
		onSend: () => {
			delete entry.refused;
		},
	});
	const outcome = await outcomeOf(sent);
	if (!outcome.ok) {
		if (madeNoJob(outcome.error) && !inDoubt) entry.refused = true;
		if (outcome.error instanceof ApiError) outcome.error.graph = submission.graph;
		throw outcome.error;
	}
	entry.job_id = outcome.value.job_id;
	return outcome.value;
}

/** The job of an earlier try. */
async function recorded({ connection, signal }: SubmitContext, jobId: string, { interface: sentOver }: LedgerEntry): Promise<Job> {
	const read = await outcomeOf(connection.jobs.get(jobId, { signal }));
	if (read.ok) return read.value;
	const isElsewhere = sentOver !== undefined && sentOver !== connection.interface && read.error instanceof ApiError && read.error.status === 404;
	throw isElsewhere ? jobElsewhere(jobId, sentOver, connection.interface) : read.error;
}

/** A server that is still starting, for instance. */
export const patienceMs = ({ keepTryingForMs }: SubmitSettings): number => keepTryingForMs;

/** Submits one item once, however often n8n tries the node. */
export async function execute(context: SubmitContext): Promise<ItemResult> {
	const { execution, itemIndex, isTool, known, existing } = context;
	const ledger = new SubmissionLedger(execution, isTool);
	const graph = await graphOf(context);
	const submission = { graph, extraData: extraDataOf(context) };
	const hash = hashOf(graph);
	const earlier = ledger.find(itemIndex, hash);
	if (earlier?.job_id !== undefined) {
		known.job_id = earlier.job_id;
		existing.add(earlier.job_id);
		return withKey(await recorded(context, earlier.job_id, earlier), earlier.key);
	}
	const entry = earlier ?? ledger.open(itemIndex, keyOf(context, ledger, hash), hash);
	if (entry.key !== null) known.idempotency_key = entry.key;
	const job = await send(context, ledger, entry, earlier !== undefined && earlier.refused !== true, submission);
	known.job_id = job.job_id;
	existing.add(job.job_id);
	return withKey(job, entry.key);
}

const withKey = (job: Job, key: string | null): ItemResult => ({
	json: key === null ? jobItem(job) : { ...jobIds(job), idempotency_key: key, ...jobItem(job) },
});

/** Nobody will wait for these jobs any more: they are canceled, and forgotten so that a later retry submits anew. */
export async function onStop(context: SubmitContext): Promise<void> {
	const { execution, connection, isTool, known, settings } = context;
	if (!settings.cancelOnStop || typeof known.job_id !== 'string') return;
	await connection.jobs.cancel(known.job_id, { signal: AbortSignal.timeout(STOP_LIMIT_MS) });
	new SubmissionLedger(execution, isTool).forget(known.job_id);
}
