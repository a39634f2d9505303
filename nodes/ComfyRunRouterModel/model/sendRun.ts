import { ApiError, ConnectionError, NothingCameError, outcomeOf, type RouterRun } from '../../../client';
import type { RouterContext } from '../../shared/routerConnect';
import { markEnded, type RunEntry, type RunOrder } from './recordedRun';
import { uncountRun } from './runLimit';
import type { RunSettings } from './runSettings';

type RunContext = RouterContext<RunSettings>;

/** Whether a first answer says for certain that the model did not run. A 409 to a key of ours tells of an earlier run. */
function ranNothing(cause: unknown, keyMode: RunSettings['keyMode']): boolean {
	if (cause instanceof ConnectionError) return !cause.mayHaveArrived;
	if (!(cause instanceof ApiError) || cause.code === 'content_policy_violation') return false;
	return cause.status < 500 && (cause.status !== 409 || keyMode === 'custom');
}

/** The model does not take this input, which is never billed: so it was with the same input before. */
const tookNothing = (cause: unknown): boolean => cause instanceof ApiError && cause.code === 'invalid_input' && cause.status === 422;

/**
 * Does one thing for a recorded run; what is certain of its outcome is recorded before anything else happens.
 * @param ruledOut whether a failure shows that there is no run.
 */
export async function settled({ execution }: RunContext, entry: RunEntry, ruledOut: (error: unknown) => boolean, work: Promise<RouterRun>): Promise<RouterRun> {
	const outcome = await outcomeOf(work);
	if (outcome.ok) {
		entry.answered = true;
		return outcome.value;
	}
	const { error } = outcome;
	if (error instanceof NothingCameError || (tookNothing(error) && entry.queue_request_id !== undefined)) markEnded(entry);
	else if (tookNothing(error) || ruledOut(error)) entry.refused = true;
	if (entry.refused === true && entry.key !== null) uncountRun(execution, entry.key);
	throw error;
}

/** Sends a run under its recorded key. @param wasInDoubt whether it, or a part of it, was sent before. */
export async function send(context: RunContext, entry: RunEntry, order: RunOrder, wasInDoubt: boolean): Promise<RouterRun> {
	const { connection, settings, signal, known } = context;
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
	const options = { idempotencyKey: entry.key ?? '', maxWaitMs: settings.maxWaitMs, query, signal, firstSentAt: entry.sent_at, onSending, onMayHaveRun };
	const sent = order.isQueued ? connection.router.runQueued(model, input, { ...options, onSubmitted }) : connection.router.run(model, input, options);
	return await settled(context, entry, (error) => !wasSent || (!mayHaveRun && ranNothing(error, settings.keyMode)), sent);
}
