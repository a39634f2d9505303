/**
 * An execution, as its retries recognize it. Idempotency keys are derived from it, so that a retry sends the same keys.
 *
 * A retry has another execution id, and after a crash n8n keeps nothing else of the first one than the time of its start and
 * its start items. So the identity consists of the workflow, that time, a hash of the items, and a number that distinguishes
 * executions for which all of these are the same.
 *
 * A retry of a workflow makes new executions of its sub-workflows. n8n passes down to them the workflow of the parent, and its
 * context with the time of the first start. It does not say which call of the parent they belong to, so calls with equal items
 * are counted.
 */
import type { IExecuteFunctions } from 'n8n-workflow';

import { clock } from '../../../client';
import {
	type CalledStart,
	type ExecutionFacts,
	type StoredFacts,
	type StoredIdentity,
	readExecutionFacts,
	RecentMap,
	type SubCall,
} from './executionFacts';

export interface ExecutionIdentity {
	/** The same in every retry of an execution, and in no other execution. */
	parts: ReadonlyArray<string | number>;
	/** Only in a retry: since then (epoch milliseconds) an earlier execution may have submitted something. */
	mayHaveSentSince?: number;
	/** A retry for which n8n has lost when the first execution started: what that one has sent cannot be known. */
	isStartLost?: true;
	/** The number of this run of the node, from 0. */
	run: number;
}

const identities = new WeakMap<IExecuteFunctions, Promise<ExecutionIdentity>>();

/** Determined once for each run of a node. */
export function identifyExecution(execution: IExecuteFunctions): Promise<ExecutionIdentity> {
	const known = identities.get(execution) ?? identify(execution);
	identities.set(execution, known);
	return known;
}

async function identify(execution: IExecuteFunctions): Promise<ExecutionIdentity> {
	const facts = await readExecutionFacts(execution);
	const { identity, toStore } = decideIdentity(facts);
	if (toStore !== undefined) Object.assign(execution.getContext('flow'), toStore);
	return { ...identity, run: facts.earlierRuns };
}

interface DecidedIdentity {
	identity: Omit<ExecutionIdentity, 'run'>;
	/** For the retries of this same execution. */
	toStore?: StoredFacts;
}

function decideIdentity(facts: ExecutionFacts): DecidedIdentity {
	const { workflowId, executionId, isRetry, rootMode, start } = facts;
	switch (start.kind) {
		case 'unknown': {
			const isStartLost = isRetry || rootMode === 'retry';
			return { identity: { parts: [workflowId, executionId], ...(isStartLost && { isStartLost }) } };
		}
		case 'own': {
			const { establishedAt } = start;
			const parts = [workflowId, establishedAt, start.items];
			// A retry counts as the first execution of its millisecond and items: nothing says which one began the chain of retries.
			const ordinal = start.storedOrdinal ?? (isRetry ? 0 : takeOrdinal(JSON.stringify(parts), executionId));
			const identity = { parts: [...parts, ordinal], ...(isRetry && { mayHaveSentSince: establishedAt }) };
			return { identity, toStore: { comfyOrdinal: ordinal } };
		}
		case 'called':
		case 'stored': {
			const stored = start.kind === 'stored' ? start.identity : identifyByCalls(facts, start);
			const mayBeSent = stored.isRetry || isRetry;
			const identity = { parts: stored.parts, ...(mayBeSent && { mayHaveSentSince: stored.establishedAt }) };
			return { identity, toStore: { comfySubPlace: stored } };
		}
	}
}

function identifyByCalls(facts: ExecutionFacts, { root, establishedAt, calls }: CalledStart): StoredIdentity {
	const isRetry = isStartedByRetry(facts, establishedAt);
	const shared = [root.workflowId, establishedAt, ...calls.map(({ workflowId }) => workflowId), calls.at(-1)?.items ?? ''];
	const rootOrdinal = isRetry ? 0 : takeOrdinal(JSON.stringify(shared), root.executionId);
	const callOrdinals = calls.map((call) => takeOrdinalOfCall(call, isRetry));
	return { parts: ['sub', ...shared, rootOrdinal, ...callOrdinals], establishedAt, isRetry };
}

const processStart = clock.wallNow() - process.uptime() * 1_000;

/**
 * n8n does not tell this to workflows that an agent calls as tools, and forgets it while an execution waits. In these cases
 * an execution that is older than this process counts as retried.
 */
const isStartedByRetry = ({ isRetry, rootMode }: ExecutionFacts, establishedAt: number): boolean =>
	isRetry || rootMode === 'retry' || (rootMode === undefined && establishedAt < processStart);

/**
 * @returns the number of the call among those with the same items. A parent that is retried makes its calls in the same order.
 * A retry that may be of any call counts as the first one, so that nothing is paid for twice.
 */
function takeOrdinalOfCall({ id, workflowId, parent, items, earlier, isOver }: SubCall, isRetry: boolean): number {
	if (earlier === undefined) return 0;
	// If its items are unknown: a retry must not pay for the same call twice, and any other call must not reuse a key.
	const equalCalls = earlier.filter((call) => call.items === items || (call.items === undefined && !isRetry));
	const ids = new Set(equalCalls.map((call) => call.id));
	return isOver ? ids.size : takeOrdinal(JSON.stringify([parent.executionId, workflowId, items]), id, [...ids]);
}

/**
 * By what several executions have in common: their ids, in the order in which this process has seen them. It says nothing about
 * retries, which may follow after a restart.
 */
const arrivals = new RecentMap<string[]>();

/** Forgets them, like a restart of the process. For tests. */
export const forgetArrivals = (): void => arrivals.clear();

/**
 * @param group what several executions have in common.
 * @param earlier executions of the group that came before, in this process or in another one.
 * @returns the number of the execution within its group, in order of arrival; from 0.
 */
function takeOrdinal(group: string, executionId: string, earlier: string[] = []): number {
	const members = arrivals.get(group) ?? arrivals.set(group, []);
	const known = members.indexOf(executionId);
	if (known >= 0) return known;
	let ordinal = earlier.filter((id) => !members.includes(id)).length;
	while (members[ordinal] !== undefined) ordinal += 1;
	members[ordinal] = executionId;
	return ordinal;
}
