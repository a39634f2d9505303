import type { IDataObject } from 'n8n-workflow';

import { ApiError, type ApiGraph, applyInputs, checkDigits, ComfyError, type Job, outcomeOf, parseInputValues, StoppedError, type Submission, UnknownOutcomeError } from '../../../../client';
import { inputText } from '../../binaryFields';
import { rowValues } from '../../inputs/rows';
import { customKey } from '../../customKeys';
import { jobIds, jobItem } from '../../jobItems';
import { placeFiles } from '../files/placeFiles';
import { jobForModel } from '../tool/jobForModel';
import { EmptyField, type ItemContext, type ItemResult, STOP_LIMIT_MS } from '../../operations';
import { jobElsewhere, OtherInterfaceError } from '../../messages/unknownOutcome';
import { hashOf, isInDoubt, type LedgerEntry, SubmissionLedger } from '../../submissionLedger';
import { extraDataOf } from './extraData';
import { parsedWorkflow } from './parsedWorkflow';
import type { SubmitSettings } from './settings';
import { isEmptyWorkflow } from './workflowText';

export type SubmitContext = ItemContext<SubmitSettings>;

const WORKFLOW_FILE_LABEL = 'Workflow File Field';

/** The workflow with its input values in place. */
export async function graphOf(context: SubmitContext): Promise<ApiGraph> {
	const { execution, itemIndex, settings } = context;
	const { workflowSource, workflow, workflowField } = settings;
	const source =
		workflowSource === 'file' ? await inputText(execution, itemIndex, workflowField, WORKFLOW_FILE_LABEL) : workflow;
	if (isEmptyWorkflow(source)) {
		throw new EmptyField('Workflow is empty', 'Paste the workflow in API format, or check that its expression finds one in the input item.');
	}
	const graph = applyInputs(parsedWorkflow(execution, source), parseInputValues(settings.inputValues));
	const changed = applyInputs(graph, await rowValues(context, graph, settings.inputRows));
	return checkDigits(applyInputs(changed, await placeFiles(context, changed, { rows: settings.inputFiles, largestBytes: 0 })));
}

/** A custom key belongs to the user; an automatic one to this run and item. Not every interface takes one. */
function keyOf({ settings, connection }: SubmitContext, drawKey: string): string | null {
	if (settings.keyMode === 'none' || !connection.jobs.capabilities.safeResubmit) return null;
	return settings.keyMode === 'automatic' ? drawKey : customKey(settings.customKey);
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
		if (outcome.error instanceof ApiError) addFacts(outcome.error, submission, settings);
		throw outcome.error;
	}
	entry.job_id = outcome.value.job_id;
	return outcome.value;
}

function addFacts(error: ApiError, { graph }: Submission, { keepTryingField }: SubmitSettings): void {
	error.graph = graph;
	if (error.refusedWith !== undefined) error.refusedWith.field = keepTryingField;
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

/** What an item asks for. */
export interface SubmissionPlan {
	/** Of what is asked for, before anything is drawn or uploaded: a call of an AI agent is known again by it. */
	hash: string;
	/**
	 * Asked only when something is to be sent.
	 * @param drawKey the item's idempotency key, or what stands for it where none is sent: the same for every try of this
	 *   item, and for no other. Whatever is drawn is drawn from it.
	 */
	prepare(drawKey: string): Promise<Prepared>;
}

export interface Prepared {
	graph: ApiGraph;
	/** Recorded with the submission: every later try is told the same, whatever has become of the workflow. */
	facts?: IDataObject;
}

export interface Submitted {
	job: Job;
	/** Null where none was sent. */
	key: string | null;
	facts: IDataObject;
}

/** Submits one item once, however often n8n tries the node. */
export async function submitOnce(context: SubmitContext, { hash, prepare }: SubmissionPlan): Promise<Submitted> {
	const { execution, itemIndex, isTool, known, existing } = context;
	const ledger = new SubmissionLedger(execution, isTool);
	const earlier = ledger.find(itemIndex, hash);
	const drawKey = earlier?.draw_key ?? ledger.keyFor(itemIndex, hash);
	if (earlier?.job_id !== undefined) {
		known.job_id = earlier.job_id;
		existing.add(earlier.job_id);
		return { job: await recorded(context, earlier.job_id, earlier), key: earlier.key, facts: earlier.facts ?? {} };
	}
	const extraData = extraDataOf(context);
	const entry = earlier ?? Object.assign(ledger.open(itemIndex, keyOf(context, drawKey), hash), { draw_key: drawKey, refused: true });
	if (entry.key !== null) known.idempotency_key = entry.key;
	const { graph, facts = {} } = await prepare(entry.key ?? drawKey);
	const inDoubt = earlier !== undefined && isInDoubt(earlier);
	entry.facts = (inDoubt ? entry.facts : undefined) ?? facts;
	const job = await send(context, ledger, entry, inDoubt, { graph, extraData });
	known.job_id = job.job_id;
	existing.add(job.job_id);
	return { job, key: entry.key, facts: entry.facts };
}

export async function execute(context: SubmitContext): Promise<ItemResult> {
	const graph = await graphOf(context);
	const { job, key } = await submitOnce(context, { hash: hashOf(graph), prepare: async () => ({ graph }) });
	if (context.isTool) return { json: { ...(await jobForModel(context, job)), ...(key !== null && { idempotency_key: key }) } };
	return { json: key === null ? jobItem(job) : { ...jobIds(job), idempotency_key: key, ...jobItem(job) } };
}

/** A later retry submits anew. */
export function forgetSubmission({ execution, isTool, known, settings }: SubmitContext): void {
	if (settings.cancelOnStop && typeof known.job_id === 'string') new SubmissionLedger(execution, isTool).forget(known.job_id);
}

/** Nobody will wait for these jobs any more: they are canceled, and forgotten so that a later retry submits anew. */
export async function onStop(context: SubmitContext): Promise<void> {
	const { connection, known, settings } = context;
	if (!settings.cancelOnStop || typeof known.job_id !== 'string') return;
	await connection.jobs.cancel(known.job_id, { signal: AbortSignal.timeout(STOP_LIMIT_MS) });
	forgetSubmission(context);
}
