/**
 * What an item is, apart from its place. Rows may be added, removed, sorted or edited between a crash of n8n and the retry, and
 * each item must then find its own job. So an item counts by what the expressions of its node read of it. Fields that no
 * expression reads do not count, for example a row number or a time of change.
 */
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isExpression } from '../parameters';
import { hashOfItems } from './executionFacts';

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
}

const FIELD = 'comfyRows';

const rowsOfRuns = new WeakMap<IExecuteFunctions, string[]>();

/**
 * Returns the identity of each item of a run: its hash, and its number among the equal items of the node in this execution.
 * Determined once for each run of a node.
 * @param run the number of the run, from 0. A further try of the same run counts nothing twice.
 * @param dependsOnPlace whether the position of an item changes what it sends.
 */
export function identifyRows(execution: IExecuteFunctions, run: number, dependsOnPlace: boolean): string[] {
	const known = rowsOfRuns.get(execution);
	if (known !== undefined) return known;
	const references = [...referencesIn(execution.getNode().parameters), ...(dependsOnPlace ? ['$itemIndex'] : [])];
	const hashes = execution.getInputData().map((item, index) => hashOfRow(execution, references, item, index));
	const context = execution.getContext('node');
	const { stored, identities } = countRows(context[FIELD] as StoredRows | undefined, run, hashes);
	context[FIELD] = stored;
	rowsOfRuns.set(execution, identities);
	return identities;
}

/** @param stored changed in place, because a loop may have thousands of runs. */
export function countRows(
	stored: StoredRows = { run: 0, before: {}, inRun: {} },
	run: number,
	hashes: readonly string[],
): { stored: StoredRows; identities: string[] } {
	const { before } = stored;
	if (stored.run !== run) for (const [hash, count] of Object.entries(stored.inRun)) before[hash] = (before[hash] ?? 0) + count;
	const inRun: Record<string, number> = {};
	const identities = hashes.map((hash) => {
		const number = inRun[hash] ?? 0;
		inRun[hash] = number + 1;
		return `${hash}:${(before[hash] ?? 0) + number}`;
	});
	return { stored: { run, before, inRun }, identities };
}
