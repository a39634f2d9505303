import { bodyOf, InputError, isRecord, lostDigitsIn, parseExact } from '../../../client';
import { ItemFault } from '../../shared/operations';
import type { RouterContext } from '../../shared/routerConnect';
import { formOf, schemaOf } from './facts';
import { placedFiles } from './inputFiles';
import { filesIntoForm, withFiles } from './placeFiles';
import type { RunSettings } from './runSettings';

type Json = Record<string, unknown>;

const JSON_ADVICE = 'Nothing was sent. Enter a JSON object, e.g. {"prompt": "a red fox"}.';

const unreadable = (cause: unknown): ItemFault => new ItemFault(`Input (JSON) is not readable JSON: ${cause instanceof Error ? cause.message : ''}`, JSON_ADVICE);

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
	if (lost !== undefined) throw new InputError({ fault: 'lost_digits', field: ['Input (JSON)', ...lost.path].join(' > '), left: String(lost.number) });
	return value;
}

const noForm = (model: string): ItemFault =>
	new ItemFault(`The model ${model} has no form`, 'No input schema has been written for it. Nothing was sent. Set Input Mode to JSON and enter what its provider documents.');

async function fromForm(context: RouterContext<RunSettings>): Promise<Json> {
	const { connection, settings, signal } = context;
	const schema = await schemaOf(connection, settings.model, signal);
	const form = formOf(schema);
	if (form === undefined) throw noForm(settings.model);
	const files = await placedFiles(context, settings.inputFiles, schema);
	const { values, others } = filesIntoForm(settings.formValues, files, new Set(form.fields.map(({ id }) => id)));
	return withFiles(bodyOf(form.tree, values), others);
}

async function fromJson(context: RouterContext<RunSettings>): Promise<Json> {
	const { connection, settings, signal } = context;
	const body = parsedInput(settings.inputJson);
	if (settings.inputFiles.length === 0) return body;
	const schema = await schemaOf(connection, settings.model, signal);
	return withFiles(body, await placedFiles(context, settings.inputFiles, schema));
}

/**
 * The body of the request, files included.
 * @throws InputError or ItemFault that names the field; ApiError `model_not_found`.
 */
export const inputOf = async (context: RouterContext<RunSettings>): Promise<Json> =>
	context.settings.inputMode === 'form' ? await fromForm(context) : await fromJson(context);
