/**
 * Submits one item once, in all tries of the node, also if n8n loses the data of the execution in a crash. The record of
 * the item (`itemSubmission.ts`) says what earlier tries did, and `planSubmission` decides what to do next.
 */
import type { IDataObject } from 'n8n-workflow';

import {
	ApiError,
	type ApiGraph,
	clock,
	ComfyError,
	exactText,
	type InterfaceName,
	isNotFound,
	type Job,
	type Outcome,
	outcomeOf,
	parseExact,
	readAgainIfMissing,
	STOP_LIMIT_MS,
	StoppedError,
	type Submission,
	UnknownOutcomeError,
} from '../../../../client';
import { logDecision } from '../../debugLog';
import type { ItemFault } from '../../itemFault';
import { earlierTryLine, stoppedEarlierLine, submitsLine, submittedLine } from '../../messages/logLines';
import { shutdownDuringWait, shutdownDuringSubmission, shutdownBeforeSending } from '../../messages/stopping';
import { jobElsewhere, OtherInterfaceError } from '../../messages/unknownOutcome';
import { isShuttingDown } from '../../operation';
import { isUnconfirmed, type ItemSubmission, jobIdOf, type SubmissionEvent } from '../../submission/itemSubmission';
import { readCustomKey } from '../../submission/keys';
import type { SubmissionLedger, SubmissionRecord } from '../../submission/ledger';
import { madeBy } from '../jobItems';
import { isPool, placementOf, placeUnlessPool, type PreparedGraph } from './placement';
import { readExtraData, type SubmitContext, type SubmitSettings } from './settings';

/** What an item requests. */
export interface SubmissionRequest {
	/** The hash of the request, before seeds are chosen and files are uploaded. An agent's call is recognized by it. */
	hash: string;
	/**
	 * Called only before something is sent.
	 * @param seedKey the item's idempotency key, or what replaces it if none is sent. It is the same in every try of this item,
	 *   and different for every other item. Seeds are derived from it.
	 */
	prepare(seedKey: string): PreparedGraph;
}

export interface SubmittedItem {
	job: Job;
	record: SubmissionRecord;
	/** The idempotency key; null if none was sent. */
	key: string | null;
	/** With `recovered` if an execution made the job whose record n8n has lost. */
	facts: IDataObject;
	/** The job was made earlier, possibly from a different input than the item has now. */
	isRecovered: boolean;
}

export type SubmissionPlan =
	/** An earlier try has submitted the item. */
	| { action: 'returnRecorded'; jobId: string }
	/** An earlier try may have submitted it: find that job; send the same again only where that cannot make a second one. */
	| { action: 'recover' }
	| { action: 'send' }
	| { action: 'refuse'; error: Error };

/**
 * Pure.
 * @param earlier what is recorded of the item, if anything.
 * @param connected the interface that would be used now.
 */
export function planSubmission(earlier: ItemSubmission | undefined, connected: InterfaceName): SubmissionPlan {
	if (earlier === undefined) return { action: 'send' };
	const jobId = jobIdOf(earlier);
	if (jobId !== undefined) return { action: 'returnRecorded', jobId };
	if (!isUnconfirmed(earlier)) return { action: 'send' };
	const { key, interface: sentOver = connected } = earlier;
	if (sentOver !== connected) return { action: 'refuse', error: new OtherInterfaceError(key, sentOver, connected) };
	return { action: 'recover' };
}

/** @returns the job of the item, as its submission was answered or as the service reports it now. */
export async function submitOnce(context: SubmitContext, ledger: SubmissionLedger, request: SubmissionRequest): Promise<SubmittedItem> {
	const { connection, progress } = context;
	for (;;) {
		const earlier = ledger.find(request.hash);
		const plan = planSubmission(earlier?.current, connection.interface);
		if (plan.action === 'refuse') throw plan.error;
		const wasStopped = earlier?.current.stoppedAt !== undefined;
		const outcome = await outcomeOf(
			earlier !== undefined && plan.action === 'returnRecorded'
				? returnRecorded(context, earlier, plan.jobId)
				: submit(context, ledger, earlier, request),
		);
		const jobId = earlier && jobIdOf(earlier.current);
		if (earlier === undefined || jobId === undefined || !wasStopped || !isCanceled(outcome)) {
			if (!outcome.ok) throw outcome.error;
			return outcome.value;
		}
		// An earlier execution was stopped, and that has canceled the job: another one takes its place.
		logDecision(() => stoppedEarlierLine(jobId));
		earlier.apply({ type: 'canceled', at: clock.wallNow() });
		progress.dropJob(jobId);
	}
}

