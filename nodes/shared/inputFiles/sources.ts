import {
	type AssetReference,
	createContentHasher,
	type FileKind,
	HEAD_BYTES,
	isRecord,
	isWrongKind,
	openWebFile,
	type UploadSource,
	detectContentType,
	chooseContentType,
} from '../../../client';
import { type InputFile, inputFile } from '../files/binaryFields';
import { egressOf } from '../connect/egress';
import { safeFileName } from '../files/safeFileName';
import { KINDS, typeName } from '../messages/webFile';
import type { ItemContext } from '../operation';
import { ItemFault } from '../itemFault';
import { emptyField, RowFault } from './rowFault';
import type { FileRow } from './rows';
import { sentFiles } from './sentFiles';

export type FileContext = Pick<ItemContext<unknown>, 'execution' | 'itemIndex' | 'connection' | 'credential' | 'signal' | 'isTool'>;

const FIELD_LABEL = 'Binary Field under Files';
const FALLBACK_NAME = 'input';

interface Look {
	/** `blake3:<hex>` */
	hash: string;
	/** What the first bytes say. */
	seen: string | undefined;
	contentType: string;
}

/** Reads the file once, to its end. */
async function lookAt({ source, contentType, fileName }: InputFile): Promise<Look> {
	const hasher = await createContentHasher();
	let head = Buffer.alloc(0);
	for await (const chunk of await source.open()) {
		if (head.byteLength < HEAD_BYTES) head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES - head.byteLength)]);
		hasher.update(chunk);
	}
	return { hash: hasher.digest(), seen: detectContentType(head), contentType: chooseContentType(head, contentType, fileName) };
}

/** The file of the row's field. @throws ItemFault when there is none. */
export async function fileOf({ execution, itemIndex, isTool }: FileContext, row: FileRow): Promise<InputFile> {
	const field = typeof row.value === 'string' ? row.value.trim() : '';
	if (field === '')
		throw emptyField(row, 'Binary Field', 'Enter the name of the field, e.g. data, or check that its expression finds one.');
	if (isTool) throw new ItemFault('an AI agent hands no files on', 'Set From to URL or to Reference.');
	return await inputFile(execution, itemIndex, field, FIELD_LABEL);
}

async function upload({ connection, signal }: FileContext, source: UploadSource, fileName: string, hash?: string): Promise<AssetReference> {
	const filePath = safeFileName(fileName, FALLBACK_NAME, source.contentType);
	const { asset } = await connection.assets.upload(source, { filePath, signal, ...(hash !== undefined && { skipIfStored: true, hash }) });
	return connection.assets.reference(asset);
}

/** Sent once, however many items carry the same bytes. */
export async function sendInputFile(context: FileContext, file: InputFile, kind: FileKind | undefined): Promise<AssetReference> {
	const sent = sentFiles(context.connection);
	const { hash, seen, contentType } = await (file.id === undefined
		? lookAt(file)
		: sent.once(`look at ${file.id}`, async () => await lookAt(file)));
	if (isWrongKind(seen, kind)) {
		throw new ItemFault(
			`the file "${file.fileName || 'without a name'}" is ${typeName(seen)}, and this input takes ${KINDS[kind ?? 'any']}`,
			'Choose another field or another input. If the file came from the web, it may be a message in place of the file.',
		);
	}
	return await sent.once(`send ${hash}`, async () => await upload(context, { ...file.source, contentType }, file.fileName, hash));
}

export function urlOf(row: FileRow): string {
	const url = typeof row.value === 'string' ? row.value.trim() : '';
	if (url === '') throw emptyField(row, 'URL', 'Enter the address of the file, or check that its expression finds one in the input item.');
	return url;
}

/** Passed on from the web to the service, once for each address. */
export async function passOn(context: FileContext, url: string, kind: FileKind | undefined, largestBytes: number): Promise<AssetReference> {
	return await sentFiles(context.connection).once(`pass on ${kind} ${url}`, async () => {
		const file = await openWebFile(url, { kind, largestBytes, outboundNetwork: egressOf(context.execution), signal: context.signal });
		try {
			return await upload(context, file.source, file.fileName);
		} finally {
			await file.close();
		}
	});
}

/** v2's reference, or a file name. @throws ItemFault for what is neither. */
export function referenceOf({ connection }: FileContext, row: FileRow): AssetReference {
	const given = typeof row.value === 'string' ? row.value.trim() : row.value;
	if (given === '' || given === undefined || given === null) {
		throw emptyField(
			row,
			'Reference',
			'Use the expression {{ $json.reference }} on an item of Comfy Upload Asset or of another Comfy Run Workflow, or enter the name of a file that ComfyUI has.',
		);
	}
	const value = typeof given === 'string' && given.startsWith('{') ? parsed(given) : given;
	if (typeof value === 'string') return value;
	if (!isReference(value))
		throw new RowFault(
			row,
			'the reference names no file',
			'Use the expression {{ $json.reference }} on an item of Comfy Upload Asset or of another Comfy Run Workflow.',
		);
	if (connection.interface === 'v2') return value;
	throw new RowFault(
		row,
		'the reference is one of v2, which ComfyUI itself and the interface v1 do not know',
		'Upload the file, or make it, over the same interface as this workflow runs on: set Interface alike in both nodes.',
	);
}

const isReference = (value: unknown): value is Exclude<AssetReference, string> =>
	isRecord(value) && value.__type === 'core/ASSET' && isRecord(value.info) && typeof value.info.id === 'string' && value.info.id !== '';

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
