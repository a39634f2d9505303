import { type FileEncoding, findFileEncoding, isRecord, parseExact, parseInputPath, type RouterInputSchema } from '../../../../client';
import { readInputFile } from '../../../shared/files/inputFile';
import { ItemFault } from '../../../shared/itemFault';
import { enteredText } from '../../../shared/parameters';
import type { RouterItem } from '../../../shared/connect/routerConnections';
import { messages } from '../../../shared/messages/catalogue';

const MEBIBYTE = 1024 * 1024;
/** The file is part of the request, as base64 text, and is held in memory. */
const LARGEST_FILE_MIB = 48;
const FILE_LABEL = 'Binary Field under Input Files';

export interface InputFileRow {
	field: string;
	binaryField: string;
}

type PathStep = string | number;

interface EncodedFile {
	path: PathStep[];
	/** The path as it was entered. */
	field: string;
	encoding: FileEncoding;
	dataUri: string;
}

async function readDataUri({ execution, itemIndex }: RouterItem, field: string): Promise<string> {
	const { source, contentType, fileName } = await readInputFile(execution, itemIndex, field, FILE_LABEL);
	if ((source.sizeBytes ?? 0) > LARGEST_FILE_MIB * MEBIBYTE) {
		throw new ItemFault(messages.MODEL_FILE_TOO_LARGE(fileName || field, LARGEST_FILE_MIB));
	}
	const chunks: Buffer[] = [];
	for await (const chunk of await source.open()) chunks.push(Buffer.from(chunk));
	return `data:${contentType};base64,${Buffer.concat(chunks).toString('base64')}`;
}

function findEncoding(schema: RouterInputSchema | undefined, field: string, path: EncodedFile['path']): EncodedFile['encoding'] {
	if (schema?.schema === undefined || !schema.authored) return 'dataUri';
	const encoding = findFileEncoding(schema.schema, schema.document, path);
	if (encoding !== undefined) return encoding;
	throw new ItemFault(messages.MODEL_INPUT_TAKES_NO_FILE(field));
}

/** Returns each row's file as a data URI, with its path in the body. @throws ItemFault if the input does not accept a file. */
export async function readEncodedFiles(
	item: RouterItem,
	rows: InputFileRow[],
	schema: RouterInputSchema | undefined,
): Promise<EncodedFile[]> {
	const files: EncodedFile[] = [];
	for (const row of rows) {
		const field = enteredText(row.field, 'Input under Input Files');
		const path = parseInputPath(field);
		if (path === undefined) throw new ItemFault(messages.MODEL_FILE_INPUT_NOT_VALID(field));
		const encoding = findEncoding(schema, field, path);
		const dataUri = await readDataUri(item, enteredText(row.binaryField, FILE_LABEL));
		files.push({ path, field, encoding, dataUri });
	}
	return files;
}

export type JsonObject = Record<string, unknown>;

/** Returns the value for the file. In a list, the file is added at the end. */
function toFileValue(value: unknown, { encoding, dataUri }: EncodedFile): unknown {
	if (encoding === 'list' || Array.isArray(value)) return [...(Array.isArray(value) ? value : []), dataUri];
	return encoding === 'base64' ? dataUri.slice(dataUri.indexOf(',') + 1) : dataUri;
}

function setAtPath(value: unknown, [step, ...stepsBelow]: PathStep[], file: EncodedFile): unknown {
	if (step === undefined) return toFileValue(value, file);
	if (typeof step === 'number') {
		const list = Array.isArray(value) ? [...value] : [];
		list[step] = setAtPath(list[step], stepsBelow, file);
		return list;
	}
	const record = isRecord(value) ? value : {};
	return { ...record, [step]: setAtPath(record[step], stepsBelow, file) };
}

/** Returns the body with the files at their paths. */
export function addFiles(body: JsonObject, files: EncodedFile[]): JsonObject {
	let withFiles = body;
	for (const file of files) withFiles = setAtPath(withFiles, file.path, file) as JsonObject;
	return withFiles;
}

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
	files: EncodedFile[],
	ids: ReadonlySet<string>,
): { values: JsonObject; otherFiles: EncodedFile[] } {
	const withFiles = { ...values };
	const otherFiles: EncodedFile[] = [];
	for (const file of files) {
		const { field, encoding } = file;
		if (ids.has(field)) withFiles[field] = toFileValue(encoding === 'list' ? parseList(withFiles[field]) : undefined, file);
		else otherFiles.push(file);
	}
	return { values: withFiles, otherFiles };
}
