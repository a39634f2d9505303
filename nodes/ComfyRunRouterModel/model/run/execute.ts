import type { IDataObject } from 'n8n-workflow';

import { outcomeOf, type RouterRun, withNumbersAsText } from '../../../../client';
import { customKey } from '../../../shared/submission/customKeys';
import { knowPlace } from '../../../shared/execution/place';
import { inputIsGone, otherInputHint } from '../../../shared/messages/unknownOutcome';
import { shutdownBeforeSending } from '../../../shared/messages/stopping';
import { isShuttingDown, type ItemResult } from '../../../shared/operation';
import { ItemFault } from '../../../shared/itemFault';
import { markStopped, SubmissionLedger } from '../../../shared/submission/submissionLedger';
import { fileStem, saveBytes, saveResultFiles, withFields } from '../../resultFiles';
import { hintAtCharges } from './hints';
import { prepareRequest, type UnseededRequest } from './input';
import { type RunRequest, countRun, isStopped, recordRun, type RunEntry, findSentOrder } from './recordedRun';
import { recordOutcome, sendRun } from './send';
import type { ModelRunContext } from './settings';

/**
 * Returns the key of a run. It does not depend on the input, so that a retry has the same key even if n8n lost the execution
 * and the input has changed since. After a request that ended without a result, the next one gets another key.
 */
const keyFor = ({ settings, itemIndex }: ModelRunContext, ledger: SubmissionLedger, hash: string): string =>
	settings.keyMode === 'custom' ? customKey(settings.customKey) : ledger.keyFor(itemIndex, hash);

/** A result, with the run that it belongs to. */
interface DeliveredRun {
	run: RouterRun;
	model: string;
	/** Undefined if it is no longer known. */
	input: Record<string, unknown> | undefined;
	/** Whether an earlier try sent it with another input than the item has now. */
	isOfEarlierInput: boolean;
	/** Further facts for the item. They include `recovered` if an execution that n8n lost has sent the run. */
	facts: IDataObject;
}

const factsOf = ({ facts, recovered }: RunEntry): IDataObject => ({ ...facts, ...(recovered === true && { recovered }) });

/** Sends a new run. It is recorded before it is sent. */
async function runNew(context: ModelRunContext, ledger: SubmissionLedger, request: RunRequest): Promise<DeliveredRun> {
	const { execution, settings, itemIndex, known } = context;
	const { order, hash } = request;
	if (settings.keyMode !== 'custom') ledger.checkStart(itemIndex, hash);
	const key = keyFor(context, ledger, hash);
	Object.assign(known, request.facts, { idempotency_key: key });
	countRun(execution, key, settings.runLimit);
	const entry: RunEntry = ledger.open(itemIndex, key, hash);
	recordRun(entry, request);
	context.atStop(() => markStopped(entry));
	const [run] = await Promise.all([sendRun(context, entry, order, false), hintAtCharges(context)]);
	return { run, model: order.model, input: order.input, isOfEarlierInput: false, facts: factsOf(entry) };
}

/**
 * Returns the result of a run that an earlier try has sent. A queued request is read, and any other run is sent again
 * unchanged. If the input has changed since, for example by a random expression, the new input is not sent.
 * @param current the request of this try, undefined if its input cannot be made.
 */
async function collectEarlier(context: ModelRunContext, entry: RunEntry, current: RunRequest | undefined): Promise<DeliveredRun> {
	const { connection, settings, signal, leaving, known, execution, itemIndex } = context;
	const order = findSentOrder(entry, current);
	const model = entry.sent?.model ?? settings.model;
	const { key, queue_request_id: id } = entry;
	Object.assign(known, { model, idempotency_key: key, ...(id !== undefined && { queue_request_id: id }) });
	context.atStop(() => markStopped(entry));
	let run: RouterRun;
	if (id !== undefined) {
		const options = { idempotencyKey: key ?? '', maxWaitMs: settings.maxWaitMs, signal, leaving };
		run = await recordOutcome(context, entry, () => false, connection.router.collect({ model, id }, options));
	} else if (order === undefined) {
		const [message, advice] = inputIsGone(key ?? '');
		throw new ItemFault(message, advice);
	} else {
		run = await sendRun(context, entry, order, true);
	}
	const isOfEarlierInput = current?.hash !== entry.hash;
	if (isOfEarlierInput) execution.addExecutionHints({ message: otherInputHint(itemIndex) });
	return { run, model, input: order?.input, isOfEarlierInput, facts: factsOf(entry) };
}

/** Collects a run that an earlier try has sent, even if its input cannot be made again. Otherwise sends a new one. */
async function runOnce(context: ModelRunContext): Promise<DeliveredRun> {
	const { execution, settings, itemIndex, isTool, known } = context;
	await knowPlace(execution);
	const ledger = new SubmissionLedger(execution, isTool);
	const prepared = await outcomeOf(prepareRequest(context));
	const earlier: RunEntry | undefined = ledger.find(itemIndex, prepared.ok ? prepared.value.hash : '');
	const addSeeds = ({ hash, withSeeds }: UnseededRequest): RunRequest => withSeeds(earlier?.draw_key ?? keyFor(context, ledger, hash));
	if (earlier !== undefined && earlier.refused !== true) {
		const delivered = await outcomeOf(collectEarlier(context, earlier, prepared.ok ? addSeeds(prepared.value) : undefined));
		if (delivered.ok) {
			await hintAtCharges(context);
			return delivered.value;
		}
		if (!isStopped(earlier, delivered.error)) throw delivered.error;
		delete known.queue_request_id;
	}
	if (!prepared.ok) throw prepared.error;
	if (settings.isQueued && isShuttingDown(context)) throw shutdownBeforeSending();
	return await runNew(context, ledger, addSeeds(prepared.value));
}

/** Returns the item: the model's output unchanged, the router's facts, and the files. */
async function toItem(
	context: ModelRunContext,
	{ run: { facts, output }, model, input, isOfEarlierInput, facts: runFacts }: DeliveredRun,
): Promise<ItemResult> {
	const { settings, known } = context;
	const { binaryField, downloadFiles } = settings;
	const json: IDataObject = { model, ...(facts as unknown as IDataObject), ...runFacts };
	if (known.queue_request_id !== undefined) json.queue_request_id = known.queue_request_id;
	if (isOfEarlierInput) json.sent_input = withNumbersAsText(input ?? null) as IDataObject | null;
	if (output.kind === 'bytes') {
		const { binary, files } = withFields([await saveBytes(context, model, output)], binaryField);
		return { json: { ...json, output: null, files }, binary };
	}
	json.output = output.value as IDataObject;
	if (!downloadFiles) return { json };
	const saved = await saveResultFiles(context, output.value, input, fileStem(model));
	if (saved.length === 0) return { json };
	const { binary, files } = withFields(saved, binaryField);
	return { json: { ...json, files }, binary };
}

/** Runs the model once for an item, even if n8n tries the node several times. */
export async function execute(context: ModelRunContext): Promise<ItemResult> {
	const { settings, known } = context;
	known.model = settings.model;
	const delivered = await runOnce(context);
	known.request_id = delivered.run.facts.request_id;
	return await toItem(context, delivered);
}
