import type { IBinaryData, IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { isRecord, lastPathSegment, outcomeOf, type RouterOutput, StoppedError, UNKNOWN_TYPE } from '../../client';
import type { RouterItem } from '../shared/connect/routerConnections';
import { checkFits, storeFile } from '../shared/files/storeFile';
import { safeFileName } from '../shared/files/safeFileName';
import { ItemFault } from '../shared/itemFault';
import { inParallel } from '../shared/items/inParallel';
import { wordsFor } from '../shared/explain/wordsFor';
import { addHint } from '../shared/hints';
import { messages } from '../shared/messages/catalogue';
import { inOneText } from '../shared/messages/words';

type BytesOutput = Extract<RouterOutput, { kind: 'bytes' }>;

interface ItemFile {
	/** The facts for the item, without the name of the binary field. */
	facts: IDataObject;
	/** Undefined if the file could not be saved. The facts say why. */
	binary?: IBinaryData;
}

/** Returns the model's name without dots, so that no part of it looks like an extension. */
export const fileStem = (model: string): string => (model.split('/')[1] ?? 'output').replaceAll('.', '-');

/** Streams the bytes that a model returns into n8n's store. */
export async function saveBytes({ execution, credential }: RouterItem, model: string, output: BytesOutput): Promise<ItemFile> {
	const contentType = (output.contentType.split(';')[0] ?? '').trim();
	const name = safeFileName(fileStem(model), 'output', contentType);
	const binary = await storeFile(execution, output.bytes, { name, contentType, announcedBytes: output.sizeBytes ?? 0 }, credential);
	return { facts: { path: '', file_name: binary.fileName ?? name, content_type: contentType }, binary };
}

/** Returns the binary fields and the facts of the files. A single file gets the field itself, several get `<field>_0`, `<field>_1`, … */
export function assignFields(files: ItemFile[], field: string): { binary?: IBinaryKeyData; files: IDataObject[] } {
	const count = files.filter(({ binary }) => binary !== undefined).length;
	const binary: IBinaryKeyData = {};
	const facts = files.map((file): IDataObject => {
		if (file.binary === undefined) return file.facts;
		const name = count === 1 ? field : `${field}_${Object.keys(binary).length}`;
		binary[name] = file.binary;
		return { ...file.facts, binary_field: name };
	});
	return count === 0 ? { files: facts } : { files: facts, binary };
}

/** The limit for one run of a model. */
const FILES_AT_ONCE = 4;

interface FileAddress {
	/** The path in the output, for example `images[0].url`. */
	path: string;
	/** http, https or a data URI. */
	url: string;
}

const isAddress = (text: string): boolean => (/^https?:\/\/\S+$/i.test(text) && URL.canParse(text)) || /^data:[^,\s]*,/i.test(text);

function findAddresses(value: unknown, path: string): FileAddress[] {
	if (typeof value === 'string') return isAddress(value) ? [{ path, url: value }] : [];
	if (Array.isArray(value)) return value.flatMap((entry, index) => findAddresses(entry, `${path}[${index}]`));
	if (!isRecord(value)) return [];
	return Object.entries(value).flatMap(([name, entry]) => findAddresses(entry, path === '' ? name : `${path}.${name}`));
}

/** Returns the distinct addresses in the output that are not in the input. */
function findResultAddresses(output: unknown, input: unknown): FileAddress[] {
	const inputUrls = new Set(findAddresses(input, '').map(({ url }) => url));
	const results = new Map<string, FileAddress>();
	for (const address of findAddresses(output, '')) {
		const { url } = address;
		if (!inputUrls.has(url) && !results.has(url)) results.set(url, address);
	}
	return [...results.values()];
}

interface ResultFile extends ItemFile {
	/** Whether the address is a web page, for example a source that a language model names. */
	isWebPage?: boolean;
}

interface FileSource {
	name: string;
	contentType: string;
	sizeBytes: number | null;
	bytes: AsyncIterable<Uint8Array>;
}

const WEB_PAGE = new ItemFault(messages.RESULT_IS_WEB_PAGE());

const tooLarge = (limitBytes: number): ItemFault => new ItemFault(messages.RESULT_FILE_TOO_LARGE(limitBytes / 1_000_000));

async function* oneChunk(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
	yield chunk;
}

function openDataUri(uri: string): FileSource {
	const comma = uri.indexOf(',');
	const [type = '', ...flags] = uri.slice('data:'.length, comma).split(';');
	const text = uri.slice(comma + 1);
	const content = flags.includes('base64') ? Buffer.from(text, 'base64') : Buffer.from(decodeURIComponent(text));
	return { name: '', contentType: type || 'text/plain', sizeBytes: content.byteLength, bytes: oneChunk(content) };
}

/** Downloads from an address that a model returned, without the credential. */
async function openAddress({ connection, signal }: RouterItem, url: string): Promise<FileSource> {
	const { fileName, contentType, sizeBytes, bytes } = await connection.files.download({ url }, { signal });
	return { name: fileName ?? lastPathSegment(new URL(url)), contentType: contentType ?? UNKNOWN_TYPE, sizeBytes, bytes };
}

/** Passes bytes on. @throws the error of `tooMany` if there are more than the limit. */
async function* limitBytes(mostBytes: number, bytes: AsyncIterable<Uint8Array>, tooMany: () => Error): AsyncGenerator<Uint8Array> {
	let passed = 0;
	for await (const chunk of bytes) {
		passed += chunk.byteLength;
		if (passed > mostBytes) throw tooMany();
		yield chunk;
	}
}

async function saveFile(item: RouterItem, limit: number, { url, path }: FileAddress, fallbackName: string): Promise<ResultFile> {
	const { execution, credential } = item;
	const source = url.startsWith('http') || url.startsWith('HTTP') ? await openAddress(item, url) : openDataUri(url);
	const contentType = (source.contentType.split(';')[0] ?? '').trim();
	if (contentType === 'text/html') throw WEB_PAGE;
	if ((source.sizeBytes ?? 0) > limit) throw tooLarge(limit);
	const name = safeFileName(source.name, fallbackName, contentType);
	await checkFits(execution, name, source.sizeBytes ?? 0);
	const binary = await storeFile(
		execution,
		limitBytes(limit, source.bytes, () => tooLarge(limit)),
		{ name, contentType, announcedBytes: source.sizeBytes ?? 0 },
		credential,
	);
	return { facts: { path, file_name: binary.fileName ?? name, content_type: contentType }, binary };
}

/** Saves a file. A failure becomes a fact of the file, so that the paid result and the other files are kept. */
async function saveOrExplain(item: RouterItem, limit: number, address: FileAddress, fallbackName: string): Promise<ResultFile> {
	const outcome = await outcomeOf(saveFile(item, limit, address, fallbackName));
	if (outcome.ok) return outcome.value;
	if (outcome.error instanceof StoppedError) throw outcome.error;
	const notSaved = inOneText(wordsFor(outcome.error, item.credential));
	return { facts: { path: address.path, not_saved: notSaved }, isWebPage: outcome.error === WEB_PAGE };
}

function hintAtUnsaved({ execution, itemIndex }: RouterItem, files: ResultFile[]): void {
	const unsaved = files.filter(({ binary, isWebPage }) => binary === undefined && isWebPage !== true);
	if (unsaved.length === 0) return;
	addHint(execution, messages.RESULT_FILES_NOT_SAVED(itemIndex, unsaved.length, files.length, String(unsaved[0]?.facts.not_saved)));
}

/** Saves the files whose addresses are in the output, in the order of the output. */
export async function saveResultFiles(
	item: RouterItem,
	largestFileBytes: number,
	output: unknown,
	input: unknown,
	fallbackName: string,
): Promise<ItemFile[]> {
	const addresses = findResultAddresses(output, input);
	const files = await inParallel(
		addresses,
		FILES_AT_ONCE,
		async (address, index) =>
			await saveOrExplain(item, largestFileBytes, address, addresses.length === 1 ? fallbackName : `${fallbackName}-${index}`),
	);
	hintAtUnsaved(item, files);
	return files;
}
