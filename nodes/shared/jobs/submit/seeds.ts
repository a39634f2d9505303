import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import {
	type ApiGraph,
	applyInputs,
	type Connection,
	exactText,
	type GraphInput,
	type InputValues,
	isRandomSeed,
	listSeeds,
	outcomeOf,
	parseExact,
	type SeedHints,
	withNumbersAsText,
} from '../../../../client';
import { warnOnce } from '../../hints';
import { setInputValue } from '../../inputs/chosenInput';
import type { ReadDefinitions } from '../../inputs/definitions';
import { ItemFault } from '../../itemFault';
import { seededNumber } from '../../submission/keys';
import type { PreparedGraph } from './placement';
import type { PreparedInputs } from './prepareInputs';
import { messages } from '../../messages/catalogue';
import { inOneText } from '../../messages/words';

export interface SeedSettings {
	mode: 'asIs' | 'random' | 'increase';
	/** The first seed of *Increase By One*; if empty, the seed of the workflow. */
	first: unknown;
}

/** ComfyUI's own *randomize* stays below this: its editor would round larger numbers, and all its samplers accept these. */
const LONG_SEED_RANGE = 2n ** 50n;
/** For nodes that accept no longer numbers, such as partner nodes. */
const SHORT_SEED_RANGE = 2n ** 31n;
const CLASSES_WITH_LONG_SEEDS: ReadonlySet<string> = new Set(['KSampler', 'KSamplerAdvanced', 'RandomNoise', 'SamplerCustom']);
/** ComfyUI accepts seeds below this. */
const MAX_SEED_RANGE = 2n ** 64n;

/** @returns undefined for anything but a whole number. */
function toWholeNumber(value: unknown): bigint | undefined {
	const text = typeof value === 'string' ? value.trim() : exactText(value);
	return /^-?\d+$/.test(text) ? BigInt(text) : undefined;
}

/** Without a limit, the present value shows whether the node accepts long seeds. */
function seedRangeOf({ nodeId, value, limits }: GraphInput, graph: ApiGraph): bigint {
	const max = toWholeNumber(limits?.max);
	const acceptsLong =
		max !== undefined || CLASSES_WITH_LONG_SEEDS.has(graph[nodeId]?.class_type ?? '') || (toWholeNumber(value) ?? 0n) >= SHORT_SEED_RANGE;
	const range = acceptsLong ? LONG_SEED_RANGE : SHORT_SEED_RANGE;
	return max !== undefined && max + 1n < range ? max + 1n : range;
}

function parseFirstSeed(first: unknown): bigint | undefined {
	if (first === undefined || first === null || String(first).trim() === '') return undefined;
	const seed = toWholeNumber(first);
	if (seed !== undefined && seed >= 0n && seed < MAX_SEED_RANGE) return seed;
	throw new ItemFault(messages.FIRST_SEED_NOT_VALID());
}

/** What an item's seeds are made from. */
export interface SeedSource extends SeedSettings {
	seedKey: string;
	itemIndex: number;
	/** Whether the item gives an input its value: such a seed stays as it is. */
	isSetByItem(seed: GraphInput): boolean;
}

function chooseSeed(input: GraphInput, graph: ApiGraph, { mode, first, seedKey, itemIndex, isSetByItem }: SeedSource): bigint | undefined {
	const isRandom = isRandomSeed(input);
	const start = mode === 'increase' ? (parseFirstSeed(first) ?? (isRandom ? undefined : (toWholeNumber(input.value) ?? 0n))) : undefined;
	if (start !== undefined) return (start + BigInt(itemIndex)) % MAX_SEED_RANGE;
	const shouldDraw = isRandom || (mode === 'random' && !isSetByItem(input));
	return shouldDraw ? seededNumber(seedKey, input.name, seedRangeOf(input, graph)) : undefined;
}

/** The graph with the item's seeds in place: each in its node, or in the node that its value comes from. */
export function applySeeds(graph: ApiGraph, source: SeedSource, seedHints: SeedHints): ApiGraph {
	const values: InputValues = {};
	for (const input of listSeeds(graph, seedHints)) {
		const seed = chooseSeed(input, graph, source);
		if (seed !== undefined) setInputValue(values, input, parseExact(String(seed)));
	}
	return applyInputs(graph, values);
}

/**
 * What output items report about the seeds in a graph: the first one, and all by their names, e.g. `3.seed`. n8n shows hints
 * only in its editor, so an item whose seeds could not be changed has a note as well.
 */
export function describeSeeds(graph: ApiGraph, seedHints: SeedHints, mode: SeedSettings['mode'] = 'asIs'): IDataObject {
	const seeds = listSeeds(graph, seedHints).map(({ name, value }) => [name, withNumbersAsText(value)] as const);
	return {
		seed: seeds[0]?.[1] ?? null,
		seeds: Object.fromEntries(seeds),
		...(mode !== 'asIs' && seeds.length === 0 && { seeds_note: inOneText(messages.WORKFLOW_WITHOUT_SEED()) }),
	} as IDataObject;
}

/** Puts a random number in place of each seed of -1. The facts contain the seeds only if there was one. */
export function replaceRandomSeeds(
	{ graph, facts }: Pick<PreparedGraph, 'graph' | 'facts'>,
	seedKey: string,
	seedHints: SeedHints,
): PreparedGraph {
	if (!listSeeds(graph, seedHints).some(isRandomSeed)) return { graph, facts };
	const replaced = applySeeds(graph, { mode: 'asIs', first: undefined, seedKey, itemIndex: 0, isSetByItem: () => true }, seedHints);
	return { graph: replaced, facts: { ...facts, ...describeSeeds(replaced, seedHints) } };
}

const hasSeeds = (graph: ApiGraph, seedHints: SeedHints): boolean => listSeeds(graph, seedHints).length > 0;

/**
 * What shows which numbers of the workflow are seeds. For a workflow in API format, the definitions of its nodes are requested
 * only if seeds are to be changed and no input has the name of a seed. If there are still no seeds to change, the execution
 * gets a warning.
 */
export async function findSeedHints(
	execution: IExecuteFunctions,
	readDefinitions: ReadDefinitions,
	{ mode }: SeedSettings,
	{ graph, workflow: { definitions, changedByEditor } }: Pick<PreparedInputs, 'graph' | 'workflow'>,
): Promise<SeedHints> {
	const seedHints = { definitions, changedByEditor };
	if (mode === 'asIs' || hasSeeds(graph, seedHints)) return seedHints;
	const classes = Object.values(graph).map(({ class_type: name }) => name);
	const withDefinitions = { ...seedHints, definitions: { ...(await readDefinitions([...new Set(classes)])), ...definitions } };
	if (!hasSeeds(graph, withDefinitions)) warnOnce(execution, messages.WORKFLOW_WITHOUT_SEED());
	return withDefinitions;
}

/** An engine's job is recovered by its id, and may have been made of another input. Its own workflow has the seeds. */
export async function readSeedsOfJob(
	{ jobs, interface: used }: Connection,
	jobId: string,
	seedHints: SeedHints,
	signal: AbortSignal,
): Promise<IDataObject> {
	if (used !== 'engine') return {};
	const read = await outcomeOf(jobs.workflow(jobId, { signal }));
	return read.ok ? describeSeeds(read.value.workflow as ApiGraph, seedHints) : { seed: null, seeds: {} };
}
