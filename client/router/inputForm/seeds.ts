import { isRecord, type JsonRecord, recordOf } from '../../json/decode';
import { toDouble } from '../../json/numbers';
import { ADDITIONAL_LABEL, isSeed, type SeedInputField } from './formFields';
import { type FormValues, isBlank, toRecord } from './requestBody';
import type { FieldGroup } from './types';

/** A seed field of a model, and its range. */
export interface SeedField {
	/** The id of the form field, for example `generation.seed`. */
	id: string;
	/** Its path in the body. */
	path: string[];
	lowest: number;
	/** The number of allowed integers, starting at the lowest. */
	count: number;
}

type ChooseSeed = (seed: SeedField) => number;

/** The maximum if the schema names none. Every provider accepts it. */
const DEFAULT_MAX_SEED = 2 ** 31 - 1;

/**
 * Negative seeds are left out: for models they mean a random seed. Seeds above the range of a double are left out too,
 * because n8n would change them.
 */
function toSeedField({ id, bounds: { minimum, maximum, aboveMinimum, belowMaximum } }: SeedInputField, path: string[]): SeedField {
	const first = Math.ceil(toDouble(minimum ?? 0));
	const last = Math.floor(toDouble(maximum ?? DEFAULT_MAX_SEED));
	const lowest = Math.max(0, aboveMinimum ? first + 1 : first);
	const highest = Math.min(Number.MAX_SAFE_INTEGER, belowMaximum ? last - 1 : last);
	return { id, path, lowest, count: Math.max(0, highest - lowest + 1) };
}

/** Whether an object may be sent with nothing but its seeds. */
const canBeAdded = ({ properties }: FieldGroup): boolean =>
	Object.values(properties).every((child) => isSeed(child) || (child.kind !== 'const' && !child.required));

type IsGiven = (path: string[]) => boolean;

function* findSeeds({ properties }: FieldGroup, path: string[], isGiven: IsGiven): Generator<SeedField> {
	for (const [name, child] of Object.entries(properties)) {
		const place = [...path, name];
		if (isSeed(child)) yield toSeedField(child, place);
		else if (child.kind === 'properties' && (child.required || isGiven(place) || canBeAdded(child)))
			yield* findSeeds(child, place, isGiven);
	}
}

const findMissingSeeds = (form: FieldGroup, isGiven: IsGiven): SeedField[] =>
	[...findSeeds(form, [], isGiven)].filter(({ path, count }) => count > 0 && !isGiven(path));

export const hasSeedFields = (form: FieldGroup): boolean => !findSeeds(form, [], () => true).next().done;

const valueOf = (place: unknown, name: string): unknown => (isRecord(place) && Object.hasOwn(place, name) ? place[name] : undefined);

const valueAt = (body: JsonRecord, path: string[]): unknown => path.reduce<unknown>(valueOf, body);

/**
 * Whether the body has a value at this path. Null leaves the seed to the model. A value in place of an object stays as
 * it is, and the model judges it.
 */
const createIsGiven =
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

function setValue(place: unknown, [name, ...rest]: string[], value: unknown): unknown {
	if (name === undefined) return value;
	return { ...recordOf(place), [name]: setValue(valueOf(place, name), rest, value) };
}

/** Returns the body with a seed for each seed field that has no value. */
export const addSeedsToBody = (form: FieldGroup, body: JsonRecord, chooseSeed: ChooseSeed): JsonRecord =>
	findMissingSeeds(form, createIsGiven(body)).reduce((whole, seed) => setValue(whole, seed.path, chooseSeed(seed)) as JsonRecord, body);

/** Returns the form values with a seed for each seed field that has no value. */
export function addSeedsToForm(form: FieldGroup, values: FormValues, chooseSeed: ChooseSeed): FormValues {
	const additional =
		form.additionalId === undefined || isBlank(values[form.additionalId])
			? {}
			: toRecord({ label: ADDITIONAL_LABEL }, values[form.additionalId]);
	const ids = Object.keys(values).filter((id) => !isBlank(values[id]));
	const isGiven: IsGiven = (path) => createIsGiven(additional)(path) || ids.some((id) => `${id}.`.startsWith(`${path.join('.')}.`));
	return Object.fromEntries([...Object.entries(values), ...findMissingSeeds(form, isGiven).map((seed) => [seed.id, chooseSeed(seed)])]);
}

/** Returns the seeds in a body by field id. */
export const findSeedsInBody = (form: FieldGroup, body: JsonRecord): JsonRecord =>
	Object.fromEntries(
		[...findSeeds(form, [], () => true)].flatMap(({ id, path }) => (isBlank(valueAt(body, path)) ? [] : [[id, valueAt(body, path)]])),
	);
