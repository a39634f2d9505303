import type { IDataObject } from 'n8n-workflow';

import { clock, outcomeOf, type RouterRun, withNumbersAsText } from '../../../../client';
import { addHint } from '../../../shared/hints';
import { messages } from '../../../shared/messages/catalogue';
import type { RouterItem } from '../../../shared/connect/routerConnections';
import { isShuttingDown, type ItemResult } from '../../../shared/operation';
import { ItemFault } from '../../../shared/itemFault';
import { jobIdOf } from '../../../shared/submission/itemSubmission';
import { readCustomKey } from '../../../shared/submission/keys';
import { openLedger, type SubmissionLedger, type SubmissionRecord } from '../../../shared/submission/ledger';
import { fileStem, saveBytes, saveResultFiles, assignFields } from '../../resultFiles';
import { admitRun, hintAtHigherCost } from './cost';
import { hintAtCharges } from './hints';
import { prepareRequest, type UnseededRequest } from './input';
import { findSentOrder, type RunRequest, toStoredOrder, wasStopped } from './recordedRun';
import { recordResult, sendRun } from './send';
import type { ModelRunSettings } from './settings';

/**
 * The key does not depend on the input, so that a retry of an execution whose record n8n has lost has the same key even if
 * the input has changed. A request that has ended uses up its key, and its replacement gets another. A custom key belongs to
 * the user and stays the same.
 */
const keyFor = ({ keyMode, customKey }: ModelRunSettings, ledger: SubmissionLedger, hash: string): string =>
	keyMode === 'custom' ? readCustomKey(customKey) : ledger.keyFor(hash);

/** A result, and the request that it belongs to. */
interface DeliveredRun {
	run: RouterRun;
	model: string;
	/** Undefined if it is not known any more. */
	input: Record<string, unknown> | undefined;
	/** An earlier try sent it, with another input than the item has now. */
	isOfEarlierInput: boolean;
	queueRequestId: string | undefined;
	/** What the output item reports in addition to the result; with `recovered` if an execution had sent it whose record n8n has lost. */
	facts: IDataObject;
}

const reportedFacts = ({ current: { facts, isRecovered } }: SubmissionRecord): IDataObject => ({
	...facts,
	...(isRecovered === true && { recovered: true }),
});

const markWhenStopped = ({ progress }: RouterItem, record: SubmissionRecord): void =>
	progress.whenStopped(() => record.apply({ type: 'stopped', at: clock.wallNow() }));

/** The run is recorded before it is sent. */
async function startRun(
	item: RouterItem,
	settings: ModelRunSettings,
	ledger: SubmissionLedger,
	request: RunRequest,
): Promise<DeliveredRun> {
	const { progress } = item;
	const { order, hash, seedKey, facts } = request;
	if (settings.keyMode !== 'custom') ledger.checkStart();
	const key = keyFor(settings, ledger, hash);
	progress.add({ ...facts, idempotency_key: key });
	const record = ledger.open({ key, hash, seedKey, facts, order: toStoredOrder(order) });
	const costFacts = await admitRun(item, settings, record, order);
	progress.add(costFacts);
	record.apply({ type: 'described', facts: { ...facts, ...costFacts } });
	markWhenStopped(item, record);
	const [run] = await Promise.all([sendRun(item, settings, record, order), hintAtCharges(item, settings.model)]);
	const { model, input } = order;
	return { run, model, input, isOfEarlierInput: false, queueRequestId: jobIdOf(record.current), facts: reportedFacts(record) };
}

/**
 * Gets the result of what an earlier try has sent. A queued request is read; anything else is sent again as it was. If the
 * input has changed, for example by a random expression, the new input is not sent.
 * @param current the request of this try. Undefined if it cannot be prepared.
 */
