/**
 * What an item is, apart from its place. Rows may be added, removed, sorted or edited between a crash of n8n and the retry, and
 * each item must then find its own job. So an item counts by what the expressions of its node read of it. Fields that no
 * expression reads do not count, for example a row number or a time of change.
 */
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isExpression } from '../parameters';
import { countRow, takeOrdinal } from './arrivals';
import { type CallPlace, hashOfItems } from './executionFacts';
import type { ExecutionIdentity } from './executionIdentity';

/** The data that differ between items. `$now`, `$vars` and the like say nothing about an item, and `$runIndex` changes in a crash. */
const ROOT = String.raw`\$(?:json|binary|data|input|node|itemIndex|items\([^()]*\)|\((?:'[^']*'|"[^"]*")\))(?![\w$])`;
const STEP = String.raw`\s*\??\.(?:first|last|all)\(\)|\s*\??\.\s*[A-Za-z_$][\w$]*(?!\s*[\w$(])|\s*(?:\?\.)?\[(?:'[^']*'|"[^"]*"|\d+)\]`;
const REFERENCE = new RegExp(`${ROOT}(?:${STEP})*`, 'g');

function expressionsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value].filter(isExpression);
	return Object.values(value ?? {}).flatMap(expressionsIn);
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
		.replace(/\s/g, '')
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

/**
 * A reference that cannot be evaluated by itself makes the whole item count.
 * @throws an evaluation that n8n has interrupted: another try would read the reference, and the item would have another identity.
 */
function readReferences(execution: IExecuteFunctions, references: readonly string[], json: IDataObject, index: number): unknown {
	try {
		return execution.evaluateExpression(`{{ [${references.map(withoutErrors).join(', ')}] }}`, index);
	} catch (error) {
		if (isInterrupted(error)) throw error;
		return json;
	}
}

/** n8n has stopped the expression at a limit of its virtual machine, or had no machine for it (n8n-workflow 2.41, expression-runtime). */
const isInterrupted = (error: unknown): boolean =>
	error instanceof Error &&
	(/^Expression (timed out|exceeded memory limit)/.test(error.message) || /^(Isolate|Pool\w+)Error$/.test(error.name));

/** How often each row has occurred in a node, by its hash. In the context of the node, so that a loop continues to count. */
export interface StoredRows extends IDataObject {
	run: number;
	/** In the runs before this one. */
	before: Record<string, number>;
	inRun: Record<string, number>;
	/** In a sub-workflow: where the rows of this run are among those of all calls. */
	inCalls?: Record<string, PlaceInCalls>;
}

/** Where a row of a sub-workflow is among equal rows. */
interface PlaceInCalls extends IDataObject {
	/** How often it occurred in earlier calls. */
	earlier: number;
	/** The number of the outermost execution among those that started in the same millisecond and have this row. */
	ordinal: number;
}

const FIELD = 'comfyRows';

const rowsOfRuns = new WeakMap<IExecuteFunctions, string[]>();

/**
 * Returns the identity of each item of a run: its hash, and its number among the equal items of the node in this execution.
 * Determined once for each run of a node.
 */
export function identifyRows(execution: IExecuteFunctions, identity: ExecutionIdentity): string[] {
	const known = rowsOfRuns.get(execution);
	if (known !== undefined) return known;
	const node = execution.getNode();
	const references = referencesIn(node.parameters);
	const hashes = execution.getInputData().map((item, index) => hashOfRow(execution, references, item, index));
	const context = execution.getContext('node');
	const { stored, numbers } = countRows(context[FIELD] as StoredRows | undefined, identity.run, hashes);
	const { call } = identity;
	if (call !== undefined) {
		const placeOf = ([hash, times]: [string, number]): [string, PlaceInCalls] => [
			hash,
			findPlaceInCalls(call, identity.parts, node.id, { row: hash, times, own: stored.before[hash] ?? 0 }),
		];
		stored.inCalls ??= Object.fromEntries(Object.entries(stored.inRun).map(placeOf));
	}
	context[FIELD] = stored;
	const identities = hashes.map((hash, index) => toIdentity(hash, numbers[index] ?? 0, stored.inCalls?.[hash]));
	rowsOfRuns.set(execution, identities);
	return identities;
}

const toIdentity = (row: string, number: number, { earlier, ordinal }: PlaceInCalls = FIRST_PLACE): string =>
	[row, earlier + number, ...(ordinal > 0 ? [ordinal] : [])].join(':');

const FIRST_PLACE: PlaceInCalls = { earlier: 0, ordinal: 0 };

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

/** Returns the identity of a call of an agent's tool: its hash, and its number among equal calls in earlier calls of the sub-workflow. */
export function identifyToolCall(execution: IExecuteFunctions, { call, parts }: ExecutionIdentity, hash: string): string {
	if (call === undefined) return toIdentity(hash, 0);
	const places = (execution.getContext('node')[CALLS_FIELD] ??= {}) as Record<string, PlaceInCalls>;
	const place = (places[hash] ??= findPlaceInCalls(call, parts, execution.getNode().id, { row: hash, times: 1, own: 0 }));
	return toIdentity(hash, 0, place);
}

/** @param counted.own how often earlier runs of the same call had the row. */
function findPlaceInCalls(
	{ rootId, isRetry, unseen }: CallPlace,
	parts: ExecutionIdentity['parts'],
	nodeId: string,
	{ row, times, own }: { row: string; times: number; own: number },
): PlaceInCalls {
	if (rootId === undefined) return { earlier: unseen, ordinal: 0 };
	const earlier = unseen + countRow(`${rootId} ${nodeId}`, row, times, own) - own;
	return { earlier, ordinal: isRetry ? 0 : takeOrdinal(JSON.stringify([parts, nodeId, row]), rootId) };
}
