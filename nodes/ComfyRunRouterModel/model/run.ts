import { ApiError, ConnectionError, outcomeOf, type RouterRun } from '../../../client';
import { customKey } from '../../shared/customKeys';
import { derivedKey } from '../../shared/derivedKey';
import type { ItemResult } from '../../shared/operations';
import type { RouterContext } from '../../shared/routerConnect';
import { hashOf, isInDoubt, type LedgerEntry, SubmissionLedger } from '../../shared/submissionLedger';
import { hintAtCharges } from './chargeHint';
import { inputOf } from './input';
import { countRun, uncountRun } from './runLimit';
import { runItem } from './runItem';
import type { RunSettings } from './runSettings';

export { settings } from './runSettings';
export { checkCustomKeys as checkItems } from '../../shared/customKeys';

type RunContext = RouterContext<RunSettings>;

/**
 * A later try uses the recorded key. What is in doubt keeps it even when its input has changed, e.g. by an expression
 * that is random: the router refuses then, and nothing is billed twice.
 */
function keyFor({ settings, itemIndex }: RunContext, ledger: SubmissionLedger, earlier: LedgerEntry | undefined, hash: string): string {
	if (earlier?.key && (earlier.hash === hash || isInDoubt(earlier))) return earlier.key;
	return settings.keyMode === 'custom' ? customKey(settings.customKey) : derivedKey([ledger.keyFor(itemIndex, hash), hash]);
}

/** Whether it is certain that the model did not run. */
const ranNothing = (cause: unknown): boolean =>
	(cause instanceof ApiError && cause.status < 500 && cause.code !== 'content_policy_violation') ||
	(cause instanceof ConnectionError && !cause.mayHaveArrived);

async function send(context: RunContext, key: string, input: Record<string, unknown>): Promise<RouterRun> {
	const { connection, settings, signal, known } = context;
	const { model, maxWaitMs, query } = settings;
	const options = { idempotencyKey: key, maxWaitMs, query, signal };
	if (!settings.isQueued) return await connection.router.run(model, input, options);
	const onSubmitted = ({ id, request_id }: { id: string; request_id: string | null }) => Object.assign(known, { queue_request_id: id, request_id });
	return await connection.router.runQueued(model, input, { ...options, onSubmitted });
}

/** Recorded before it is sent; what is certain of the outcome is recorded before anything else happens. */
async function runOnce(context: RunContext, input: Record<string, unknown>): Promise<RouterRun> {
	const { execution, settings, itemIndex, isTool, known } = context;
	const { model, query, isQueued, runLimit } = settings;
	const ledger = new SubmissionLedger(execution, isTool);
	const hash = hashOf([model, input, query, isQueued]);
	const earlier = ledger.find(itemIndex, hash);
	const wasInDoubt = earlier !== undefined && isInDoubt(earlier);
	const key = keyFor(context, ledger, earlier, hash);
	known.idempotency_key = key;
	countRun(execution, key, runLimit);
	const entry = earlier?.key === key ? earlier : ledger.open(itemIndex, key, hash);
	delete entry.refused;
	const outcome = await outcomeOf(send(context, key, input));
	if (outcome.ok) {
		entry.answered = true;
		return outcome.value;
	}
	if (ranNothing(outcome.error) && !wasInDoubt) {
		entry.refused = true;
		uncountRun(execution, key);
	}
	throw outcome.error;
}

/** Runs the model once for an item, however often n8n tries the node. */
export async function execute(context: RunContext): Promise<ItemResult> {
	const { settings, known } = context;
	known.model = settings.model;
	const input = await inputOf(context);
	const [run] = await Promise.all([runOnce(context, input), hintAtCharges(context)]);
	known.request_id = run.facts.request_id;
	return await runItem(context, run, input);
}
