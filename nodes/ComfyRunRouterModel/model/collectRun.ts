import type { RouterRun } from '../../../client';
import { ItemFault } from '../../shared/operations';
import { inputIsGone, otherInputHint } from '../../shared/messages/router';
import type { RouterContext } from '../../shared/routerConnect';
import { orderHash, type RunEntry, type RunOrder, sentOrder } from './recordedRun';
import type { RunSettings } from './runSettings';
import { send, settled } from './sendRun';

/** A result, and what it is the result of. */
export interface Delivered {
	run: RouterRun;
	model: string;
	/** Undefined where nobody knows it any more. */
	input: Record<string, unknown> | undefined;
	/** An earlier try sent it, with another input than the item has now. */
	isOfEarlierInput: boolean;
}

/**
 * The result of what an earlier try has sent: a request that was accepted is read, anything else is sent once more just
 * as it was. An input that has changed, by a random expression for instance, is not sent.
 * @param now what would be sent now; undefined where that cannot be made.
 */
export async function collected(context: RouterContext<RunSettings>, entry: RunEntry, now: RunOrder | undefined): Promise<Delivered> {
	const { connection, settings, signal, known, execution, itemIndex } = context;
	const order = sentOrder(entry, now);
	const model = entry.sent?.model ?? settings.model;
	const { key, queue_request_id: id } = entry;
	Object.assign(known, { model, idempotency_key: key, ...(id !== undefined && { queue_request_id: id }) });
	let run: RouterRun;
	if (id !== undefined) {
		const options = { idempotencyKey: key ?? '', maxWaitMs: settings.maxWaitMs, signal };
		run = await settled(context, entry, () => false, connection.router.collect({ model, id }, options));
	} else if (order === undefined) {
		const [message, advice] = inputIsGone(key ?? '');
		throw new ItemFault(message, advice);
	} else {
		run = await send(context, entry, order, true);
	}
	const isOfEarlierInput = now === undefined || orderHash(now) !== entry.hash;
	if (isOfEarlierInput) execution.addExecutionHints({ message: otherInputHint(itemIndex) });
	return { run, model, input: order?.input, isOfEarlierInput };
}
