/**
 * What an item is, apart from its place. Rows may be added, removed, sorted or edited between a crash of n8n and the retry, and
 * each item must then find its own job. So an item counts by what the expressions of its node read of it. Fields that no
 * expression reads do not count, for example a row number or a time of change.
 */
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isExpression } from '../parameters';
import { countRow, takeOrdinal } from './arrivals';
import { hashOfItems } from './executionFacts';
import type { ExecutionIdentity } from './executionIdentity';

/** The data that differ between items. `$now`, `$vars` and the like say nothing about an item, and `$runIndex` changes in a crash. */
const ROOT = String.raw`\$(?:json|binary|data|input|node|itemIndex|items\([^()]*\)|\((?:'[^']*'|"[^"]*")\))(?![\w$])`;
const STEP = String.raw`\s*\??\.(?:first|last|all)\(\)|\s*\??\.\s*[A-Za-z_$][\w$]*(?!\s*[\w$(])|\s*(?:\?\.)?\[(?:'[^']*'|"[^"]*"|\d+)\]`;
const REFERENCE = new RegExp(`${ROOT}(?:${STEP})*`, 'g');

function expressionsIn(value: unknown): string[] {
	if (typeof value === 'string') return isExpression(value) ? [value] : [];
	return typeof value === 'object' && value !== null ? Object.values(value).flatMap(expressionsIn) : [];
}

/**
 * Returns what the expressions of a node read of an item, for example `$json.prompt` and `$('Sheet').item.json.title`. A
 * reference ends before the call of a method and before a computed name, where it holds more than what is read.
 */
export const referencesIn = (parameters: unknown): string[] => [
	...new Set(expressionsIn(parameters).flatMap((text) => text.match(REFERENCE) ?? [])),
];

/** A field that is missing in one item must not hide the others. */
const withoutErrors = (reference: string): string =>
	reference
		.replace(/\s+/g, '')
		.replace(/(?<![?\d])\.(?=[A-Za-z_$])/g, '?.')
		.replace(/(?<![.(])\[/g, '?.[');

/** Enough to tell the rows of one execution apart. */
const HASH_LENGTH = 24;

/** Returns a hash of what makes an item. n8n describes a file differently in each execution, so only its name counts. */
function hashOfRow(
	execution: IExecuteFunctions,
	references: readonly string[],
	{ json, binary = {} }: INodeExecutionData,
	index: number,
): string {
	const files = Object.entries(binary).map(([field, { fileName }]) => [field, fileName]);
	return hashOfItems([[references.length === 0 ? null : readReferences(execution, references, json, index), files]]).slice(0, HASH_LENGTH);
}

/** A reference that cannot be evaluated by itself makes the whole item count. */
function readReferences(execution: IExecuteFunctions, references: readonly string[], json: IDataObject, index: number): unknown {
	try {
		return execution.evaluateExpression(`{{ [${references.map(withoutErrors).join(', ')}] }}`, index);
	} catch {
		return json;
	}
}

/** How often each row has occurred in a node, by its hash. In the context of the node, so that a loop continues to count. */
export interface StoredRows extends IDataObject {
	run: number;
	/** In the runs before this one. */
	before: Record<string, number>;
	inRun: Record<string, number>;
	/** In a sub-workflow: how often each row of this run occurred in earlier calls. */
	inCalls?: Record<string, number>;
}

const FIELD = 'comfyRows';

const rowsOfRuns = new WeakMap<IExecuteFunctions, string[]>();

/**
 * Returns the identity of each item of a run: its hash, and its number among the equal items of the node in this execution.
 * Determined once for each run of a node.
 * @param dependsOnPlace whether the position of an item changes what it sends.
 */
export function identifyRows(execution: IExecuteFunctions, identity: ExecutionIdentity, dependsOnPlace: boolean): string[] {
	const known = rowsOfRuns.get(execution);
	if (known !== undefined) return known;
	const node = execution.getNode();
	const references = [...referencesIn(node.parameters), ...(dependsOnPlace ? ['$itemIndex'] : [])];
	const hashes = execution.getInputData().map((item, index) => hashOfRow(execution, references, item, index));
	const context = execution.getContext('node');
	const { stored, numbers } = countRows(context[FIELD] as StoredRows | undefined, identity.run, hashes);
	const inCalls = (stored.inCalls ??= countInCalls(identity, node.id, stored));
	context[FIELD] = stored;
	const identities = hashes.map((hash, index) => `${hash}:${(numbers[index] ?? 0) + (inCalls?.[hash] ?? 0)}`);
	rowsOfRuns.set(execution, identities);
	return identities;
}

/**
 * Numbers the items among equal ones. A further try of the same run counts nothing twice.
 * @param stored changed in place, because a loop may have thousands of runs.
 */
export function countRows(
	stored: StoredRows = { run: 0, before: {}, inRun: {} },
	run: number,
	hashes: readonly string[],
): { stored: StoredRows; numbers: number[] } {
	const isSameRun = stored.run === run;
	const { before } = stored;
	if (!isSameRun) for (const [hash, count] of Object.entries(stored.inRun)) before[hash] = (before[hash] ?? 0) + count;
	const inRun: Record<string, number> = {};
	const numbers = hashes.map((hash) => {
		const number = inRun[hash] ?? 0;
		inRun[hash] = number + 1;
		return (before[hash] ?? 0) + number;
	});
	return { stored: { run, before, inRun, ...(isSameRun && stored.inCalls && { inCalls: stored.inCalls }) }, numbers };
}

const CALLS_FIELD = 'comfyCalls';

/** Returns how often calls of the sub-workflow before this one had an agent that requested the same. */
export function countEqualCalls(execution: IExecuteFunctions, identity: ExecutionIdentity, hash: string): number {
	const counts = (execution.getContext('node')[CALLS_FIELD] ??= {}) as Record<string, number>;
	return (counts[hash] ??= countInCalls(identity, execution.getNode().id, { run: 0, before: {}, inRun: { [hash]: 1 } })?.[hash] ?? 0);
}

/** Executions that call the sub-workflow in the same millisecond are numbered as well, except for retries. */
function countInCalls({ call, parts }: ExecutionIdentity, nodeId: string, { before, inRun }: StoredRows): StoredRows['inCalls'] {
	if (call === undefined) return undefined;
	const { rootId, isRetry, unseen } = call;
	return Object.fromEntries(
		Object.entries(inRun).map(([hash, times]) => {
			const own = before[hash] ?? 0;
			const earlier = rootId === undefined ? 0 : countRow(`${rootId} ${nodeId}`, hash, times, own) - own;
			const isFirstStart = rootId !== undefined && !isRetry;
			const ordinal = isFirstStart ? takeOrdinal(JSON.stringify([parts, nodeId, hash]), rootId) : 0;
			return [hash, unseen + earlier + ordinal * TWIN_DISTANCE];
		}),
	);
}

/** Keeps the numbers of executions that started in the same millisecond apart. */
const TWIN_DISTANCE = 1_000_000;
