import type { IDataObject } from 'n8n-workflow';

import {
	formBody,
	InputError,
	isRecord,
	lostDigitsIn,
	type ObjectNode,
	parseExact,
	type SeedField,
	seedsInBody,
	withNumbersAsText,
	withSeedsInBody,
	withSeedsInForm,
} from '../../../../client';
import { hashOf, seededNumber } from '../../../shared/submission/keys';
import { ItemFault } from '../../../shared/itemFault';
import type { RouterContext } from '../../../shared/connect/routerConnect';
import { formOf } from '../../form';
import { schemaOf } from '../../modelCache';
import { hintAtNoSeeds } from './hints';
import { filesIntoForm, placedFiles, withFiles } from './inputFiles';
import type { RequestedRun } from './recordedRun';
import type { ModelRunSettings } from './settings';

type Json = Record<string, unknown>;

/** A seed for a field of the model that has none. */
type Draw = (field: SeedField) => number;

/** What is asked for is the same before anything is drawn. */
const undrawn: Draw = ({ lowest }) => lowest;

/** @param key of the item: every try of it draws the same. */
const drawnFrom =
	(key: string): Draw =>
	({ id, lowest, count }) =>
		lowest + Number(seededNumber(key, id, BigInt(count)));

/** What an item tells of its seeds: the first, and all by the ids of their fields. */
function seedFacts(tree: ObjectNode | undefined, body: Json): IDataObject {
	const seeds = tree === undefined ? {} : (withNumbersAsText(seedsInBody(tree, body)) as IDataObject);
	return { seed: Object.values(seeds)[0] ?? null, seeds };
}

const JSON_ADVICE = 'Nothing was sent. Enter a JSON object, e.g. {"prompt": "a red fox"}.';

const unreadable = (cause: unknown): ItemFault =>
	new ItemFault(`Input (JSON) is not readable JSON: ${cause instanceof Error ? cause.message : ''}`, JSON_ADVICE);

function parsedInput(input: unknown): Json {
	let value = input;
	if (typeof input === 'string') {
		try {
			value = parseExact(input.trim() === '' ? '{}' : input);
		} catch (error) {
			throw unreadable(error);
		}
	}
	if (!isRecord(value)) throw new ItemFault('Input (JSON) is not a JSON object', JSON_ADVICE);
	const lost = lostDigitsIn(value);
	if (lost !== undefined)
		throw new InputError({ fault: 'lost_digits', field: ['Input (JSON)', ...lost.path].join(' > '), left: String(lost.number) });
	return value;
}

const noForm = (model: string): ItemFault =>
	new ItemFault(
		`The model ${model} has no form`,
		'No input schema has been written for it. Nothing was sent. Set Input Mode to JSON and enter what its provider documents.',
	);

/** The body of a request, once its seeds are drawn. */
type MakeBody = (draw: Draw) => Json;

async function fromForm(context: RouterContext<ModelRunSettings>): Promise<MakeBody> {
	const { connection, settings, signal } = context;
	const schema = await schemaOf(connection, settings.model, signal);
	const form = formOf(schema);
	if (form === undefined) throw noForm(settings.model);
	const { tree, fields } = form;
	const files = await placedFiles(context, settings.inputFiles, schema);
	const { values, others } = filesIntoForm(settings.formValues, files, new Set(fields.map(({ id }) => id)));
	return (draw) => withFiles(formBody(tree, settings.seeds === 'random' ? withSeedsInForm(tree, values, draw) : values), others);
}

async function fromJson(context: RouterContext<ModelRunSettings>): Promise<MakeBody> {
	const { connection, settings, signal } = context;
	const body = parsedInput(settings.inputJson);
	if (settings.inputFiles.length === 0 && settings.seeds === 'asIs') return () => body;
	const schema = await schemaOf(connection, settings.model, signal);
	const files = await placedFiles(context, settings.inputFiles, schema);
	const tree = settings.seeds === 'random' ? formOf(schema)?.tree : undefined;
	return (draw) => withFiles(tree === undefined ? body : withSeedsInBody(tree, body, draw), files);
}

/** What is sent, files included, and what its item tells of it. */
interface ItemInput {
	body: Json;
	/** `seed` and `seeds`, where the option Seeds draws them. */
	facts: IDataObject;
}

/** The input of an item, as far as nothing is drawn yet. */
async function inputOf(context: RouterContext<ModelRunSettings>): Promise<(draw: Draw) => ItemInput> {
	const { connection, settings, signal } = context;
	const make = settings.inputMode === 'form' ? await fromForm(context) : await fromJson(context);
	if (settings.seeds === 'asIs') return (draw) => ({ body: make(draw), facts: {} });
	const tree = formOf(await schemaOf(connection, settings.model, signal))?.tree;
	hintAtNoSeeds(context, tree);
	return (draw) => {
		const body = make(draw);
		return { body, facts: seedFacts(tree, body) };
	};
}

/** What an item asks for, before anything is drawn. */
export interface Wish {
	/** Tells whether an earlier try asked for the same. */
	hash: string;
	/** @param seedKey the item's: the same for every try of it. */
	drawnFrom(seedKey: string): RequestedRun;
}

/** @throws InputError or ItemFault that names the field; ApiError `model_not_found`. */
export async function wishOf(context: RouterContext<ModelRunSettings>): Promise<Wish> {
	const { model, query, isQueued, seeds } = context.settings;
	const make = await inputOf(context);
	const hash = hashOf([model, make(undrawn).body, query, isQueued, seeds]);
	return {
		hash,
		drawnFrom(seedKey) {
			const { body, facts } = make(drawnFrom(seedKey));
			return { order: { model, query, isQueued, input: body }, hash, seedKey, facts };
		},
	};
}
