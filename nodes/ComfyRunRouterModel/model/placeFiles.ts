import { isRecord, parseExact } from '../../../client';
import type { PlacedFile } from './inputFiles';

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
export const withFiles = (body: Json, files: PlacedFile[]): Json => files.reduce<Json>((whole, file) => put(whole, file.path, file) as Json, body);

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
	const filled = own.reduce<Json>((form, file) => ({ ...form, [file.field]: withFile(file.place === 'list' ? listIn(form[file.field]) : undefined, file) }), values);
	return { values: filled, others: files.filter((file) => !own.includes(file)) };
}
