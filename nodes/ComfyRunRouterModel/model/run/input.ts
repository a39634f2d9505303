import type { IDataObject } from 'n8n-workflow';

import {
	buildRequestBody,
	InputError,
	isRecord,
	findLostDigits,
	type FieldGroup,
	parseExact,
	type SeedField,
	findSeedsInBody,
	withNumbersAsText,
	addSeedsToBody,
	addSeedsToForm,
} from '../../../../client';
import { hashOf, seededNumber } from '../../../shared/submission/keys';
import { ItemFault } from '../../../shared/itemFault';
import { buildForm } from '../../form';
import { readSchema } from '../../models';
import { hintAtNoSeeds } from './hints';
import { addFiles, addFilesToForm, type JsonObject, readEncodedFiles } from './inputFiles';
import type { RunOrder, RunRequest } from './recordedRun';
import type { RouterItem } from '../../../shared/connect/routerConnections';
import type { ModelInputSettings } from './settings';
import { messages } from '../../../shared/messages/catalogue';

/** Returns a seed for a field of the model that has none. */
type PickSeed = (field: SeedField) => number;

/** Picks the same seed for all keys, so that the hash of a request does not depend on seeds. */
const pickLowestSeed: PickSeed = ({ lowest }) => lowest;

/** Derives seeds from the key of the item, so that each try picks the same ones. */
const pickSeedsFrom =
	(seedKey: string): PickSeed =>
	({ id, lowest, count }) =>
		lowest + Number(seededNumber(seedKey, id, BigInt(count)));

/** Returns the first seed, and all seeds by the ids of their fields. */
function describeSeeds(tree: FieldGroup | undefined, body: JsonObject): IDataObject {
	const seeds = tree === undefined ? {} : (withNumbersAsText(findSeedsInBody(tree, body)) as IDataObject);
	return { seed: Object.values(seeds)[0] ?? null, seeds };
}

const unreadableJson = (cause: unknown): ItemFault =>
	new ItemFault(messages.MODEL_JSON_NOT_VALID(cause instanceof Error ? cause.message : ''));

function parseInput(input: unknown): JsonObject {
	let value = input;
	if (typeof input === 'string') {
		try {
			value = parseExact(input.trim() === '' ? '{}' : input);
		} catch (error) {
			throw unreadableJson(error);
		}
	}
	if (!isRecord(value)) throw new ItemFault(messages.MODEL_JSON_NOT_AN_OBJECT());
	const lost = findLostDigits(value);
	if (lost !== undefined)
		throw new InputError({ fault: 'lost_digits', field: ['Input (JSON)', ...lost.path].join(' > '), left: String(lost.number) });
	return value;
}

/** Returns the body of a request with its seeds. */
type MakeBody = (pickSeed: PickSeed) => JsonObject;

async function readFormBody(item: RouterItem, settings: ModelInputSettings): Promise<MakeBody> {
	const { connection, signal } = item;
	const schema = await readSchema(connection, settings.model, signal);
	const form = buildForm(schema);
	if (form === undefined) throw new ItemFault(messages.MODEL_WITHOUT_SCHEMA(settings.model));
	const { tree, fields } = form;
	const files = await readEncodedFiles(item, settings.inputFiles, schema);
	const { values, otherFiles } = addFilesToForm(settings.formValues, files, new Set(fields.map(({ id }) => id)));
	return (pickSeed) =>
		addFiles(buildRequestBody(tree, settings.seeds === 'random' ? addSeedsToForm(tree, values, pickSeed) : values), otherFiles);
}

async function readJsonBody(item: RouterItem, settings: ModelInputSettings): Promise<MakeBody> {
	const { connection, signal } = item;
	const body = parseInput(settings.inputJson);
	if (settings.inputFiles.length === 0 && settings.seeds === 'asIs') return () => body;
	const schema = await readSchema(connection, settings.model, signal);
	const files = await readEncodedFiles(item, settings.inputFiles, schema);
	const tree = settings.seeds === 'random' ? buildForm(schema)?.tree : undefined;
	return (pickSeed) => addFiles(tree === undefined ? body : addSeedsToBody(tree, body, pickSeed), files);
}

/** The body of a request with its files, and facts for the item. */
interface ItemInput {
	body: JsonObject;
	/** `seed` and `seeds`, if the option *Seeds* picks them. */
	facts: IDataObject;
}

/** Reads the input of an item. @returns a function that adds the seeds. */
async function readInput(item: RouterItem, settings: ModelInputSettings): Promise<(pickSeed: PickSeed) => ItemInput> {
	const { connection, signal } = item;
	const makeBody = settings.inputMode === 'form' ? await readFormBody(item, settings) : await readJsonBody(item, settings);
	if (settings.seeds === 'asIs') return (pickSeed) => ({ body: makeBody(pickSeed), facts: {} });
	const tree = buildForm(await readSchema(connection, settings.model, signal))?.tree;
	hintAtNoSeeds(item, settings.model, tree);
	return (pickSeed) => {
		const body = makeBody(pickSeed);
		return { body, facts: describeSeeds(tree, body) };
	};
}

/** What an item requests, before its seeds are picked. */
export interface UnseededRequest {
	/** The same for each try with the same input. */
	hash: string;
	/** @param seedKey the item's key, the same for each try. */
	withSeeds(seedKey: string): RunRequest;
}

/** @throws InputError or ItemFault that names the field; ApiError `model_not_found`. */
export async function prepareRequest(
	item: RouterItem,
	settings: ModelInputSettings,
	{ query, isQueued }: Pick<RunOrder, 'query' | 'isQueued'>,
): Promise<UnseededRequest> {
	const { model, seeds } = settings;
	const makeInput = await readInput(item, settings);
	const hash = hashOf([model, makeInput(pickLowestSeed).body, query, isQueued, seeds]);
	return {
		hash,
		withSeeds(seedKey) {
			const { body, facts } = makeInput(pickSeedsFrom(seedKey));
			return { order: { model, query, isQueued, input: body }, hash, seedKey, facts };
		},
	};
}
