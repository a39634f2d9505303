import { isRecord, type JsonRecord } from '../../decode';
import { doubleOf } from '../../json/numbers';
import { type FormValues, isBlank } from './body';
import { ADDITIONAL_LABEL, isSeed, type SeedLeaf } from './fields';
import type { ObjectNode } from './types';
import { enteredRecord } from './values';

/** Where a model takes a seed, and which. */
export interface SeedField {
	/** As the form knows it, e.g. `generation.seed`. */
	id: string;
	/** Its place in the body. */
	path: string[];
	lowest: number;
	/** How many whole numbers it takes, from the lowest on. */
	count: number;
}

type Draw = (seed: SeedField) => number;

/** What any provider takes, where its schema names no end. */
const LARGEST_ANYWHERE = 2 ** 31 - 1;

/** Below zero models do not take seeds, but draw one. Beyond what a double holds, n8n would change the number on its way. */
function seedField({ id, bounds: { minimum, maximum, aboveMinimum, belowMaximum } }: SeedLeaf, path: string[]): SeedField {
	const first = Math.ceil(doubleOf(minimum ?? 0));
	const last = Math.floor(doubleOf(maximum ?? LARGEST_ANYWHERE));
	const lowest = Math.max(0, aboveMinimum ? first + 1 : first);
	const highest = Math.min(Number.MAX_SAFE_INTEGER, belowMaximum ? last - 1 : last);
	return { id, path, lowest, count: Math.max(0, highest - lowest + 1) };
}

/** A seed alone makes an object that can be sent. */
const canBeAdded = ({ properties }: ObjectNode): boolean =>
	Object.values(properties).every((child) => isSeed(child) || (child.kind !== 'const' && !child.required));

type IsGiven = (path: string[]) => boolean;

function* seedsIn({ properties }: ObjectNode, path: string[], isThere: IsGiven): Generator<SeedField> {
	for (const [name, child] of Object.entries(properties)) {
		const place = [...path, name];
		if (isSeed(child)) yield seedField(child, place);
		else if (child.kind === 'properties' && (child.required || isThere(place) || canBeAdded(child))) yield* seedsIn(child, place, isThere);
	}
}

const missing = (tree: ObjectNode, isGiven: IsGiven): SeedField[] =>
	[...seedsIn(tree, [], isGiven)].filter(({ path, count }) => count > 0 && !isGiven(path));

export const takesSeeds = (tree: ObjectNode): boolean => !seedsIn(tree, [], () => true).next().done;

const valueOf = (place: unknown, name: string): unknown => (isRecord(place) && Object.hasOwn(place, name) ? place[name] : undefined);

const valueAt = (body: JsonRecord, path: string[]): unknown => path.reduce<unknown>(valueOf, body);

/** Null asks for a seed that the model draws. What stands where an object belongs is the model's to judge: it stays. */
const isGivenIn =
	(body: JsonRecord): IsGiven =>
	(path) => {
		let place: unknown = body;
		for (const name of path) {
			if (!isRecord(place)) return true;
			place = valueOf(place, name);
			if (isBlank(place)) return false;
		}
		return true;
	};

function withValue(place: unknown, [name, ...rest]: string[], value: unknown): unknown {
	if (name === undefined) return value;
	return { ...(isRecord(place) ? place : {}), [name]: withValue(valueOf(place, name), rest, value) };
}

/** The body with a seed drawn wherever the model takes one and none is given. */
export const withSeedsInBody = (tree: ObjectNode, body: JsonRecord, draw: Draw): JsonRecord =>
	missing(tree, isGivenIn(body)).reduce((whole, seed) => withValue(whole, seed.path, draw(seed)) as JsonRecord, body);

/** The same for a form that was filled in. */
export function withSeedsInForm(tree: ObjectNode, values: FormValues, draw: Draw): FormValues {
	const additional =
		tree.additionalId === undefined || isBlank(values[tree.additionalId])
			? {}
			: enteredRecord({ label: ADDITIONAL_LABEL }, values[tree.additionalId]);
	const ids = Object.keys(values).filter((id) => !isBlank(values[id]));
	const isGiven: IsGiven = (path) => isGivenIn(additional)(path) || ids.some((id) => `${id}.`.startsWith(`${path.join('.')}.`));
	return Object.fromEntries([...Object.entries(values), ...missing(tree, isGiven).map((seed) => [seed.id, draw(seed)])]);
}

/** The seeds that a body holds, by the ids of their fields. */
export const seedsInBody = (tree: ObjectNode, body: JsonRecord): JsonRecord =>
	Object.fromEntries(
		[...seedsIn(tree, [], () => true)].flatMap(({ id, path }) => (isBlank(valueAt(body, path)) ? [] : [[id, valueAt(body, path)]])),
	);
