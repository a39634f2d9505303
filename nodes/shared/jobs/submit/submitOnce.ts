import type { IDataObject } from 'n8n-workflow';

import {
	ApiError,
	type ApiGraph,
	clock,
	ComfyError,
	delay,
	exactText,
	type Job,
	type Outcome,
	outcomeOf,
	parseExact,
	STOP_LIMIT_MS,
	StoppedError,
	type Submission,
	UnknownOutcomeError,
} from '../../../../client';
import { customKey } from '../../submission/customKeys';
import { madeBy } from '../jobItems';
import { logDecision } from '../../debugLog';
import { knowPlace } from '../../execution/place';
import { isShuttingDown } from '../../operation';
import type { ItemFault } from '../../itemFault';
import { earlierTryLine, stoppedEarlierLine, submitsLine, submittedLine } from '../../messages/logLines';
import { shutdownDuringWait, shutdownDuringSubmission, shutdownBeforeSending } from '../../messages/stopping';
import { jobElsewhere, OtherInterfaceError } from '../../messages/unknownOutcome';
import { isInDoubt, type LedgerEntry, markStopped, SubmissionLedger } from '../../submission/submissionLedger';
import { extraDataToSend } from './extraData';
import type { SubmitContext, SubmitSettings } from './settings';

/** A custom key belongs to the user; an automatic one to this run and item. Not every interface takes one. */
function keyOf({ settings, connection }: SubmitContext, drawKey: string): string | null {
	if (settings.keyMode === 'none' || !connection.jobs.capabilities.safeResubmit) return null;
	return settings.keyMode === 'automatic' ? drawKey : customKey(settings.customKey);
}

/** Whether it is certain that no job came of it, so that sending again cannot make a second one. */
const madeNoJob = (cause: unknown): boolean =>
	cause instanceof ComfyError && !(cause instanceof UnknownOutcomeError || cause instanceof StoppedError);

/** What is sent, and how it is made for other keys. */
interface Order {
	submission: Submission;
	prepare: SubmissionPlan['prepare'];
	/** An earlier try has sent it, and what came of that is not known. */
	inDoubt: boolean;
}

/** Sends under the recorded key; what is certain of the outcome is recorded before anything else happens. */
async function send(
	context: SubmitContext,
	ledger: SubmissionLedger,
	entry: LedgerEntry,
	{ submission, prepare, inDoubt }: Order,
): Promise<Job> {
	const { connection, itemIndex, settings, leaving, atStop } = context;
	const key = connection.jobs.capabilities.safeResubmit ? entry.key : null;
	const { interface: sentOver = connection.interface } = entry;
	if (inDoubt && sentOver !== connection.interface) throw new OtherInterfaceError(entry.key, sentOver, connection.interface);
	entry.interface = connection.interface;
	// A key of the user's own stays what it is, however often a job of it was stopped.
	const isUsersKey = key !== null && settings.keyMode === 'custom';
	const mayHaveGoneOn = entry.may_exist_since !== undefined && !isUsersKey;
	let isUnconfirmed = inDoubt;
	if (!inDoubt) entry.refused = true;
	atStop(() => isInDoubt(entry) && keepSent(entry, submission.graph));
	const sent = connection.jobs.submit(submission, {
		submissionId: entry.key ?? entry.draw_key,
		idempotencyKey: key ?? undefined,
		keyIsOurs: settings.keyMode === 'automatic',
		earlierAnswerLost: inDoubt,
		firstSentAt: entry.sent_at,
		mayExistSince: entry.may_exist_since,
		laterIds: mayHaveGoneOn ? ledger.laterKeys(itemIndex, entry) : undefined,
		graphFor: async (laterId) => (await prepare(laterId)).graph,
		onFound: (laterId) => {
			entry.found = true;
			if (laterId !== undefined) ledger.takeLater(itemIndex, entry, laterId);
		},
		knownJobIds: ledger.knownJobIds(),
		retryBudgetMs: settings.keepTryingForMs,
		signal: leaving,
		onSend: () => {
			delete entry.refused;
		},
		onAnswerLost: () => {
			isUnconfirmed = true;
		},
		onNothingMade: () => {
			if (!inDoubt) entry.refused = true;
		},
	});
	const outcome = await outcomeOf(sent);
	delete entry.sent_graph;
	if (!outcome.ok) {
		if (madeNoJob(outcome.error) && !isUnconfirmed) entry.refused = true;
		if (isInDoubt(entry) && !isOfGraph(outcome.error)) keepSent(entry, submission.graph);
		if (isShuttingDown(context) && outcome.error instanceof StoppedError) throw leftWith(entry);
		if (outcome.error instanceof ApiError) addFacts(outcome.error, submission, settings);
		throw outcome.error;
	}
	entry.job_id = outcome.value.job_id;
	return outcome.value;
}

