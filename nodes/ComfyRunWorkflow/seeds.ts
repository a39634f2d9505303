import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import {
	type ApiGraph,
	applyInputs,
	exactText,
	type GraphInput,
	type InputValues,
	parseExact,
	type SeedSigns,
	seedsOf,
	withNumbersAsText,
} from '../../client';
import { definitionsAtRun } from '../shared/inputs/definitions';
import { seededNumber } from '../shared/submission/keys';
import { ItemFault } from '../shared/itemFault';
import type { LoadedWorkflow } from '../shared/workflows/convert';

export interface SeedSettings {
	mode: 'asIs' | 'random' | 'increase';
	/** Of *Increase By One*; empty for the workflow's own. */
	first: unknown;
}

const NO_SEED =
	'The option Seeds changes nothing, because no seed was found in the workflow. Set it to As In The Workflow, or set the control of the number to randomize in ComfyUI and save the workflow there.';

/**
 * As far as ComfyUI's own *randomize* draws: each of these can be typed into its editor again, where larger numbers lose
 * digits, and all its samplers take it.
 */
const LONGEST_DRAW = 2n ** 50n;
/** What nodes take that know no longer numbers, partner nodes for instance. */
const SHORT_DRAW = 2n ** 31n;
const TAKE_LONG_SEEDS: ReadonlySet<string> = new Set(['KSampler', 'KSamplerAdvanced', 'RandomNoise', 'SamplerCustom']);
/** The largest number that ComfyUI takes is one less. */
const BEYOND_SEEDS = 2n ** 64n;

/** @returns undefined for what is no whole number. */
function wholeOf(value: unknown): bigint | undefined {
	const text = typeof value === 'string' ? value.trim() : exactText(value);
	return /^-?\d+$/.test(text) ? BigInt(text) : undefined;
}

/** What stands there shows how much its node takes. */
function rangeOf({ nodeId, value, limits }: GraphInput, graph: ApiGraph): bigint {
	const most = wholeOf(limits?.max);
	const takesLong = most !== undefined || TAKE_LONG_SEEDS.has(graph[nodeId]?.class_type ?? '') || (wholeOf(value) ?? 0n) >= SHORT_DRAW;
	const range = takesLong ? LONGEST_DRAW : SHORT_DRAW;
	return most !== undefined && most + 1n < range ? most + 1n : range;
}

function firstSeed(first: unknown): bigint | undefined {
	if (first === undefined || first === null || String(first).trim() === '') return undefined;
	const seed = wholeOf(first);
	if (seed !== undefined && seed >= 0n && seed < BEYOND_SEEDS) return seed;
	throw new ItemFault(
		'First Seed is not a whole number from 0 to 18446744073709551615',
		'Nothing was sent. Correct First Seed, or empty it to begin with the seed of the workflow.',
	);
}

/** What an item's seeds are made from. */
export interface SeedSource extends SeedSettings {
	seedKey: string;
	itemIndex: number;
	/** Whether an input has been given a value for this item: such a seed is not drawn. */
	isGiven(seed: GraphInput): boolean;
}

function seedFor(input: GraphInput, graph: ApiGraph, { mode, first, seedKey, itemIndex, isGiven }: SeedSource): bigint | undefined {
	if (mode === 'increase') return ((firstSeed(first) ?? wholeOf(input.value) ?? 0n) + BigInt(itemIndex)) % BEYOND_SEEDS;
	return mode === 'random' && !isGiven(input) ? seededNumber(seedKey, input.name, rangeOf(input, graph)) : undefined;
}

/** The graph with the item's seeds in place, each where it is changed: in its node, or in the one that it comes from. */
export function withSeeds(graph: ApiGraph, source: SeedSource, signs: SeedSigns): ApiGraph {
	if (source.mode === 'asIs') return graph;
	const values: InputValues = {};
	for (const input of seedsOf(graph, signs)) {
		const seed = seedFor(input, graph, source);
		if (seed !== undefined) values[input.nodeId] = { ...values[input.nodeId], [input.input]: parseExact(String(seed)) };
	}
	return applyInputs(graph, values);
}

/**
 * What items tell of the seeds in a graph: the first, and all by their names, e.g. `3.seed`. n8n shows hints only in its
 * editor: so an item whose seeds could not be changed says so itself.
 */
export function seedFacts(graph: ApiGraph, signs: SeedSigns, mode: SeedSettings['mode'] = 'asIs'): IDataObject {
	const seeds = seedsOf(graph, signs).map(({ name, value }) => [name, withNumbersAsText(value)] as const);
	return {
		seed: seeds[0]?.[1] ?? null,
		seeds: Object.fromEntries(seeds),
		...(mode !== 'asIs' && seeds.length === 0 && { seeds_note: NO_SEED }),
	} as IDataObject;
}

const hasSeeds = (graph: ApiGraph, signs: SeedSigns): boolean => seedsOf(graph, signs).length > 0;

/**
 * What shows which numbers of the workflow are seeds. The definitions of a workflow in API format are asked for only if
 * seeds are to be changed and no input is called one.
 */
export async function seedSigns(
	context: Parameters<typeof definitionsAtRun>[0],
	{ mode }: SeedSettings,
	graph: ApiGraph,
	{ definitions, changedByEditor }: LoadedWorkflow,
): Promise<SeedSigns> {
	const signs = { definitions, changedByEditor };
	if (mode === 'asIs' || hasSeeds(graph, signs)) return signs;
	const classes = Object.values(graph).map(({ class_type: name }) => name);
	return { ...signs, definitions: { ...(await definitionsAtRun(context, [...new Set(classes)])), ...definitions } };
}

/** Executions that have been told that a workflow has no seed. */
const warned = new WeakSet<IExecuteFunctions>();

/** Once for all items of an execution. */
export function warnWithoutSeeds(execution: IExecuteFunctions, { mode }: SeedSettings, graph: ApiGraph, signs: SeedSigns): void {
	if (mode === 'asIs' || hasSeeds(graph, signs) || warned.has(execution)) return;
	warned.add(execution);
	execution.addExecutionHints({ message: NO_SEED, type: 'warning' });
}
