import type { IDataObject } from 'n8n-workflow';

import { clock, outcomeOf, type RouterRun, withNumbersAsText } from '../../../../client';
import { inputIsGone, otherInputHint } from '../../../shared/messages/unknownOutcome';
import { leftUnsent } from '../../../shared/messages/stopping';
import { isLeft, type ItemResult } from '../../../shared/operation';
import { ItemFault } from '../../../shared/itemFault';
import type { RouterContext } from '../../../shared/connect/routerConnect';
import { jobIdOf } from '../../../shared/submission/itemSubmission';
import { readCustomKey } from '../../../shared/submission/keys';
import { openLedger, type SubmissionLedger, type SubmissionRecord } from '../../../shared/submission/ledger';
import { bytesFile, fileStem, withFields } from '../../itemFiles';
import { hintAtCharges } from './hints';
import { type Wish, wishOf } from './input';
import { type RequestedRun, sentOrder, toStoredOrder, wasStopped } from './recordedRun';
import { resultFiles } from './resultFiles';
import { countRun } from './runLimit';
import { recordResult, send } from './send';
import type { ModelRunSettings } from './settings';

type RunContext = RouterContext<ModelRunSettings>;

/**
 * The key does not depend on the input, so that a retry of an execution whose record n8n has lost has the same key even if
 * the input has changed. A request that has ended uses up its key, and its replacement gets another. A custom key belongs to
 * the user and stays the same.
 */
const keyFor = ({ settings, itemIndex }: RunContext, ledger: SubmissionLedger, hash: string): string =>
	settings.keyMode === 'custom' ? readCustomKey(settings.customKey) : ledger.keyFor(itemIndex, hash);

/** A result, and the request that it belongs to. */
interface DeliveredRun {
	run: RouterRun;
	model: string;
	/** Undefined if it is not known any more. */
	input: Record<string, unknown> | undefined;
	/** An earlier try sent it, with another input than the item has now. */
	isOfEarlierInput: boolean;
	queueRequestId: string | undefined;
	/** What the output item reports beside the result; with `recovered` if an execution had sent it whose record n8n has lost. */
	facts: IDataObject;
}

const factsOf = ({ current: { facts, isRecovered } }: SubmissionRecord): IDataObject => ({
	...facts,
	...(isRecovered === true && { recovered: true }),
});

const markWhenStopped = ({ progress }: RunContext, record: SubmissionRecord): void =>
	progress.whenStopped(() => record.apply({ type: 'stopped', at: clock.wallNow() }));

/** The run is recorded before it is sent. */
async function startRun(context: RunContext, ledger: SubmissionLedger, requested: RequestedRun): Promise<DeliveredRun> {
	const { execution, settings, itemIndex, progress } = context;
	const { order, hash, seedKey, facts } = requested;
	if (settings.keyMode !== 'custom') ledger.checkStart(itemIndex, hash);
	const key = keyFor(context, ledger, hash);
	progress.add({ ...facts, idempotency_key: key });
	countRun(execution, key, settings.runLimit);
	const record = ledger.open(itemIndex, { key, hash, seedKey, facts, order: toStoredOrder(order) });
	markWhenStopped(context, record);
	const [run] = await Promise.all([send(context, record, order), hintAtCharges(context)]);
	const { model, input } = order;
	return { run, model, input, isOfEarlierInput: false, queueRequestId: jobIdOf(record.current), facts: factsOf(record) };
}

/**
 * Gets the result of what an earlier try has sent. A queued request is read; anything else is sent again as it was. If the
 * input has changed, for example by a random expression, the new input is not sent.
 * @param now what would be sent now; undefined if that cannot be prepared.
 */
async function collectRun(context: RunContext, record: SubmissionRecord, now: RequestedRun | undefined): Promise<DeliveredRun> {
	const { connection, settings, signal, leaving, progress, execution, itemIndex } = context;
	const { key, hash, order: recorded } = record.current;
	const order = sentOrder(record.current, now);
	const model = typeof recorded?.model === 'string' ? recorded.model : settings.model;
	const id = jobIdOf(record.current);
	progress.add({ model, idempotency_key: key, ...(id !== undefined && { queue_request_id: id }) });
	markWhenStopped(context, record);
	let run: RouterRun;
	if (id !== undefined) {
		const options = { idempotencyKey: key ?? '', maxWaitMs: settings.maxWaitMs, signal, leaving };
		run = await recordResult(context, record, connection.router.collect({ model, id }, options));
	} else if (order === undefined) {
		const [message, advice] = inputIsGone(key ?? '');
		throw new ItemFault(message, advice);
	} else {
		run = await send(context, record, order);
	}
	const isOfEarlierInput = now?.hash !== hash;
	if (isOfEarlierInput) execution.addExecutionHints({ message: otherInputHint(itemIndex) });
	return { run, model, input: order?.input, isOfEarlierInput, queueRequestId: jobIdOf(record.current), facts: factsOf(record) };
}

/** What was sent for the item is collected, even if its input cannot be prepared again. Otherwise a run is started. */
async function runOnce(context: RunContext): Promise<DeliveredRun> {
	const { settings, itemIndex, progress } = context;
	const ledger = await openLedger(context);
	const wish = await outcomeOf(wishOf(context));
	const earlier = ledger.find(itemIndex, wish.ok ? wish.value.hash : '');
	const withSeeds = ({ hash, drawnFrom }: Wish): RequestedRun => drawnFrom(earlier?.current.seedKey ?? keyFor(context, ledger, hash));
	if (earlier !== undefined && earlier.current.state.kind !== 'notSubmitted') {
		const delivered = await outcomeOf(collectRun(context, earlier, wish.ok ? withSeeds(wish.value) : undefined));
		if (delivered.ok) {
			await hintAtCharges(context);
			return delivered.value;
		}
		if (!wasStopped(earlier.current, delivered.error)) throw delivered.error;
		progress.remove('queue_request_id');
	}
	if (!wish.ok) throw wish.error;
	if (settings.isQueued && isLeft(context)) throw leftUnsent();
	return await startRun(context, ledger, withSeeds(wish.value));
}

/** The model's output as it came, with the router's facts beside it. */
async function runItem(
	context: RunContext,
	{ run: { facts, output }, model, input, isOfEarlierInput, queueRequestId, facts: ofItem }: DeliveredRun,
): Promise<ItemResult> {
	const { binaryField, downloadFiles } = context.settings;
	const json: IDataObject = { model, ...(facts as unknown as IDataObject), ...ofItem };
	if (queueRequestId !== undefined) json.queue_request_id = queueRequestId;
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
	const { settings, progress } = context;
	progress.add({ model: settings.model });
	const delivered = await runOnce(context);
	progress.add({ request_id: delivered.run.facts.request_id });
	return await runItem(context, delivered);
}
