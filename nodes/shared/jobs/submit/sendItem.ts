/**
 * Sends the submission of one item under its recorded key. Each step is recorded before anything else happens.
 */
import type { IDataObject } from 'n8n-workflow';

import {
	ApiError,
	type ApiGraph,
	clock,
	ComfyError,
	exactText,
	type Job,
	outcomeOf,
	parseExact,
	StoppedError,
	type NewJob,
	type SubmitOptions,
	UnknownOutcomeError,
} from '../../../../client';
import { logDecision } from '../../debugLog';
import { warnOnce } from '../../hints';
import { ItemFault } from '../../itemFault';
import { submitsLine, submittedLine } from '../../messages/logLines';
import { messages } from '../../messages/catalogue';
import { isShuttingDown, type ItemRun } from '../../operation';
import { isUnconfirmed, type ItemSubmission, type SubmissionEvent } from '../../submission/itemSubmission';
import { readCustomKey } from '../../submission/keys';
import type { SubmissionLedger, SubmissionRecord } from '../../submission/ledger';
import { toMadeBy } from '../jobItems';
import { isPool, toPlacementOptions, placeFilesUnlessPool, type PreparedGraph } from './placement';
import { keyModeOf } from './runAgain';
import { readExtraData, type SendSettings } from './settings';

/** What an item requests. */
export interface SubmissionRequest {
	/** The hash of the request, before seeds are chosen and files are uploaded. An agent's call is recognized by it. */
	hash: string;
	/** See `NewJob`. The hash does not depend on it. */
	toEditorFile?: NewJob['toEditorFile'];
	/**
	 * Called only before something is sent.
	 * @param seedKey the same in every try of this item, also for a job that takes the place of another, and different for every
	 *   other item. Seeds are derived from it.
	 */
	prepare(seedKey: string): PreparedGraph | Promise<PreparedGraph>;
}

/** What output items report about a submission. */
interface SubmissionReport {
	/** The idempotency key; null if none was sent. */
	key: string | null;
	/** With `recovered` if an execution made the job whose record n8n has lost. */
	facts: IDataObject;
	/** The job was made earlier, possibly from a different input than the item has now. */
	isRecovered: boolean;
}

export interface SubmittedItem extends SubmissionReport {
	job: Job;
	record: SubmissionRecord;
	/** The job was made by an earlier try whose record n8n has lost. */
	isOfLostTry: boolean;
}

/** The canceling of a stop may fail, or its answer may be lost. The mark lets a later try read what became of the job. */
export function markWhenStopped({ progress }: ItemRun, cancelOnStop: boolean, record: SubmissionRecord): void {
	if (!cancelOnStop) return;
	progress.whenStopped(() => {
		if (!progress.hasJobEnded) record.apply({ type: 'stopped', at: clock.wallNow() });
	});
}

export function toSubmissionReport({ key, facts, isRecovered = false, mayExistSince }: ItemSubmission): SubmissionReport {
	return { key, facts: { ...facts, ...(isRecovered && mayExistSince !== undefined && { recovered: true }) }, isRecovered };
}

/**
 * A custom key belongs to the user, an automatic one to this run and item. Some interfaces accept none.
 * @throws ItemFault if it cannot be known whether the item was sent before. A custom key does not depend on the data that n8n loses in a crash.
 */
function openRecord(
	keyMode: SendSettings['keyMode'],
	{ customKey: entered }: SendSettings,
	ledger: SubmissionLedger,
	hash: string,
): SubmissionRecord {
	const customKey = keyMode === 'custom' ? readCustomKey(entered) : undefined;
	if (customKey === undefined) ledger.checkStart();
	const key = keyMode === 'none' ? null : (customKey ?? ledger.keyFor(hash));
	return ledger.open({ key, seedKey: customKey ?? ledger.seedKeyFor(hash), hash });
}

/** Sends a new submission, or an unconfirmed one again. @param earlier the record of an earlier try. */
export async function sendItem(
	item: ItemRun,
	settings: SendSettings,
	ledger: SubmissionLedger,
	earlier: SubmissionRecord | undefined,
	request: SubmissionRequest,
): Promise<SubmittedItem> {
	const { connection, progress } = item;
	const extraData = readExtraData(item, settings);
	const keyMode = keyModeOf(settings, connection);
	const record = earlier === undefined ? openRecord(keyMode, settings, ledger, request.hash) : ledger.resume(earlier);
	const { seedKey = ledger.seedKeyFor(request.hash) } = record.current;
	markWhenStopped(item, settings.cancelOnStop, record);
	reportKey(item, record);
	if (isShuttingDown(item)) throw toShutdownFault(record.current);
	const prepared = await prepareGraph(record.current, seedKey, request);
	const { graph, placeFiles, comparable } = await placeFilesUnlessPool(connection, prepared);
	if (!isUnconfirmed(record.current)) record.apply({ type: 'described', facts: prepared.facts });
	const submission = { graph, extraData, toEditorFile: request.toEditorFile, madeBy: toMadeBy(item.execution, item.itemIndex) };
	const { job, isOfLostTry } = await send(item, settings, ledger, record, { submission, placeFiles, comparable });
	reportKey(item, record);
	progress.setJobId(job.job_id);
	progress.confirmJob(job.job_id);
	logDecision(() => submittedLine(job));
	return { job, record, ...toSubmissionReport(record.current), isOfLostTry };
}

function reportKey({ progress }: ItemRun, { current: { key } }: SubmissionRecord): void {
	if (key !== null) progress.add({ idempotency_key: key });
}

