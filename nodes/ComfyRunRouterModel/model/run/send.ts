import { ApiError, ConnectionError, NothingCameError, outcomeOf, type RouterRun, StoppedError } from '../../../../client';
import { KeyTakenError } from '../../../shared/messages/unknownOutcome';
import { shutdownDuringRequest, shutdownDuringRun, shutdownBeforeSending } from '../../../shared/messages/stopping';
import { logDecision } from '../../../shared/debugLog';
import { submitsLine } from '../../../shared/messages/logLines';
import { isShuttingDown } from '../../../shared/operation';
import type { ItemFault } from '../../../shared/itemFault';
import { isStopped, markEnded, type RunEntry, type RunOrder, uncountRun } from './recordedRun';
import type { ModelRunContext, ModelRunSettings } from './settings';

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

/** Returns the fault for a queued run that did not finish before n8n shuts down. */
function shutdownFault({ key, queue_request_id: id, refused }: RunEntry): ItemFault {
	if (id !== undefined) return shutdownDuringRequest(id, key);
	return refused === true ? shutdownBeforeSending() : shutdownDuringRun(key);
}

/**
 * Waits for a request of a recorded run, and records what is certain about its outcome before anything else happens.
 * @param provesNothingRan whether an error shows that there is no run.
 */
export async function recordOutcome(
	context: ModelRunContext,
	entry: RunEntry,
	provesNothingRan: (error: unknown) => boolean,
	request: Promise<RouterRun>,
): Promise<RouterRun> {
	const { execution, settings } = context;
	const outcome = await outcomeOf(request);
	if (outcome.ok) {
		entry.answered = true;
		return outcome.value;
	}
	const { error } = outcome;
	const isOfLostTry =
		isKeyTaken(error) && settings.keyMode === 'automatic' && entry.may_exist_since !== undefined && entry.answered !== true;
	const hasEnded = error instanceof NothingCameError || (isInputRejected(error) && entry.queue_request_id !== undefined);
	if (hasEnded || isStopped(entry, error)) markEnded(entry);
	else if (isInputRejected(error) || isOfLostTry || provesNothingRan(error)) entry.refused = true;
	if (entry.refused === true && entry.key !== null) uncountRun(execution, entry.key);
	if (isShuttingDown(context) && error instanceof StoppedError) throw shutdownFault(entry);
	throw isOfLostTry ? new KeyTakenError(entry.key, error) : error;
}

/** Sends a run with its recorded key. @param mayExist whether an earlier try may have sent it. */
export async function sendRun(context: ModelRunContext, entry: RunEntry, order: RunOrder, mayExist: boolean): Promise<RouterRun> {
	const { connection, settings, signal, leaving, known } = context;
	const { model, input, query } = order;
	let wasSent = mayExist;
	let mayHaveRun = mayExist;
	const onSending = () => {
		wasSent = true;
	};
	const onMayHaveRun = () => {
		mayHaveRun = true;
	};
	const onSubmitted = ({ id, request_id }: { id: string; request_id: string | null }) => {
		onMayHaveRun();
		entry.queue_request_id = id;
		Object.assign(known, { queue_request_id: id, request_id });
	};
	const onFound = () => {
		if (!mayExist && entry.may_exist_since !== undefined) entry.recovered = true;
	};
	const options = {
		idempotencyKey: entry.key ?? '',
		maxWaitMs: settings.maxWaitMs,
		query,
		signal,
		firstSentAt: entry.sent_at,
		mayExistSince: entry.may_exist_since,
		onFound,
		onSending,
		onMayHaveRun,
	};
	logDecision(() => submitsLine(entry.key));
	const sent = order.isQueued
		? connection.router.runQueued(model, input, { ...options, leaving, onSubmitted })
		: connection.router.run(model, input, options);
	return await recordOutcome(context, entry, (error) => !wasSent || (!mayHaveRun && provesNoRun(error, settings.keyMode)), sent);
}
