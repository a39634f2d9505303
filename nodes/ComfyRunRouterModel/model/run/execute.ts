import type { IDataObject } from 'n8n-workflow';

import { outcomeOf, type RouterRun, withNumbersAsText } from '../../../../client';
import { customKey } from '../../../shared/submission/customKeys';
import { knowPlace } from '../../../shared/execution/place';
import { inputIsGone, otherInputHint } from '../../../shared/messages/unknownOutcome';
import { leftUnsent } from '../../../shared/messages/stopping';
import { isLeft, type ItemResult } from '../../../shared/operation';
import { ItemFault } from '../../../shared/itemFault';
import type { RouterContext } from '../../../shared/connect/routerConnect';
import { markStopped, SubmissionLedger } from '../../../shared/submission/submissionLedger';
import { bytesFile, fileStem, withFields } from '../../itemFiles';
import { hintAtCharges } from './hints';
import { type Wish, wishOf } from './input';
import { type AskedRun, isStopped, record, type RunEntry, sentOrder } from './recordedRun';
import { resultFiles } from './resultFiles';
import { countRun } from './runLimit';
import { send, settled } from './send';
import type { ModelRunSettings } from './settings';

type RunContext = RouterContext<ModelRunSettings>;

/**
 * It holds no input, so that a retry of an execution of which n8n lost everything has the same, whatever its input has
 * become. A request that has ended keeps its key: the one in its place gets another. A custom key belongs to the user.
 */
const keyFor = ({ settings, itemIndex }: RunContext, ledger: SubmissionLedger, hash: string): string =>
	settings.keyMode === 'custom' ? customKey(settings.customKey) : ledger.keyFor(itemIndex, hash);

/** A result, and what it is the result of. */
interface Delivered {
	run: RouterRun;
	model: string;
	/** Undefined where nobody knows it any more. */
	input: Record<string, unknown> | undefined;
	/** An earlier try sent it, with another input than the item has now. */
	isOfEarlierInput: boolean;
	/** What its item tells beside that; with `recovered`, where an execution had sent it of which n8n lost everything. */
	facts: IDataObject;
}

const factsOf = ({ facts, recovered }: RunEntry): IDataObject => ({ ...facts, ...(recovered === true && { recovered }) });

/** Recorded before it is sent. */
async function runAnew(context: RunContext, ledger: SubmissionLedger, asked: AskedRun): Promise<Delivered> {
	const { execution, settings, itemIndex, known } = context;
	const { order, hash } = asked;
	if (settings.keyMode !== 'custom') ledger.checkStart(itemIndex, hash);
	const key = keyFor(context, ledger, hash);
	Object.assign(known, asked.facts, { idempotency_key: key });
	countRun(execution, key, settings.runLimit);
	const entry: RunEntry = ledger.open(itemIndex, key, hash);
	record(entry, asked);
	context.atStop(() => markStopped(entry));
	const [run] = await Promise.all([send(context, entry, order, false), hintAtCharges(context)]);
	return { run, model: order.model, input: order.input, isOfEarlierInput: false, facts: factsOf(entry) };
}

/**
 * The result of what an earlier try has sent: a request that was accepted is read, anything else is sent once more just
 * as it was. An input that has changed, by a random expression for instance, is not sent.
 * @param now what would be sent now; undefined where that cannot be made.
 */
async function collected(context: RunContext, entry: RunEntry, now: AskedRun | undefined): Promise<Delivered> {
	const { connection, settings, signal, leaving, known, execution, itemIndex } = context;
	const order = sentOrder(entry, now);
	const model = entry.sent?.model ?? settings.model;
	const { key, queue_request_id: id } = entry;
	Object.assign(known, { model, idempotency_key: key, ...(id !== undefined && { queue_request_id: id }) });
	context.atStop(() => markStopped(entry));
	let run: RouterRun;
	if (id !== undefined) {
		const options = { idempotencyKey: key ?? '', maxWaitMs: settings.maxWaitMs, signal, shutdownSignal: leaving };
		run = await settled(context, entry, () => false, connection.router.collect({ model, id }, options));
	} else if (order === undefined) {
		const [message, advice] = inputIsGone(key ?? '');
		throw new ItemFault(message, advice);
	} else {
		run = await send(context, entry, order, true);
	}
	const isOfEarlierInput = now?.hash !== entry.hash;
	if (isOfEarlierInput) execution.addExecutionHints({ message: otherInputHint(itemIndex) });
	return { run, model, input: order?.input, isOfEarlierInput, facts: factsOf(entry) };
}

/** Whatever has been sent for the item is collected, also where its input cannot be made again. */
async function runOnce(context: RunContext): Promise<Delivered> {
	const { execution, settings, itemIndex, isTool, known } = context;
	await knowPlace(execution);
	const ledger = new SubmissionLedger(execution, isTool);
	const made = await outcomeOf(wishOf(context));
	const earlier: RunEntry | undefined = ledger.find(itemIndex, made.ok ? made.value.hash : '');
	const drawn = ({ hash, drawnFrom }: Wish): AskedRun => drawnFrom(earlier?.draw_key ?? keyFor(context, ledger, hash));
	if (earlier !== undefined && earlier.refused !== true) {
		const delivered = await outcomeOf(collected(context, earlier, made.ok ? drawn(made.value) : undefined));
		if (delivered.ok) {
			await hintAtCharges(context);
			return delivered.value;
		}
		if (!isStopped(earlier, delivered.error)) throw delivered.error;
		delete known.queue_request_id;
	}
	if (!made.ok) throw made.error;
	if (settings.isQueued && isLeft(context)) throw leftUnsent();
	return await runAnew(context, ledger, drawn(made.value));
}

/** The model's output as it came, with the router's facts beside it. */
async function runItem(
	context: RunContext,
	{ run: { facts, output }, model, input, isOfEarlierInput, facts: ofItem }: Delivered,
): Promise<ItemResult> {
	const { settings, known } = context;
	const { binaryField, downloadFiles } = settings;
	const json: IDataObject = { model, ...(facts as unknown as IDataObject), ...ofItem };
	if (known.queue_request_id !== undefined) json.queue_request_id = known.queue_request_id;
	if (isOfEarlierInput) json.sent_input = withNumbersAsText(input ?? null) as IDataObject | null;
	if (output.kind === 'bytes') {
		const { binary, files } = withFields([await bytesFile(context, model, output)], binaryField);
		return { json: { ...json, output: null, files }, binary };
	}
	json.output = output.value as IDataObject;
	if (!downloadFiles) return { json };
	const found = await resultFiles(context, output.value, input, fileStem(model));
	if (found.length === 0) return { json };
	const { binary, files } = withFields(found, binaryField);
	return { json: { ...json, files }, binary };
}

/** Runs the model once for an item, however often n8n tries the node. */
export async function execute(context: RunContext): Promise<ItemResult> {
	const { settings, known } = context;
	known.model = settings.model;
	const delivered = await runOnce(context);
	known.request_id = delivered.run.facts.request_id;
	return await runItem(context, delivered);
}