/** A self-hosted proxy reports `expired` for a job that was taken out of its queue. An engine does not know it any more. */
const isCanceled = (outcome: Outcome<SubmittedItem>): boolean =>
	outcome.ok ? ['canceling', 'canceled', 'expired'].includes(outcome.value.job.status) : isNotFound(outcome.error);

const READ_AGAIN_AFTER_MS = 1_000;

/** The job of an earlier try. */
async function returnRecorded(context: SubmitContext, record: SubmissionRecord, jobId: string): Promise<SubmittedItem> {
	const { progress } = context;
	progress.setJobId(jobId);
	progress.confirmJob(jobId);
	markWhenStopped(context, record);
	logDecision(() => earlierTryLine(jobId));
	return { job: await readRecordedJob(context, record, jobId), record, ...reportOf(record.current) };
}

/** If the earlier try was stopped, a 404 would submit the item again: it counts only if it is repeated. */
async function readRecordedJob(context: SubmitContext, record: SubmissionRecord, jobId: string): Promise<Job> {
	const { connection, signal } = context;
	const { interface: sentOver, stoppedAt } = record.current;
	const within = isShuttingDown(context) ? AbortSignal.any([signal, clock.signalAfter(STOP_LIMIT_MS)]) : signal;
	const isMissing = (error: unknown): boolean => stoppedAt !== undefined && isNotFound(error);
	const readJob = async () => await connection.jobs.get(jobId, { signal: within });
	const read = await readAgainIfMissing(readJob, isMissing, READ_AGAIN_AFTER_MS, within);
	if (read.ok) return read.value;
	if (isShuttingDown(context) && read.error instanceof StoppedError) throw shutdownDuringWait(jobId);
	const isElsewhere = sentOver !== undefined && sentOver !== connection.interface && isNotFound(read.error);
	throw isElsewhere ? jobElsewhere(jobId, sentOver, connection.interface) : read.error;
}

/** The canceling of a stop may fail, or its answer may be lost. The mark lets a later try read what became of the job. */
function markWhenStopped({ settings, progress }: SubmitContext, record: SubmissionRecord): void {
	if (!settings.cancelOnStop) return;
	progress.whenStopped(() => {
		if (!progress.hasJobEnded) record.apply({ type: 'stopped', at: clock.wallNow() });
	});
}

function reportOf({ key, facts, isRecovered = false, mayExistSince }: ItemSubmission): Omit<SubmittedItem, 'job' | 'record'> {
	return { key, facts: { ...facts, ...(isRecovered && mayExistSince !== undefined && { recovered: true }) }, isRecovered };
}

/**
 * A custom key belongs to the user, an automatic one to this run and item. Some interfaces accept none.
 * @throws ItemFault if it cannot be known whether the item was sent before. A custom key does not depend on the data that n8n loses in a crash.
 */
function openRecord({ settings, connection }: SubmitContext, ledger: SubmissionLedger, hash: string): SubmissionRecord {
	const keyMode = connection.jobs.capabilities.canResubmit ? settings.keyMode : 'none';
	const customKey = keyMode === 'custom' ? readCustomKey(settings.customKey) : undefined;
	if (customKey === undefined) ledger.checkStart(hash);
	const seedKey = ledger.keyFor(hash);
	return ledger.open({ key: keyMode === 'none' ? null : (customKey ?? seedKey), seedKey, hash });
}

/** For a new submission, and for an unconfirmed one. */
async function submit(
	context: SubmitContext,
	ledger: SubmissionLedger,
	earlier: SubmissionRecord | undefined,
	request: SubmissionRequest,
): Promise<SubmittedItem> {
	const { execution, itemIndex, progress } = context;
	const extraData = readExtraData(context);
	const record = earlier ?? openRecord(context, ledger, request.hash);
	const { seedKey = ledger.keyFor(request.hash) } = record.current;
	markWhenStopped(context, record);
	reportKey(context, record);
	if (isShuttingDown(context)) throw shutdownFault(record.current);
	const prepared = prepareGraph(record.current, seedKey, request);
	const { graph, placeFiles } = await placeUnlessPool(context, prepared);
	if (!isUnconfirmed(record.current) || record.current.facts === undefined) record.update({ facts: prepared.facts ?? {} });
	const job = await send(context, ledger, record, { ...request, placeFiles }, { graph, extraData, madeBy: madeBy(execution, itemIndex) });
	const { seedKey: usedKey = seedKey } = record.current;
	if (usedKey !== seedKey) record.update({ facts: request.prepare(usedKey).facts });
	reportKey(context, record);
	progress.setJobId(job.job_id);
	progress.confirmJob(job.job_id);
	logDecision(() => submittedLine(job));
	return { job, record, ...reportOf(record.current) };
}