/** What was sent before is sent again as it was: the service recognizes its job by it. */
async function prepareGraph({ state, facts }: ItemSubmission, seedKey: string, { prepare }: SubmissionRequest): Promise<PreparedGraph> {
	if (state.kind !== 'unconfirmed' || state.sentGraph === undefined) return await prepare(seedKey);
	return { graph: parseExact(state.sentGraph) as ApiGraph, facts };
}

/** What earlier tries may have sent. If n8n has lost the record of one, the service is searched for its job under each later key. */
function describeEarlierAttempts(
	submission: ItemSubmission,
	keyMode: SendSettings['keyMode'],
	laterKeys: string[],
): SubmitOptions['earlier'] {
	const { openedAt, mayExistSince } = submission;
	const attempts = { answerLost: isUnconfirmed(submission), firstSentAt: openedAt };
	if (mayExistSince === undefined) return attempts;
	// A custom key that is sent stays the same, however often a job of it was replaced.
	const hasLaterKeys = keyMode !== 'custom';
	return { ...attempts, lostRecord: { since: mayExistSince, laterIds: hasLaterKeys ? laterKeys : undefined } };
}

interface PreparedSubmission extends Pick<PreparedGraph, 'placeFiles' | 'comparable'> {
	submission: NewJob;
}

async function send(
	item: ItemRun,
	settings: SendSettings,
	ledger: SubmissionLedger,
	record: SubmissionRecord,
	{ submission, placeFiles, comparable }: PreparedSubmission,
): Promise<Pick<SubmittedItem, 'job' | 'isOfLostTry'>> {
	const { connection, shutdownSignal, progress } = item;
	const { key, hash } = record.current;
	logDecision(() => submitsLine(key));
	if (settings.queuePosition === 'front' && connection.interface !== 'engine') warnOnce(item.execution, messages.NO_QUEUE_FRONT());
	record.apply({ type: 'addressed', interface: connection.interface });
	const laterKeys = record.current.mayExistSince === undefined ? [] : ledger.laterKeys(record.current);
	// The graph of a pool depends on the server, so a later try prepares it again.
	const storableGraph = () => (isPool(connection) ? undefined : toStorableText(submission.graph));
	progress.whenStopped(() => {
		if (isUnconfirmed(record.current)) record.apply({ type: 'interrupted', sentGraph: storableGraph() });
	});
	const answer = await outcomeOf(
		connection.jobs.submit(submission, {
			submissionId: key ?? ledger.keyFor(hash),
			idempotencyKey: connection.jobs.capabilities.canResubmit ? (key ?? undefined) : undefined,
			keyIsOurs: settings.keyMode === 'automatic',
			earlier: describeEarlierAttempts(record.current, keyModeOf(settings, connection), laterKeys),
			knownJobIds: ledger.claimedJobIds,
			atFront: settings.queuePosition === 'front',
			retryBudgetMs: settings.keepTryingForMs,
			signal: shutdownSignal,
			placement: toPlacementOptions(item, settings, { placeFiles, comparable }),
			onEvent: (event) => record.apply(event.type === 'recovered' ? toRecoveredEvent(event.laterId, laterKeys) : event),
		}),
	);
	if (answer.ok) {
		const { state, isRecovered, mayExistSince } = record.current;
		// If an answer was lost, the job may be of this try.
		const isOfLostTry = isRecovered === true && mayExistSince !== undefined && state.kind !== 'unconfirmed';
		record.apply({ type: 'accepted', jobId: answer.value.job_id });
		return { job: answer.value, isOfLostTry };
	}
	const { error } = answer;
	const keepsGraph = isUnconfirmed(record.current) && !isAboutGraph(error);
	record.apply({ type: 'failed', madeNothing: madeNoJob(error), sentGraph: keepsGraph ? storableGraph() : undefined });
	if (isShuttingDown(item) && error instanceof StoppedError) throw toShutdownFault(record.current);
	throw error instanceof ApiError ? withErrorContext(error, submission, settings) : error;
}

const toRecoveredEvent = (laterKey: string | undefined, laterKeys: string[]): SubmissionEvent => ({
	type: 'recovered',
	later: laterKey === undefined ? undefined : { key: laterKey, lostJobs: laterKeys.indexOf(laterKey) + 1 },
});

/** Whether the answer shows that the last attempt made no job. */
const madeNoJob = (error: unknown): boolean =>
	error instanceof ComfyError && !(error instanceof UnknownOutcomeError || error instanceof StoppedError);

/** A file that the graph names may be gone, so the graph has to be prepared again. */
const isAboutGraph = (error: unknown): boolean => error instanceof ApiError && [400, 422].includes(error.status);

/** n8n stores the text with the execution. A longer graph is prepared again by the next try. */
const MAX_STORED_CHARACTERS = 256 * 1024;

function toStorableText(graph: ApiGraph): string | undefined {
	const text = exactText(graph);
	return text.length <= MAX_STORED_CHARACTERS ? text : undefined;
}

/** What happened to a submission when n8n shut down. */
const toShutdownFault = (submission: ItemSubmission): ItemFault =>
	new ItemFault(isUnconfirmed(submission) ? messages.SHUTDOWN_DURING_SUBMISSION(submission.key) : messages.SHUTDOWN_BEFORE_SENDING());

/**
 * Returns a copy of the error with what its message needs: the graph, and the field that limits how long it was tried. Several items
 * may share the error of one request.
 */
function withErrorContext(error: ApiError, { graph }: NewJob, { keepTryingField }: SendSettings): ApiError {
	const { message, cause, refusedWith } = error;
	const context = { graph, refusedWith: refusedWith && { ...refusedWith, field: keepTryingField } };
	return Object.assign(new ApiError({ ...error, message, cause }), error, context);
}
