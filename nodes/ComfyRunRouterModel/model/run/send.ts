import { ApiError, ConnectionError, NoResultError, outcomeOf, type RouterRun, StoppedError } from '../../../../client';
import { KeyTakenError } from '../../../shared/messages/unknownOutcome';
import { leftRequest, leftRun, leftUnsent } from '../../../shared/messages/stopping';
import { noted } from '../../../shared/debugLog';
import { submitsLine } from '../../../shared/messages/logLines';
import { isLeft } from '../../../shared/operation';
import type { ItemFault } from '../../../shared/itemFault';
import type { RouterContext } from '../../../shared/connect/routerConnect';
import { isStopped, markEnded, type RunEntry, type RunOrder } from './recordedRun';
import { uncountRun } from './runLimit';
import type { ModelRunSettings } from './settings';

type RunContext = RouterContext<ModelRunSettings>;

/** Whether a first answer says for certain that the model did not run. A 409 to a key of ours tells of an earlier run. */
function ranNothing(cause: unknown, keyMode: ModelRunSettings['keyMode']): boolean {
	if (cause instanceof ConnectionError) return !cause.mayHaveArrived;
	if (!(cause instanceof ApiError) || cause.code === 'content_policy_violation') return false;
	return cause.status < 500 && (cause.status !== 409 || keyMode === 'custom');
}

/** The model does not take this input, which is never billed: so it was with the same input before. */
const tookNothing = (cause: unknown): boolean => cause instanceof ApiError && cause.code === 'invalid_input' && cause.status === 422;

/** The router knows the key with another input, or cannot tell its result again. It has not run this one. */
const isKeyTaken = (cause: unknown): cause is ApiError =>
	cause instanceof ApiError && cause.code === 'invalid_input' && cause.status === 409;

/** How a queued run stands that n8n has no time for any more. */
function leftWith({ key, queue_request_id: id, refused }: RunEntry): ItemFault {
	if (id !== undefined) return leftRequest(id, key);
	return refused === true ? leftUnsent() : leftRun(key);
}

/**
 * Does one thing for a recorded run; what is certain of its outcome is recorded before anything else happens.
 * @param ruledOut whether a failure shows that there is no run.
 */
export async function settled(
	context: RunContext,
	entry: RunEntry,
	ruledOut: (error: unknown) => boolean,
	work: Promise<RouterRun>,
): Promise<RouterRun> {
	const { execution, settings } = context;
	const outcome = await outcomeOf(work);
	if (outcome.ok) {
		entry.answered = true;
		return outcome.value;
	}
	const { error } = outcome;
	const isOfLostTry =
		isKeyTaken(error) && settings.keyMode === 'automatic' && entry.may_exist_since !== undefined && entry.answered !== true;
	const hasEnded = error instanceof NoResultError || (tookNothing(error) && entry.queue_request_id !== undefined);
	if (hasEnded || isStopped(entry, error)) markEnded(entry);
	else if (tookNothing(error) || isOfLostTry || ruledOut(error)) entry.refused = true;
	if (entry.refused === true && entry.key !== null) uncountRun(execution, entry.key);
	if (isLeft(context) && error instanceof StoppedError) throw leftWith(entry);
	throw isOfLostTry ? new KeyTakenError(entry.key, error) : error;
}

/** Sends a run under its recorded key. @param wasInDoubt whether it, or a part of it, was sent before. */
export async function send(context: RunContext, entry: RunEntry, order: RunOrder, wasInDoubt: boolean): Promise<RouterRun> {
	const { connection, settings, signal, leaving, known } = context;
	const { model, input, query } = order;
	let [wasSent, mayHaveRun] = [wasInDoubt, wasInDoubt];
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
		if (!wasInDoubt && entry.may_exist_since !== undefined) entry.recovered = true;
	};
	const options = {
		idempotencyKey: entry.key ?? '',
		maxWaitMs: settings.maxWaitMs,
		query,
		signal,
		firstSentAt: entry.sent_at,
		mayExistSince: entry.may_exist_since,
		onRecovered: onFound,
		onSending,
		onMayHaveRun,
	};
	noted(() => submitsLine(entry.key));
	const sent = order.isQueued
		? connection.router.runQueued(model, input, { ...options, shutdownSignal: leaving, onSubmitted })
		: connection.router.run(model, input, options);
	return await settled(context, entry, (error) => !wasSent || (!mayHaveRun && ranNothing(error, settings.keyMode)), sent);
}
