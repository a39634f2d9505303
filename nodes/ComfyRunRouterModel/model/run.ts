import { outcomeOf } from '../../../client';
import { customKey } from '../../shared/customKeys';
import { derivedKey } from '../../shared/derivedKey';
import type { ItemResult } from '../../shared/operations';
import type { RouterContext } from '../../shared/routerConnect';
import { SubmissionLedger } from '../../shared/submissionLedger';
import { hintAtCharges } from './chargeHint';
import { collected, type Delivered } from './collectRun';
import { inputOf } from './input';
import { orderHash, record, type RunEntry, type RunOrder } from './recordedRun';
import { runItem } from './runItem';
import { countRun } from './runLimit';
import type { RunSettings } from './runSettings';
import { send } from './sendRun';

export { settings } from './runSettings';
export { checkCustomKeys as checkItems } from '../../shared/customKeys';

type RunContext = RouterContext<RunSettings>;

/** A request that has ended keeps its key: the one in its place gets another. A custom key belongs to the user. */
function keyFor({ settings, itemIndex }: RunContext, ledger: SubmissionLedger, hash: string, endings: number): string {
	if (settings.keyMode === 'custom') return customKey(settings.customKey);
	return derivedKey([ledger.keyFor(itemIndex, hash), hash, ...(endings > 0 ? [endings] : [])]);
}

/** Recorded before it is sent. */
async function runAnew(context: RunContext, ledger: SubmissionLedger, order: RunOrder, earlier: RunEntry | undefined): Promise<Delivered> {
	const { execution, settings, itemIndex, known } = context;
	const hash = orderHash(order);
	const { endings = 0 } = earlier ?? {};
	const key = keyFor(context, ledger, hash, endings);
	known.idempotency_key = key;
	countRun(execution, key, settings.runLimit);
	const entry: RunEntry = Object.assign(ledger.open(itemIndex, key, hash), endings > 0 && { endings });
	record(entry, order);
	const [run] = await Promise.all([send(context, entry, order, false), hintAtCharges(context)]);
	return { run, model: order.model, input: order.input, isOfEarlierInput: false };
}

/** Whatever has been sent for the item is collected, also where its input cannot be made again. */
async function runOnce(context: RunContext): Promise<Delivered> {
	const { execution, settings, itemIndex, isTool } = context;
	const { model, query, isQueued } = settings;
	const ledger = new SubmissionLedger(execution, isTool);
	const made = await outcomeOf(inputOf(context).then((input): RunOrder => ({ model, query, isQueued, input })));
	const order = made.ok ? made.value : undefined;
	const earlier: RunEntry | undefined = ledger.find(itemIndex, order === undefined ? '' : orderHash(order));
	if (earlier !== undefined && earlier.refused !== true) {
		const delivered = await collected(context, earlier, order);
		await hintAtCharges(context);
		return delivered;
	}
	if (!made.ok) throw made.error;
	return await runAnew(context, ledger, made.value, earlier);
}

/** Runs the model once for an item, however often n8n tries the node. */
export async function execute(context: RunContext): Promise<ItemResult> {
	const { settings, known } = context;
	known.model = settings.model;
	const delivered = await runOnce(context);
	known.request_id = delivered.run.facts.request_id;
	return await runItem(context, delivered);
}
