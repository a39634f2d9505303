/**
 * An execution, as its retries recognize it. Idempotency keys are derived from it, so that a retry sends the same keys.
 *
 * A retry has another execution id, and after a crash n8n keeps nothing else of the first one than the time of its start and
 * its start items. So the identity consists of the workflow, that time, a hash of the items, and a number that distinguishes
 * executions for which all of these are the same.
 *
 * A retry of a workflow makes new executions of its sub-workflows. n8n passes down to them the workflow of the parent, and its
 * context with the time of the first start. It does not say which call of the parent they belong to, so equal rows of all calls
 * are counted.
 */
import type { IExecuteFunctions } from 'n8n-workflow';

import { clock } from '../../../client';
import { hasArrived, takeOrdinal } from './arrivals';
import {
	type CalledStart,
	type ExecutionFacts,
	type CallPlace,
	type EarlierCall,
	readExecutionFacts,
	type StoredFacts,
	type StoredIdentity,
	type SubCall,
} from './executionFacts';

export interface ExecutionIdentity {
	/** The same in every retry of an execution, and in no other execution. */
	parts: ReadonlyArray<string | number>;
	/** Only in a retry: since then (epoch milliseconds) an earlier execution may have submitted something. */
	mayHaveSentSince?: number;
	/** A retry for which n8n has lost when the first execution started: what that one has sent cannot be known. */
	isStartLost?: true;
	/** Set in a sub-workflow. */
	call?: CallPlace;
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
			const mayBeSent = stored.call.isRetry || isRetry;
			const identity = { parts: stored.parts, call: stored.call, ...(mayBeSent && { mayHaveSentSince: stored.establishedAt }) };
			return { identity, toStore: { comfySubPlace: stored } };
		}
	}
}

/**
 * The calls of one execution share their identity: an item counts by its row and its number among equal rows of all calls. So
 * calls may be added, removed or sorted between a crash and its retry.
 */
function identifyByCalls(facts: ExecutionFacts, { root, establishedAt, calls }: CalledStart): StoredIdentity {
	const isRetry = isStartedByRetry(facts, establishedAt);
	const parts = ['sub', root.workflowId, establishedAt, ...calls.map(({ workflowId }) => workflowId)];
	const counted = calls.map((call, index) => countUnseen(call, isRetry, index === calls.length - 1));
	const isRetried = calls.at(-1)?.isRetried === true;
	const call = { isRetry, ...(!isRetried && { rootId: root.executionId }), unseen: counted.reduce((sum, count) => sum + count, 0) };
	return { parts, establishedAt, call };
}

const processStart = clock.wallNow() - process.uptime() * 1_000;

/**
 * n8n does not tell this to workflows that an agent calls as tools, and forgets it while an execution waits. In these cases
 * an execution that is older than this process counts as retried.
 */
const isStartedByRetry = ({ isRetry, rootMode }: ExecutionFacts, establishedAt: number): boolean =>
	isRetry || rootMode === 'retry' || (rootMode === undefined && establishedAt < processStart);

/**
 * @returns how many earlier calls with the same items only n8n's records show. The parent may have continued in this process
 * after a restart. A retry that may be of any call counts as the first one, so that nothing is paid for twice.
 */
function countUnseen({ id, workflowId, parent, items, earlier = [], isRetried }: SubCall, isRetry: boolean, isLast: boolean): number {
	// If its items are unknown: a retry must not pay for the same call twice, and any other call must not reuse a key.
	const isCounted = (call: EarlierCall): boolean => (isLast && call.items === items) || (call.items === undefined && !isRetry);
	const counted = earlier.filter(isCounted).map((call) => call.id);
	if (isRetried) return counted.length;
	const group = `${parent.executionId} ${workflowId}`;
	takeOrdinal(group, id);
	return counted.filter((callId) => !hasArrived(group, callId)).length;
}
