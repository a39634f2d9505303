/**
 * Submits one item once, in all tries of the node, also if n8n loses the data of the execution in a crash. The record of
 * the item (`itemSubmission.ts`) says what earlier tries did, and `planSubmission` decides what to do next.
 */
import {
	ApiError,
	clock,
	type InterfaceName,
	isNotFound,
	type Job,
	type Outcome,
	outcomeOf,
	readAgainIfMissing,
	STOP_LIMIT_MS,
	StoppedError,
} from '../../../../client';
import { logDecision } from '../../debugLog';
import { earlierTryLine, replacedLine } from '../../messages/logLines';
import { messages } from '../../messages/catalogue';
import type { RetryEffect } from '../../explain/jobs';
import { jobElsewhere, MissingJobError, OtherInterfaceError } from '../../explain/submission';
import { isShuttingDown, type ItemRun } from '../../operation';
import { isUnconfirmed, type ItemSubmission, jobIdOf } from '../../submission/itemSubmission';
import { MAX_LOST_JOBS, type SubmissionLedger, type SubmissionRecord } from '../../submission/ledger';
import { findRetryEffect } from './runAgain';
import { markWhenStopped, sendItem, type SubmissionRequest, type SubmittedItem, toSubmissionReport } from './sendItem';
import type { SendSettings } from './settings';
import { ItemFault } from '../../itemFault';

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
function planSubmission(earlier: ItemSubmission | undefined, connected: InterfaceName): SubmissionPlan {
	if (earlier === undefined) return { action: 'send' };
	const jobId = jobIdOf(earlier);
	if (jobId !== undefined) return { action: 'returnRecorded', jobId };
	if (!isUnconfirmed(earlier)) return { action: 'send' };
	const { key, interface: sentTo = connected } = earlier;
	if (sentTo !== connected) return { action: 'refuse', error: new OtherInterfaceError(key, sentTo, connected) };
	return { action: 'recover' };
}

/** @returns the job of the item, as its submission was answered or as the service reports it now. */
export async function submitOnce(
	item: ItemRun,
	settings: SendSettings,
	ledger: SubmissionLedger,
	request: SubmissionRequest,
): Promise<SubmittedItem> {
	for (let replaced = 0; ; replaced++) {
		const earlier = ledger.find(request.hash);
		const plan = planSubmission(earlier?.current, item.connection.interface);
		if (plan.action === 'refuse') throw plan.error;
		const wasStopped = earlier?.current.stoppedAt !== undefined;
		const outcome = await outcomeOf(
			earlier !== undefined && plan.action === 'returnRecorded'
				? returnRecorded(item, settings.cancelOnStop, earlier, plan.jobId)
				: sendItem(item, settings, ledger, earlier, request),
		);
		const record = outcome.ok ? outcome.value.record : earlier;
		const jobId = record && jobIdOf(record.current);
		const isOfEarlierTry = plan.action === 'returnRecorded' || (outcome.ok && outcome.value.isOfLostTry && replaced < MAX_LOST_JOBS);
		const isCanceledByStop = wasStopped && isCanceled(outcome);
		const effect =
			!isCanceledByStop && isOfEarlierTry && hasNoResult(outcome)
				? await readRetryEffect(item, settings, ledger.seedKeyFor(request.hash), request)
				: undefined;
		if (record === undefined || jobId === undefined || !(isCanceledByStop || effect === 'runsAgain')) {
			if (!outcome.ok) throw withRetryEffect(outcome.error, effect);
			return outcome.value;
		}
		logDecision(() => replacedLine(jobId, wasStopped));
		record.apply({ type: 'replaced' });
		item.progress.dropJob(jobId);
	}
}

const readRetryEffect = async (
	item: ItemRun,
	settings: SendSettings,
	seedKey: string,
	{ prepare }: SubmissionRequest,
): Promise<RetryEffect> =>
	await findRetryEffect(item, settings, async () => {
		const prepared = await outcomeOf((async () => await prepare(seedKey))());
		return prepared.ok ? prepared.value.graph : undefined;
	});

/** Says of a job that the service no longer has why it does not run again. */
const withRetryEffect = (error: unknown, effect: RetryEffect | undefined): unknown =>
	effect !== undefined && error instanceof ApiError && isNotFound(error) ? new MissingJobError(error, effect) : error;

/** A self-hosted proxy reports `expired` for a job that was taken out of its queue. An engine does not know it any more. */
const isCanceled = (outcome: Outcome<SubmittedItem>): boolean =>
	outcome.ok ? ['canceling', 'canceled', 'expired'].includes(outcome.value.job.status) : isNotFound(outcome.error);

/** Whether the job has failed, or the service has lost it. */
const hasNoResult = (outcome: Outcome<SubmittedItem>): boolean =>
	outcome.ok ? ['failed', 'expired'].includes(outcome.value.job.status) : isNotFound(outcome.error);

const READ_AGAIN_AFTER_MS = 1_000;

/** Returns the job that an earlier try has submitted. */
async function returnRecorded(item: ItemRun, cancelOnStop: boolean, record: SubmissionRecord, jobId: string): Promise<SubmittedItem> {
	const { progress } = item;
	progress.setJobId(jobId);
	progress.confirmJob(jobId);
	markWhenStopped(item, cancelOnStop, record);
	logDecision(() => earlierTryLine(jobId));
	return { job: await readRecordedJob(item, record, jobId), record, ...toSubmissionReport(record.current), isOfLostTry: false };
}

/** A 404 may submit the item again, so it counts only if it is repeated. */
async function readRecordedJob(item: ItemRun, record: SubmissionRecord, jobId: string): Promise<Job> {
	const { connection, signal } = item;
	const { interface: sentTo } = record.current;
	const readSignal = isShuttingDown(item) ? AbortSignal.any([signal, clock.signalAfter(STOP_LIMIT_MS)]) : signal;
	const readJob = async () => await connection.jobs.get(jobId, { signal: readSignal });
	const read = await readAgainIfMissing(readJob, isNotFound, READ_AGAIN_AFTER_MS, readSignal);
	if (read.ok) return read.value;
	if (isShuttingDown(item) && read.error instanceof StoppedError) throw new ItemFault(messages.SHUTDOWN_DURING_WAIT(jobId));
	const isElsewhere = sentTo !== undefined && sentTo !== connection.interface && isNotFound(read.error);
	throw isElsewhere ? jobElsewhere(jobId, sentTo, connection.interface) : read.error;
}
