import { type FileEncoding, findFileEncoding, isRecord, parseInputPath, parseExact, type RouterInputSchema } from '../../../../client';
import { inputFile } from '../../../shared/files/binaryFields';
import { ItemFault } from '../../../shared/itemFault';
import { enteredText } from '../../../shared/parameters';
import type { RouterContext } from '../../../shared/connect/routerConnect';

const MEBIBYTE = 1024 * 1024;
/** It travels inside the request, a third larger, and is held in memory. */
const LARGEST_FILE_MIB = 48;
const FILE_LABEL = 'Binary Field under Input Files';

export interface InputFileRow {
	field: string;
	binaryField: string;
}

export interface PlacedFile {
	path: Array<string | number>;
	/** As it was entered. */
	field: string;
	place: FileEncoding;
	dataUri: string;
}

async function dataUriOf({ execution, itemIndex }: RouterContext<unknown>, field: string): Promise<string> {
	const { source, contentType, fileName } = await inputFile(execution, itemIndex, field, FILE_LABEL);
	if ((source.sizeBytes ?? 0) > LARGEST_FILE_MIB * MEBIBYTE) {
		throw new ItemFault(
			`"${fileName || field}" is too large to be sent inside the request`,
			`Nothing was sent. Files up to ${LARGEST_FILE_MIB} MiB can be; give the model the address of a larger one.`,
		);
	}
	const chunks: Buffer[] = [];
	for await (const chunk of await source.open()) chunks.push(Buffer.from(chunk));
	return `data:${contentType};base64,${Buffer.concat(chunks).toString('base64')}`;
}

function placeOf(schema: RouterInputSchema | undefined, field: string, path: PlacedFile['path']): PlacedFile['place'] {
	if (schema?.schema === undefined || !schema.authored) return 'dataUri';
	const place = findFileEncoding(schema.schema, schema.document, path);
	if (place !== undefined) return place;
	throw new ItemFault(
		`The model’s input "${field}" takes no file`,
		'Nothing was sent. Correct Input under Input Files; the operation Get Input Schema shows what the model takes.',
	);
}

/** Each row's file as a data URI, and where in the body it belongs. @throws ItemFault for what takes no file. */
export async function placedFiles(
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
				`"${field}" under Input Files names no input`,
				'Nothing was sent. Write the input’s name, e.g. image_url or messages[0].image.',
			);
		const place = placeOf(schema, field, path);
		placed.push({ path, field, place, dataUri: await dataUriOf(context, enteredText(row.binaryField, FILE_LABEL)) });
	}
	return placed;
}

type Step = string | number;
type Json = Record<string, unknown>;

/** A list gets the file added, unless its place in the list is given. */
function withFile(value: unknown, { place, dataUri }: Pick<PlacedFile, 'place' | 'dataUri'>): unknown {
	if (place === 'list' || Array.isArray(value)) return [...(Array.isArray(value) ? value : []), dataUri];
	return place === 'base64' ? dataUri.slice(dataUri.indexOf(',') + 1) : dataUri;
}

function put(value: unknown, [step, ...rest]: Step[], file: PlacedFile): unknown {
	if (step === undefined) return withFile(value, file);
	if (typeof step === 'number') {
		const list = Array.isArray(value) ? [...value] : [];
		list[step] = put(list[step], rest, file);
		return list;
	}
	const record = isRecord(value) ? value : {};
	return { ...record, [step]: put(record[step], rest, file) };
}

/** The body with the files in it. */
export const withFiles = (body: Json, files: PlacedFile[]): Json =>
	files.reduce<Json>((whole, file) => put(whole, file.path, file) as Json, body);

function listIn(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	try {
		return parseExact(value);
	} catch {
		return undefined;
	}
}

/** The form's values with the files that have a field of their own there. @returns the others, for later. */
export function filesIntoForm(values: Json, files: PlacedFile[], ids: ReadonlySet<string>): { values: Json; others: PlacedFile[] } {
	const own = files.filter(({ field }) => ids.has(field));
	const filled = own.reduce<Json>(
		(form, file) => ({ ...form, [file.field]: withFile(file.place === 'list' ? listIn(form[file.field]) : undefined, file) }),
		values,
	);
	return { values: filled, others: files.filter((file) => !own.includes(file)) };
}