function reportKey({ progress }: SubmitContext, { current: { key } }: SubmissionRecord): void {
	if (key !== null) progress.add({ idempotency_key: key });
}

/** What was sent before is sent again as it was: the service recognizes its job by it. */
function prepareGraph({ key, state, facts }: ItemSubmission, seedKey: string, { prepare }: SubmissionRequest): PreparedGraph {
	if (state.kind !== 'unconfirmed' || state.sentGraph === undefined) return prepare(key ?? seedKey);
	return { graph: parseExact(state.sentGraph) as ApiGraph, facts };
}

/** Sends under the recorded key. Each step is recorded before anything else happens. */
async function send(
	context: SubmitContext,
	ledger: SubmissionLedger,
	record: SubmissionRecord,
	{ prepare, placeFiles }: SubmissionRequest & Pick<PreparedGraph, 'placeFiles'>,
	submission: Submission,
): Promise<Job> {
	const { connection, settings, shutdownSignal, progress } = context;
	// The graph of a pool depends on the server, so a later try prepares it again.
	const storableGraph = () => (isPool(connection) ? undefined : storableText(submission.graph));
	const { key, seedKey, openedAt, mayExistSince } = record.current;
	logDecision(() => submitsLine(key));
	const sentKey = connection.jobs.capabilities.canResubmit ? key : null;
	// A custom key stays the same, however often a job of it was stopped.
	const hasLaterKeys = sentKey === null || settings.keyMode !== 'custom';
	record.update({ interface: connection.interface });
	const laterKeys = ledger.laterKeys(record.current);
	const knownJobIds = ledger.claimedJobIds();
	const lostRecord =
		mayExistSince === undefined
			? undefined
			: {
					since: mayExistSince,
					laterIds: hasLaterKeys ? laterKeys : undefined,
					graphFor: async (laterKey: string) => (await placeUnlessPool(context, prepare(laterKey))).graph,
				};
	progress.whenStopped(() => {
		if (isUnconfirmed(record.current)) record.apply({ type: 'interrupted', sentGraph: storableGraph() });
	});
	const answer = await outcomeOf(
		connection.jobs.submit(submission, {
			submissionId: key ?? seedKey,
			idempotencyKey: sentKey ?? undefined,
			keyIsOurs: settings.keyMode === 'automatic',
			earlier: { answerLost: isUnconfirmed(record.current), firstSentAt: openedAt, lostRecord },
			knownJobIds,
			retryBudgetMs: settings.keepTryingForMs,
			signal: shutdownSignal,
			placement: placementOf(context, placeFiles),
			onEvent: (event) => record.apply(event.type === 'recovered' ? recoveredEvent(event.laterId, laterKeys) : event),
		}),
	);
	if (answer.ok) {
		record.apply({ type: 'accepted', jobId: answer.value.job_id });
		return answer.value;
	}
	const { error } = answer;
	const keepsGraph = isUnconfirmed(record.current) && !isAboutGraph(error);
	record.apply({ type: 'failed', madeNothing: madeNoJob(error), sentGraph: keepsGraph ? storableGraph() : undefined });
	if (isShuttingDown(context) && error instanceof StoppedError) throw shutdownFault(record.current);
	if (error instanceof ApiError) addContext(error, submission, settings);
	throw error;
}

const recoveredEvent = (laterKey: string | undefined, laterKeys: string[]): SubmissionEvent => ({
	type: 'recovered',
	later: laterKey === undefined ? undefined : { key: laterKey, lostStops: laterKeys.indexOf(laterKey) + 1 },
});

/** Whether the answer shows that the last attempt made no job. */
const madeNoJob = (error: unknown): boolean =>
	error instanceof ComfyError && !(error instanceof UnknownOutcomeError || error instanceof StoppedError);

/** A file that the graph names may be gone, so the graph has to be prepared again. */
const isAboutGraph = (error: unknown): boolean => error instanceof ApiError && [400, 422].includes(error.status);

/** n8n stores the text with the execution. A longer graph is prepared again by the next try. */
const MAX_STORED_CHARACTERS = 256 * 1024;

function storableText(graph: ApiGraph): string | undefined {
	const text = exactText(graph);
	return text.length <= MAX_STORED_CHARACTERS ? text : undefined;
}

/** What happened to a submission when n8n shut down. */
const shutdownFault = (submission: ItemSubmission): ItemFault =>
	isUnconfirmed(submission) ? shutdownDuringSubmission(submission.key) : shutdownBeforeSending();

/** For the words of the failure: the graph, and the field that limits how long it was tried. */
function addContext(error: ApiError, { graph }: Submission, { keepTryingField }: SubmitSettings): void {
	error.graph = graph;
	if (error.refusedWith !== undefined) error.refusedWith.field = keepTryingField;
}
