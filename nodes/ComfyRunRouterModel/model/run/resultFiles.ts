import { isRecord, outcomeOf, StoppedError, UNKNOWN_TYPE } from '../../../../client';
import { checkFits, storeFile } from '../../../shared/files/binaryFields';
import { upTo } from '../../../shared/files/upTo';
import { safeFileName } from '../../../shared/files/safeFileName';
import { inParallel } from '../../../shared/items/inParallel';
import { wordsFor } from '../../../shared/messages/wordsFor';
import { ItemFault } from '../../../shared/itemFault';
import type { RouterContext } from '../../../shared/connect/routerConnect';
import type { ItemFile } from '../../itemFiles';
import type { ModelRunSettings } from './settings';

type RunContext = RouterContext<ModelRunSettings>;

/** Of one run. */
const FILES_AT_ONCE = 4;

interface ResultFile extends ItemFile {
	/** No file: a source that a language model names, for instance. */
	isWebPage?: boolean;
}

interface Source {
	name: string;
	contentType: string;
	sizeBytes: number | null;
	bytes: AsyncIterable<Uint8Array>;
}

const WEB_PAGE = new ItemFault('It is a web page', 'Only files are saved.');

const tooLarge = (limitBytes: number): ItemFault =>
	new ItemFault(`It is larger than ${limitBytes / 1_000_000} MB`, 'Raise Largest Result File (MB) under Options.');

async function* once(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
	yield chunk;
}

function fromDataUri(uri: string): Source {
	const comma = uri.indexOf(',');
	const [type = '', ...flags] = uri.slice('data:'.length, comma).split(';');
	const text = uri.slice(comma + 1);
	const content = flags.includes('base64') ? Buffer.from(text, 'base64') : Buffer.from(decodeURIComponent(text));
	return { name: '', contentType: type || 'text/plain', sizeBytes: content.byteLength, bytes: once(content) };
}

function nameOf(url: URL): string {
	const last = url.pathname.split('/').pop() ?? '';
	try {
		return decodeURIComponent(last);
	} catch {
		return last;
	}
}

/** Nothing of the credential goes to an address that a model names. */
async function fromAddress({ connection, signal }: RunContext, url: string): Promise<Source> {
	const { fileName, contentType, sizeBytes, bytes } = await connection.files.download({ url }, { signal });
	return { name: fileName ?? nameOf(new URL(url)), contentType: contentType ?? UNKNOWN_TYPE, sizeBytes, bytes };
}

async function saved(context: RunContext, { url, path }: FileAddress, fallbackName: string): Promise<ResultFile> {
	const { execution, settings } = context;
	const { largestFileBytes: limit } = settings;
	const source = url.startsWith('http') || url.startsWith('HTTP') ? await fromAddress(context, url) : fromDataUri(url);
	const contentType = (source.contentType.split(';')[0] ?? '').trim();
	if (contentType === 'text/html') throw WEB_PAGE;
	if ((source.sizeBytes ?? 0) > limit) throw tooLarge(limit);
	const name = safeFileName(source.name, fallbackName, contentType);
	await checkFits(execution, name, source.sizeBytes ?? 0);
	const binary = await storeFile(
		execution,
		upTo(limit, source.bytes, () => tooLarge(limit)),
		{ name, contentType, announcedBytes: source.sizeBytes ?? 0 },
		context.credential,
	);
	return { facts: { path, file_name: binary.fileName ?? name, content_type: contentType }, binary };
}

/** The result has been paid for: a file that cannot be saved must not take the others with it. */
async function savedOrNot(context: RunContext, address: FileAddress, fallbackName: string): Promise<ResultFile> {
	const outcome = await outcomeOf(saved(context, address, fallbackName));
	if (outcome.ok) return outcome.value;
	if (outcome.error instanceof StoppedError) throw outcome.error;
	const { message, advice } = wordsFor(outcome.error, context.credential);
	return { facts: { path: address.path, not_saved: [message, advice].filter(Boolean).join('. ') }, isWebPage: outcome.error === WEB_PAGE };
}

function hintAtUnsaved({ execution, itemIndex }: RunContext, files: ResultFile[]): void {
	const unsaved = files.filter(({ binary, isWebPage }) => binary === undefined && isWebPage !== true);
	if (unsaved.length === 0) return;
	execution.addExecutionHints({
		message: `Item ${itemIndex}: ${unsaved.length} of ${files.length} result files could not be saved. ${String(unsaved[0]?.facts.not_saved)}`,
	});
}

interface FileAddress {
	/** Where it stands in the output, e.g. `images[0].url`. */
	path: string;
	/** http, https or a data URI. */
	url: string;
}

const isAddress = (text: string): boolean => (/^https?:\/\/\S+$/i.test(text) && URL.canParse(text)) || /^data:[^,\s]*,/i.test(text);

function addressesIn(value: unknown, path: string): FileAddress[] {
	if (typeof value === 'string') return isAddress(value) ? [{ path, url: value }] : [];
	if (Array.isArray(value)) return value.flatMap((one, index) => addressesIn(one, `${path}[${index}]`));
	if (!isRecord(value)) return [];
	return Object.entries(value).flatMap(([name, one]) => addressesIn(one, path === '' ? name : `${path}.${name}`));
}

/** The addresses that an output holds, each once; those of the input are no results. */
function fileAddresses(output: unknown, input: unknown): FileAddress[] {
	const seen = new Set(addressesIn(input, '').map(({ url }) => url));
	return addressesIn(output, '').filter(({ url }) => !seen.has(url) && seen.add(url) !== undefined);
}

/** Saves the files whose addresses stand in the output, in its order. */
export async function resultFiles(context: RunContext, output: unknown, input: unknown, fallbackName: string): Promise<ItemFile[]> {
	const addresses = fileAddresses(output, input);
	const files = await inParallel(
		addresses,
		FILES_AT_ONCE,
		async (address, index) => await savedOrNot(context, address, addresses.length === 1 ? fallbackName : `${fallbackName}-${index}`),
	);
	hintAtUnsaved(context, files);
	return files;
}
