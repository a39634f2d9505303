import { ApiError, ConnectionError, NoResultError, outcomeOf, type RouterRun, StoppedError } from '../../../../client';
import { KeyTakenError } from '../../../shared/explain/submission';
import { messages } from '../../../shared/messages/catalogue';
import { logDecision } from '../../../shared/debugLog';
import { submitsLine } from '../../../shared/messages/logLines';
import type { RouterItem } from '../../../shared/connect/routerConnections';
import { isShuttingDown } from '../../../shared/operation';
import { ItemFault } from '../../../shared/itemFault';
import { jobIdOf, type ItemSubmission, type SubmissionEvent } from '../../../shared/submission/itemSubmission';
import type { SubmissionRecord } from '../../../shared/submission/ledger';
import { settleRun, uncountRun } from './openRuns';
import { type RunOrder, wasStopped } from './recordedRun';
import type { ModelRunSettings } from './settings';

/** Whether the first answer proves that the model did not run. A 409 for an automatic key shows that an earlier run exists. */
function provesNoRun(cause: unknown, keyMode: ModelRunSettings['keyMode']): boolean {
	if (cause instanceof ConnectionError) return !cause.mayHaveArrived;
	if (!(cause instanceof ApiError) || cause.code === 'content_policy_violation') return false;
	return cause.status < 500 && (cause.status !== 409 || keyMode === 'custom');
}

/** The model rejected the input, which is never billed. An earlier try with the same input was rejected too. */
const isInputRejected = (cause: unknown): boolean => cause instanceof ApiError && cause.code === 'invalid_input' && cause.status === 422;

/** The router knows the key with another input, or no longer has its result. It has not run the model now. */
const isKeyTaken = (cause: unknown): cause is ApiError =>
	cause instanceof ApiError && cause.code === 'invalid_input' && cause.status === 409;

/** The failure of a queued run that n8n has no more time for. */
function shutdownFault(submission: ItemSubmission): ItemFault {
	const { key, state } = submission;
	const requestId = jobIdOf(submission);
	if (requestId !== undefined) return new ItemFault(messages.SHUTDOWN_DURING_REQUEST(requestId, key));
	return new ItemFault(state.kind === 'notSubmitted' ? messages.SHUTDOWN_BEFORE_SENDING() : messages.SHUTDOWN_DURING_RUN(key));
}

/** An earlier try, whose record n8n has lost, has used the key with another input. */
const isOfLostTry = (error: unknown, { mayExistSince, state }: ItemSubmission, keyMode: ModelRunSettings['keyMode']): boolean =>
	isKeyTaken(error) && keyMode === 'automatic' && mayExistSince !== undefined && state.kind !== 'answered';

/** What the failure of a run means for its record. */
function eventOfFailure(error: unknown, submission: ItemSubmission, keyMode: ModelRunSettings['keyMode']): SubmissionEvent {
	const hasEnded = error instanceof NoResultError || (isInputRejected(error) && jobIdOf(submission) !== undefined);
	if (hasEnded || wasStopped(submission, error)) return { type: 'ended' };
	if (isInputRejected(error) || isOfLostTry(error, submission, keyMode)) return { type: 'neverSubmitted' };
	return { type: 'failed', madeNothing: provesNoRun(error, keyMode) };
}

/** Waits for a run, and records what is certain of its outcome before anything else happens. */
export async function recordResult(
	item: RouterItem,
	keyMode: ModelRunSettings['keyMode'],
	record: SubmissionRecord,
	running: Promise<RouterRun>,
): Promise<RouterRun> {
	const outcome = await outcomeOf(running);
	if (outcome.ok) {
		record.apply({ type: 'answered' });
		settleRun(item.execution, record.current.key ?? '', outcome.value.facts.cost_usd);
		return outcome.value;
	}
	const { error } = outcome;
	const before = record.current;
	record.apply(eventOfFailure(error, before, keyMode));
	const { key, state } = record.current;
	if (state.kind === 'notSubmitted' && key !== null)
		uncountRun(item.execution, key, wasStopped(before, error) || isOfLostTry(error, before, keyMode));
	if (isShuttingDown(item) && error instanceof StoppedError) throw shutdownFault(record.current);
	throw isKeyTaken(error) && isOfLostTry(error, before, keyMode) ? new KeyTakenError(key, error) : error;
}

/** Sends a run under its recorded key; again, if an earlier try may have sent it. */
export async function sendRun(
	item: RouterItem,
	{ keyMode, maxWaitMs }: ModelRunSettings,
	record: SubmissionRecord,
	order: RunOrder,
): Promise<RouterRun> {
	const { connection, signal, shutdownSignal, progress } = item;
	const { model, input, query } = order;
	const { key, openedAt, mayExistSince, state } = record.current;
	const isFirstTry = state.kind === 'notSubmitted';
	const options = {
		idempotencyKey: key ?? '',
		maxWaitMs,
		query,
		signal,
		firstSentAt: openedAt,
		mayExistSince,
		onRecovered: () => {
			if (isFirstTry && mayExistSince !== undefined) record.apply({ type: 'recovered' });
		},
		onSending: () => record.apply({ type: 'sending' }),
		onMayHaveRun: () => record.apply({ type: 'answerLost' }),
	};
	const onSubmitted = ({ id, request_id }: { id: string; request_id: string | null }) => {
		record.apply({ type: 'accepted', jobId: id, isUnreported: true });
		progress.add({ queue_request_id: id, request_id });
	};
	logDecision(() => submitsLine(key));
	const running = order.isQueued
		? connection.router.runQueued(model, input, { ...options, shutdownSignal, onSubmitted })
		: connection.router.run(model, input, options);
	return await recordResult(item, keyMode, record, running);
}
