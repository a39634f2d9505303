import type { IDataObject } from 'n8n-workflow';

import { clock, outcomeOf, type RouterRun, withNumbersAsText } from '../../../../client';
import { addHint } from '../../../shared/hints';
import { messages } from '../../../shared/messages/catalogue';
import { isShuttingDown, type ItemResult } from '../../../shared/operation';
import { ItemFault } from '../../../shared/itemFault';
import { jobIdOf } from '../../../shared/submission/itemSubmission';
import { readCustomKey } from '../../../shared/submission/keys';
import { openLedger, type SubmissionLedger, type SubmissionRecord } from '../../../shared/submission/ledger';
import { fileStem, saveBytes, saveResultFiles, assignFields } from '../../resultFiles';
import { hintAtCharges } from './hints';
import { prepareRequest, type UnseededRequest } from './input';
import { countRun, findSentOrder, type RunRequest, toStoredOrder, wasStopped } from './recordedRun';
import { recordResult, sendRun } from './send';
import type { ModelRunContext } from './settings';

/**
 * The key does not depend on the input, so that a retry of an execution whose record n8n has lost has the same key even if
 * the input has changed. A request that has ended uses up its key, and its replacement gets another. A custom key belongs to
 * the user and stays the same.
 */
const keyFor = ({ settings }: ModelRunContext, ledger: SubmissionLedger, hash: string): string =>
	settings.keyMode === 'custom' ? readCustomKey(settings.customKey) : ledger.keyFor(hash);

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

const markWhenStopped = ({ progress }: ModelRunContext, record: SubmissionRecord): void =>
	progress.whenStopped(() => record.apply({ type: 'stopped', at: clock.wallNow() }));

/** The run is recorded before it is sent. */
async function startRun(context: ModelRunContext, ledger: SubmissionLedger, request: RunRequest): Promise<DeliveredRun> {
	const { execution, settings, progress } = context;
	const { order, hash, seedKey, facts } = request;
	if (settings.keyMode !== 'custom') ledger.checkStart();
	const key = keyFor(context, ledger, hash);
	progress.add({ ...facts, idempotency_key: key });
	countRun(execution, key, settings.runLimit);
	const record = ledger.open({ key, hash, seedKey, facts, order: toStoredOrder(order) });
	markWhenStopped(context, record);
	const [run] = await Promise.all([sendRun(context, record, order), hintAtCharges(context)]);
	const { model, input } = order;
	return { run, model, input, isOfEarlierInput: false, queueRequestId: jobIdOf(record.current), facts: reportedFacts(record) };
}

/**
 * Gets the result of what an earlier try has sent. A queued request is read; anything else is sent again as it was. If the
 * input has changed, for example by a random expression, the new input is not sent.
 * @param current the request of this try. Undefined if it cannot be prepared.
 */
async function collectRun(context: ModelRunContext, record: SubmissionRecord, current: RunRequest | undefined): Promise<DeliveredRun> {
	const { connection, settings, signal, shutdownSignal, progress, execution, itemIndex } = context;
	const { key, hash, order: recorded } = record.current;
	const order = findSentOrder(record.current, current);
	const model = typeof recorded?.model === 'string' ? recorded.model : settings.model;
	const id = jobIdOf(record.current);
	progress.add({ model, idempotency_key: key, ...(id !== undefined && { queue_request_id: id }) });
	markWhenStopped(context, record);
	let run: RouterRun;
	if (id !== undefined) {
		const options = { idempotencyKey: key ?? '', maxWaitMs: settings.maxWaitMs, signal, shutdownSignal };
		run = await recordResult(context, record, connection.router.collect({ model, id }, options));
	} else if (order === undefined) {
		throw new ItemFault(messages.RUN_INPUT_CHANGED(key ?? ''));
	} else {
		run = await sendRun(context, record, order);
	}
	const isOfEarlierInput = current?.hash !== hash;
	if (isOfEarlierInput) addHint(execution, messages.RESULT_OF_EARLIER_INPUT(itemIndex));
	return { run, model, input: order?.input, isOfEarlierInput, queueRequestId: jobIdOf(record.current), facts: reportedFacts(record) };
}

/** What was sent for the item is collected, even if its input cannot be prepared again. Otherwise a run is started. */
async function runOnce(context: ModelRunContext): Promise<DeliveredRun> {
	const { settings, progress } = context;
	const ledger = await openLedger(context);
	const prepared = await outcomeOf(prepareRequest(context));
	const earlier = ledger.find(prepared.ok ? prepared.value.hash : '');
	const addSeeds = ({ hash, withSeeds }: UnseededRequest): RunRequest =>
		withSeeds(earlier?.current.seedKey ?? keyFor(context, ledger, hash));
	if (earlier !== undefined && earlier.current.state.kind !== 'notSubmitted') {
		const delivered = await outcomeOf(collectRun(context, earlier, prepared.ok ? addSeeds(prepared.value) : undefined));
		if (delivered.ok) {
			const { model } = delivered.value;
			await hintAtCharges({ ...context, settings: { model } });
			return delivered.value;
		}
		if (!wasStopped(earlier.current, delivered.error)) throw delivered.error;
		progress.remove('queue_request_id');
	}
	if (!prepared.ok) throw prepared.error;
	if (settings.isQueued && isShuttingDown(context)) throw new ItemFault(messages.SHUTDOWN_BEFORE_SENDING());
	return await startRun(context, ledger, addSeeds(prepared.value));
}

/** Returns the item: the model's output unchanged, the router's facts, and the files. */
async function toItem(
	context: ModelRunContext,
	{ run: { facts, output }, model, input, isOfEarlierInput, queueRequestId, facts: runFacts }: DeliveredRun,
): Promise<ItemResult> {
	const { binaryField, downloadFiles } = context.settings;
	const json: IDataObject = { model, ...(facts as unknown as IDataObject), ...runFacts };
	if (queueRequestId !== undefined) json.queue_request_id = queueRequestId;
	if (isOfEarlierInput) json.sent_input = withNumbersAsText(input ?? null) as IDataObject | null;
	if (output.kind === 'bytes') {
		const { binary, files } = assignFields([await saveBytes(context, model, output)], binaryField);
		return { json: { ...json, output: null, files }, binary };
	}
	json.output = output.value as IDataObject;
	if (!downloadFiles) return { json };
	const saved = await saveResultFiles(context, output.value, input, fileStem(model));
	if (saved.length === 0) return { json };
	const { binary, files } = assignFields(saved, binaryField);
	return { json: { ...json, files }, binary };
}

/** Runs the model once for an item, even if n8n tries the node several times. */
export async function execute(context: ModelRunContext): Promise<ItemResult> {
	const { settings, progress } = context;
	progress.add({ model: settings.model });
	const delivered = await runOnce(context);
	progress.add({ request_id: delivered.run.facts.request_id });
	return await toItem(context, delivered);
}