/** n8n stores it with the execution: what is larger is sought as it is asked for then. */
const MOST_KEPT_CHARACTERS = 256 * 1024;

function keepSent(entry: LedgerEntry, graph: ApiGraph): void {
	const text = exactText(graph);
	if (text.length <= MOST_KEPT_CHARACTERS) entry.sent_graph = text;
}

/** A file in it may be gone by now, so that it has to be made anew. */
const isOfGraph = (error: unknown): boolean => error instanceof ApiError && [400, 422].includes(error.status);

/** What an item asks for; where it may have been sent before, what was sent then: by that its job is known. */
async function preparedFor(entry: LedgerEntry, drawKey: string, prepare: SubmissionPlan['prepare']): Promise<Prepared> {
	if (entry.sent_graph === undefined) return await prepare(entry.key ?? drawKey);
	return { graph: parseExact(entry.sent_graph) as ApiGraph, facts: entry.facts };
}

/** How a submission stands that n8n has no time for any more. */
const leftWith = (entry: LedgerEntry): ItemFault => (isInDoubt(entry) ? shutdownDuringSubmission(entry.key) : shutdownBeforeSending());

function addFacts(error: ApiError, { graph }: Submission, { keepTryingField }: SubmitSettings): void {
	error.graph = graph;
	if (error.refusedWith !== undefined) error.refusedWith.field = keepTryingField;
}

const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** Services that start, and gateways in front of them, may answer 404 for a moment. */
const READ_AGAIN_AFTER_MS = 1_000;

/** The job of an earlier try. If that try was stopped, a 404 would submit another: it counts only if it is repeated. */
async function recorded(context: SubmitContext, jobId: string, { interface: sentOver, stopped_at: stoppedAt }: LedgerEntry): Promise<Job> {
	const { connection, signal } = context;
	const within = isShuttingDown(context) ? AbortSignal.any([signal, clock.signalAfter(STOP_LIMIT_MS)]) : signal;
	const readJob = async () => await outcomeOf(connection.jobs.get(jobId, { signal: within }));
	let read = await readJob();
	if (!read.ok && isNotFound(read.error) && stoppedAt !== undefined) {
		const waited = await outcomeOf(delay(READ_AGAIN_AFTER_MS, within));
		read = waited.ok ? await readJob() : waited;
	}
	if (read.ok) return read.value;
	if (isShuttingDown(context) && read.error instanceof StoppedError) throw shutdownDuringWait(jobId);
	const isElsewhere = sentOver !== undefined && sentOver !== connection.interface && isNotFound(read.error);
	throw isElsewhere ? jobElsewhere(jobId, sentOver, connection.interface) : read.error;
}

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
	/** With `recovered`, where the job is one that an execution made of which n8n lost everything. */
	facts: IDataObject;
	/** It was made earlier, perhaps of another input than the item has now. */
	isFound: boolean;
}

