import {
	type AssetReference,
	Cache,
	chooseContentType,
	type Connection,
	createContentHasher,
	detectContentType,
	type FileKind,
	HEAD_BYTES,
	isRecord,
	isWrongKind,
	onePerKey,
	openWebFile,
	type UploadSource,
} from '../../../client';
import { outboundNetworkOf } from '../connect/openConnection';
import { logDecision } from '../debugLog';
import { readBase64File } from '../files/base64';
import { type InputFile, readInputFile } from '../files/inputFile';
import { safeFileName } from '../files/safeFileName';
import { ItemFault } from '../itemFault';
import { sentBeforeLine } from '../messages/logLines';
import { wrongKindWords } from '../explain/webFile';
import { messages } from '../messages/catalogue';
import { emptyFieldAdvice } from '../messages/topics/files';
import type { ItemRun } from '../operation';
import { largestFile } from './description';
import { emptyRowField, type FileRow, RowFault } from './rows';

const FIELD_LABEL = 'Binary Field under Files';
const FALLBACK_NAME = 'input';

interface FileFacts {
	/** `blake3:<hex>` */
	hash: string;
	/** The content type that the first bytes show, if they show one. */
	detectedType: string | undefined;
	contentType: string;
}

/** An older file is sent again when it is needed. */
const MOST_FILES = 10_000;

/** The files that a run of the node has sent. Each run has its own connection for each credential. */
interface SentFiles {
	/** By n8n's id of the file. */
	facts: Cache<string, Promise<FileFacts>>;
	/** By hash, or by URL, kind and limit. */
	references: Cache<string, Promise<AssetReference>>;
}

const sentFilesOf = onePerKey<Connection, SentFiles>(() => ({
	facts: new Cache({ mostEntries: MOST_FILES }),
	references: new Cache({ mostEntries: MOST_FILES }),
}));

async function getOrLoadAndLog<Value>(promises: Cache<string, Promise<Value>>, key: string, work: () => Promise<Value>): Promise<Value> {
	if (promises.has(key)) logDecision(sentBeforeLine);
	return await promises.getOrLoad(key, work);
}

/** Reads the whole file once. */
async function readFacts({ source, contentType, fileName }: InputFile): Promise<FileFacts> {
	const hasher = await createContentHasher();
	let head = Buffer.alloc(0);
	for await (const chunk of await source.open()) {
		if (head.byteLength < HEAD_BYTES) head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES - head.byteLength)]);
		hasher.update(chunk);
	}
	return { hash: hasher.digest(), detectedType: detectContentType(head), contentType: chooseContentType(head, contentType, fileName) };
}

/** Returns the file in the row's binary field. @throws ItemFault if there is none. */
export async function readRowFile({ execution, itemIndex, isTool }: ItemRun, row: FileRow): Promise<InputFile> {
	const field = typeof row.value === 'string' ? row.value.trim() : '';
	if (field === '') throw emptyRowField(row, 'Binary Field', emptyFieldAdvice.binary);
	if (isTool) throw new ItemFault(messages.AGENT_PASSES_NO_FILES());
	return await readInputFile(execution, itemIndex, field, FIELD_LABEL);
}

/** Returns the file in the row's Base64 text. @throws ItemFault if it is empty, broken or too large. */
export function readRowBase64(row: FileRow, largestBytes: number): InputFile {
	const { value } = row;
	if (value === undefined || value === null || (typeof value === 'string' && value.trim() === ''))
		throw emptyRowField(row, 'Base64', emptyFieldAdvice.base64);
	if (typeof value !== 'string') throw new RowFault(row, messages.BASE64_NOT_A_TEXT());
	return readBase64File(value, largestBytes, largestFile.label);
}

async function upload(
	{ assets }: Connection,
	signal: AbortSignal,
	source: UploadSource,
	fileName: string,
	hash?: string,
): Promise<AssetReference> {
	const filePath = safeFileName(fileName, FALLBACK_NAME, source.contentType);
	const { asset } = await assets.upload(source, { filePath, signal, ...(hash !== undefined && { skipIfStored: true, hash }) });
	return assets.reference(asset);
}

/** Sends the file. Items with the same bytes share one upload. */
export async function sendInputFile(
	connection: Connection,
	signal: AbortSignal,
	file: InputFile,
	kind: FileKind | undefined,
): Promise<AssetReference> {
	const sent = sentFilesOf(connection);
	const { hash, detectedType, contentType } = await (file.id === undefined
		? readFacts(file)
		: getOrLoadAndLog(sent.facts, file.id, async () => await readFacts(file)));
	if (isWrongKind(detectedType, kind)) throw new ItemFault(wrongKindWords(file.fileName, detectedType, kind));
	return await getOrLoadAndLog(
		sent.references,
		hash,
		async () => await upload(connection, signal, { ...file.source, contentType }, file.fileName, hash),
	);
}

/** Returns the URL of the row. @throws EmptyField if there is none. */
export function readRowUrl(row: FileRow): string {
	const url = typeof row.value === 'string' ? row.value.trim() : '';
	if (url === '') throw emptyRowField(row, 'URL', emptyFieldAdvice.url);
	return url;
}

/** Streams the file from the web to the service, once for each URL. Items with another limit fetch it again. */
export async function sendFromUrl(
	{ execution, signal }: ItemRun,
	connection: Connection,
	url: string,
	kind: FileKind | undefined,
	largestBytes: number,
): Promise<AssetReference> {
	return await getOrLoadAndLog(sentFilesOf(connection).references, `${kind} ${largestBytes} ${url}`, async () => {
		const file = await openWebFile(url, {
			kind,
			largestBytes,
			outboundNetwork: outboundNetworkOf(execution),
			signal,
		});
		try {
			return await upload(connection, signal, file.source, file.fileName);
		} finally {
			await file.close();
		}
	});
}

/** Returns a reference of v2, or a file name. @throws ItemFault if the value is neither. */
export function readRowReference(connection: Connection, row: FileRow): AssetReference {
	const entered = typeof row.value === 'string' ? row.value.trim() : row.value;
	if (entered === '' || entered === undefined || entered === null) throw emptyRowField(row, 'Reference', emptyFieldAdvice.reference);
	const value = typeof entered === 'string' && entered.startsWith('{') ? parseJson(entered) : entered;
	if (typeof value === 'string') return value;
	if (!isReference(value)) throw new RowFault(row, messages.REFERENCE_WITHOUT_FILE());
	if (connection.interface === 'v2') return value;
	throw new RowFault(row, messages.REFERENCE_OF_V2());
}

const isReference = (value: unknown): value is Exclude<AssetReference, string> =>
	isRecord(value) && value.__type === 'core/ASSET' && isRecord(value.info) && typeof value.info.id === 'string' && value.info.id !== '';

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
