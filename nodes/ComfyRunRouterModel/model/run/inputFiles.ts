import { type FileEncoding, findFileEncoding, isRecord, parseExact, parseInputPath, type RouterInputSchema } from '../../../../client';
import { readInputFile } from '../../../shared/files/inputFile';
import { ItemFault } from '../../../shared/itemFault';
import { enteredText } from '../../../shared/parameters';
import type { RouterContext } from '../../../shared/connect/routerConnections';

const MEBIBYTE = 1024 * 1024;
/** The file is part of the request, as base64 text, and is held in memory. */
const LARGEST_FILE_MIB = 48;
const FILE_LABEL = 'Binary Field under Input Files';

export interface InputFileRow {
	field: string;
	binaryField: string;
}

interface PlacedFile {
	path: Array<string | number>;
	/** The path as it was entered. */
	field: string;
	place: FileEncoding;
	dataUri: string;
}

async function readDataUri({ execution, itemIndex }: RouterContext<unknown>, field: string): Promise<string> {
	const { source, contentType, fileName } = await readInputFile(execution, itemIndex, field, FILE_LABEL);
	if ((source.sizeBytes ?? 0) > LARGEST_FILE_MIB * MEBIBYTE) {
		throw new ItemFault(
			`"${fileName || field}" is too large for the request`,
			`Nothing was sent. The limit is ${LARGEST_FILE_MIB} MiB. For a larger file, enter its address in the input of the model.`,
		);
	}
	const chunks: Buffer[] = [];
	for await (const chunk of await source.open()) chunks.push(Buffer.from(chunk));
	return `data:${contentType};base64,${Buffer.concat(chunks).toString('base64')}`;
}

function findPlace(schema: RouterInputSchema | undefined, field: string, path: PlacedFile['path']): PlacedFile['place'] {
	if (schema?.schema === undefined || !schema.authored) return 'dataUri';
	const place = findFileEncoding(schema.schema, schema.document, path);
	if (place !== undefined) return place;
	throw new ItemFault(
		`The model input "${field}" does not accept a file`,
		'Nothing was sent. Correct Input under Input Files. The operation Get Input Schema returns the inputs of the model.',
	);
}

/** Returns each row's file as a data URI, with its path in the body. @throws ItemFault if the input does not accept a file. */
export async function readPlacedFiles(
	context: RouterContext<unknown>,
	rows: InputFileRow[],
	schema: RouterInputSchema | undefined,
): Promise<PlacedFile[]> {
	const placed: PlacedFile[] = [];
	for (const row of rows) {
		const field = enteredText(row.field, 'Input under Input Files');
		const path = parseInputPath(field);
		if (path === undefined)
			throw new ItemFault(
				`Input under Input Files is not valid: "${field}"`,
				'Nothing was sent. Enter the name of the input, for example image_url or messages[0].image.',
			);
		const place = findPlace(schema, field, path);
		placed.push({ path, field, place, dataUri: await readDataUri(context, enteredText(row.binaryField, FILE_LABEL)) });
	}
	return placed;
}

type PathStep = string | number;

export type JsonObject = Record<string, unknown>;

/** Returns the value for the file. In a list, the file is added at the end. */
function toFileValue(value: unknown, { place, dataUri }: Pick<PlacedFile, 'place' | 'dataUri'>): unknown {
	if (place === 'list' || Array.isArray(value)) return [...(Array.isArray(value) ? value : []), dataUri];
	return place === 'base64' ? dataUri.slice(dataUri.indexOf(',') + 1) : dataUri;
}

function setAtPath(value: unknown, [step, ...rest]: PathStep[], file: PlacedFile): unknown {
	if (step === undefined) return toFileValue(value, file);
	if (typeof step === 'number') {
		const list = Array.isArray(value) ? [...value] : [];
		list[step] = setAtPath(list[step], rest, file);
		return list;
	}
	const record = isRecord(value) ? value : {};
	return { ...record, [step]: setAtPath(record[step], rest, file) };
}

/** Returns the body with the files at their paths. */
export const addFiles = (body: JsonObject, files: PlacedFile[]): JsonObject =>
	files.reduce<JsonObject>((whole, file) => setAtPath(whole, file.path, file) as JsonObject, body);

function parseList(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	try {
		return parseExact(value);
	} catch {
		return undefined;
	}
}

/** Puts files into the form's fields of the same name. @returns the form's values, and the files without such a field. */
export function addFilesToForm(
	values: JsonObject,
	files: PlacedFile[],
	ids: ReadonlySet<string>,
): { values: JsonObject; others: PlacedFile[] } {
	const own = files.filter(({ field }) => ids.has(field));
	const filled = own.reduce<JsonObject>(
		(form, file) => ({ ...form, [file.field]: toFileValue(file.place === 'list' ? parseList(form[file.field]) : undefined, file) }),
		values,
	);
	return { values: filled, others: files.filter((file) => !own.includes(file)) };
}