/** What the item tells of the job. */
function toldOf({ key, facts, found, may_exist_since: since }: LedgerEntry): Omit<Submitted, 'job'> {
	const isFound = found === true;
	return { key, facts: { ...facts, ...(isFound && since !== undefined && { recovered: true }) }, isFound };
}

function opened(context: SubmitContext, ledger: SubmissionLedger, hash: string, drawKey: string): LedgerEntry {
	const { itemIndex, settings } = context;
	const key = keyOf(context, drawKey);
	// A key of the user's own is the same whatever n8n has lost.
	if (key === null || settings.keyMode !== 'custom') ledger.checkStart(itemIndex, hash);
	return Object.assign(ledger.open(itemIndex, key, hash), { draw_key: drawKey, refused: true });
}

/** A self-hosted proxy says `expired` of a job that was taken out of its queue, and an engine does not know it any more. */
const hasStopped = (outcome: Outcome<Submitted>): boolean =>
	outcome.ok ? ['canceling', 'canceled', 'expired'].includes(outcome.value.job.status) : isNotFound(outcome.error);

/** Submits one item once, however often n8n tries the node, and whatever n8n has lost of the execution. */
export async function submitOnce(context: SubmitContext, plan: SubmissionPlan): Promise<Submitted> {
	const { execution, itemIndex, isTool, known, existing } = context;
	await knowPlace(execution);
	const ledger = new SubmissionLedger(execution, isTool);
	const earlier = ledger.find(itemIndex, plan.hash);
	const wasToStop = earlier?.stopped_at !== undefined;
	const outcome = await outcomeOf(submitted(context, ledger, earlier, plan));
	const jobId = earlier?.job_id;
	if (wasToStop && jobId !== undefined && hasStopped(outcome)) {
		logDecision(() => stoppedEarlierLine(jobId));
		ledger.forget(jobId);
		existing.delete(jobId);
		delete known.job_id;
		return await submitOnce(context, plan);
	}
	if (!outcome.ok) throw outcome.error;
	return outcome.value;
}

async function submitted(
	context: SubmitContext,
	ledger: SubmissionLedger,
	earlier: LedgerEntry | undefined,
	{ hash, prepare }: SubmissionPlan,
): Promise<Submitted> {
	const { execution, itemIndex, settings, known, existing, atStop } = context;
	const drawKey = earlier?.draw_key ?? ledger.keyFor(itemIndex, hash);
	const whenStopped = (entry: LedgerEntry): void => {
		if (settings.cancelOnStop) atStop(() => known.status ?? markStopped(entry));
	};
	if (earlier?.job_id !== undefined) {
		const { job_id: jobId } = earlier;
		known.job_id = earlier.job_id;
		existing.add(earlier.job_id);
		logDecision(() => earlierTryLine(jobId));
		whenStopped(earlier);
		return { job: await recorded(context, earlier.job_id, earlier), ...toldOf(earlier) };
	}
	const extraData = extraDataToSend(context);
	const entry = earlier ?? opened(context, ledger, hash, drawKey);
	whenStopped(entry);
	if (entry.key !== null) known.idempotency_key = entry.key;
	if (isShuttingDown(context)) throw leftWith(entry);
	const { graph, facts = {} } = await preparedFor(entry, drawKey, prepare);
	const inDoubt = earlier !== undefined && isInDoubt(earlier);
	entry.facts = (inDoubt ? entry.facts : undefined) ?? facts;
	const submission = { graph, extraData, madeBy: madeBy(execution, itemIndex) };
	logDecision(() => submitsLine(entry.key));
	const job = await send(context, ledger, entry, { submission, prepare, inDoubt });
	const { draw_key: drawnFrom = drawKey } = entry;
	if (drawnFrom !== drawKey) entry.facts = (await prepare(drawnFrom)).facts;
	if (entry.key !== null) known.idempotency_key = entry.key;
	known.job_id = job.job_id;
	existing.add(job.job_id);
	logDecision(() => submittedLine(job));
	return { job, ...toldOf(entry) };
}