async function collectRun(
	item: RouterItem,
	settings: ModelRunSettings,
	record: SubmissionRecord,
	current: RunRequest | undefined,
): Promise<DeliveredRun> {
	const { connection, signal, shutdownSignal, progress, execution, itemIndex } = item;
	const { key, hash, order: recorded } = record.current;
	const order = findSentOrder(record.current, current);
	const model = typeof recorded?.model === 'string' ? recorded.model : settings.model;
	const id = jobIdOf(record.current);
	progress.add({ model, idempotency_key: key, ...(id !== undefined && { queue_request_id: id }) });
	markWhenStopped(item, record);
	let run: RouterRun;
	if (id !== undefined) {
		const options = { idempotencyKey: key ?? '', maxWaitMs: settings.maxWaitMs, signal, shutdownSignal };
		run = await recordResult(item, settings.keyMode, record, connection.router.collect({ model, id }, options));
	} else if (order === undefined) {
		throw new ItemFault(messages.RUN_INPUT_CHANGED(key ?? ''));
	} else {
		run = await sendRun(item, settings, record, order);
	}
	const isOfEarlierInput = current?.hash !== hash;
	if (isOfEarlierInput) addHint(execution, messages.RESULT_OF_EARLIER_INPUT(itemIndex));
	return { run, model, input: order?.input, isOfEarlierInput, queueRequestId: jobIdOf(record.current), facts: reportedFacts(record) };
}

/** What was sent for the item is collected, even if its input cannot be prepared again. Otherwise a run is started. */
async function runOnce(item: RouterItem, settings: ModelRunSettings): Promise<DeliveredRun> {
	const { progress } = item;
	const ledger = await openLedger(item);
	const prepared = await outcomeOf(prepareRequest(item, settings, settings));
	const earlier = ledger.find(prepared.ok ? prepared.value.hash : '');
	const addSeeds = ({ hash, withSeeds }: UnseededRequest): RunRequest =>
		withSeeds(earlier?.current.seedKey ?? keyFor(settings, ledger, hash));
	if (earlier !== undefined && earlier.current.state.kind !== 'notSubmitted') {
		const delivered = await outcomeOf(collectRun(item, settings, earlier, prepared.ok ? addSeeds(prepared.value) : undefined));
		if (delivered.ok) {
			await hintAtCharges(item, delivered.value.model);
			return delivered.value;
		}
		if (!wasStopped(earlier.current, delivered.error)) throw delivered.error;
		progress.remove('queue_request_id');
	}
	if (!prepared.ok) throw prepared.error;
	if (settings.isQueued && isShuttingDown(item)) throw new ItemFault(messages.SHUTDOWN_BEFORE_SENDING());
	return await startRun(item, settings, ledger, addSeeds(prepared.value));
}

/** Returns the item: the model's output unchanged, the router's facts, and the files. */
async function toItem(
	item: RouterItem,
	{ binaryField, downloadFiles, largestFileBytes }: ModelRunSettings,
	{ run: { facts, output }, model, input, isOfEarlierInput, queueRequestId, facts: runFacts }: DeliveredRun,
): Promise<ItemResult> {
	const json: IDataObject = { model, ...(facts as unknown as IDataObject), ...runFacts };
	if (queueRequestId !== undefined) json.queue_request_id = queueRequestId;
	if (isOfEarlierInput) json.sent_input = withNumbersAsText(input ?? null) as IDataObject | null;
	if (output.kind === 'bytes') {
		const { binary, files } = assignFields([await saveBytes(item, model, output)], binaryField);
		return { json: { ...json, output: null, files }, binary };
	}
	json.output = output.value as IDataObject;
	if (!downloadFiles) return { json };
	const saved = await saveResultFiles(item, largestFileBytes, output.value, input, fileStem(model));
	if (saved.length === 0) return { json };
	const { binary, files } = assignFields(saved, binaryField);
	return { json: { ...json, files }, binary };
}

/** Runs the model once for an item, even if n8n tries the node several times. */
export async function execute(item: RouterItem, settings: ModelRunSettings): Promise<ItemResult> {
	const { progress } = item;
	progress.add({ model: settings.model });
	const delivered = await runOnce(item, settings);
	const { request_id, cost_usd } = delivered.run.facts;
	progress.add({ request_id });
	hintAtHigherCost(item, settings, cost_usd);
	return await toItem(item, settings, delivered);
}
