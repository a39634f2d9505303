import { type ConnectionTrouble, type FileKind, formatMegabytes, type WebFileError, type WebFileFacts } from '../../../client';
import { troubleMessage } from './connection';

export const KINDS: Record<FileKind, string> = {
	image: 'an image',
	mask: 'a mask (an image)',
	audio: 'audio',
	video: 'a video',
	any: 'a file',
};

const NAMES: ReadonlyArray<readonly [RegExp, string]> = [
	[/^text\/html$/, 'a web page'],
	[/^application\/json$/, 'JSON'],
	[/^application\/xml$/, 'XML'],
	[/^application\/pdf$/, 'a PDF'],
	[/^application\/zip$/, 'a ZIP archive'],
	[/^text\//, 'text'],
	[/^image\/heic$/, 'a HEIC image'],
	[/^image\/svg\+xml$/, 'an SVG image'],
	[/^image\//, 'an image'],
	[/^audio\//, 'audio'],
	[/^video\//, 'a video'],
];

/** Returns an everyday name for a content type. */
export const typeName = (contentType: string): string => NAMES.find(([pattern]) => pattern.test(contentType))?.[1] ?? contentType;

const CONVERSIONS: Partial<Record<string, string>> = {
	'image/heic':
		'Convert it to JPEG or PNG before this node. An iPhone takes JPEG photos if Camera > Formats in its settings is Most Compatible.',
	'image/svg+xml': 'Convert it to PNG before this node.',
};

/** Returns how to get a file that ComfyUI can read, or undefined for a type that no conversion helps. */
export const conversionAdvice = (contentType: string): string | undefined =>
	CONVERSIONS[contentType] ??
	(contentType.startsWith('video/')
		? 'Choose an input of a node that loads a video, for example Load Video, or extract an image before this node.'
		: undefined);

const FETCH_FIRST =
	'If the server requires a sign-in or a header, download the file with the HTTP Request node first, and set From to Binary Field.';
const SAME_FILE = `Open the address in a private browser window to see what the server returns. ${FETCH_FIRST}`;
const LATER = 'Run the item again later. If it happens again, contact the operator of that server.';

function adviceFor(status: number): string {
	if (status === 401 || status === 403) return `The address is not public, or its link has expired. ${FETCH_FIRST}`;
	if (status === 404 || status === 410)
		return 'The file no longer exists, or the address is misspelled. Check URL, or the expression in it.';
	return status === 429 || status >= 500 ? LATER : SAME_FILE;
}

const TROUBLE: Record<ConnectionTrouble, string> = {
	refused: 'Check URL. If n8n runs in Docker, 127.0.0.1 and localhost mean the container of n8n.',
	dns: 'Check URL for typing errors.',
	tls: `The node downloads files only from servers with a trusted certificate. ${FETCH_FIRST}`,
	no_tls: 'Enter URL with http:// instead of https://.',
	only_tls: 'Enter URL with https:// instead of http://.',
	timeout: LATER,
	too_slow: LATER,
	lost: LATER,
	blocked:
		'The administrator of n8n restricts the addresses that nodes can connect to. Ask the administrator to allow this address, or use a different address.',
	link_local:
		'Use a different address. The node does not connect to link-local addresses, because cloud machines expose their secrets at such addresses.',
	not_web: 'The address redirects to an address that is not a web address. Check URL.',
	invalid_address: 'Check URL. If n8n uses a proxy, ask its administrator to check the address of the proxy.',
};

/** Returns what happened and what to do, for a file that could not be read from the web. */
export function webFileWords({ address, facts }: WebFileError): [message: string, advice: string] {
	switch (facts.fault) {
		case 'bad_address':
			return [
				'the URL is not a web address',
				'Enter a URL that begins with https:// or http://, or check that its expression finds one in the input item.',
			];
		case 'too_large':
			return [
				`the file at ${address} is larger than ${formatMegabytes(facts.limitBytes)}${sizeOf(facts)}`,
				'If it is the correct file, add the option Largest File (MB) and enter a larger number.',
			];
		case 'empty':
			return [`the file at ${address} is empty`, SAME_FILE];
		case 'web_page':
			return [
				`${address} returned a web page instead of a file`,
				`The page may describe the file or ask for a sign-in. Enter the address of the file itself. ${SAME_FILE}`,
			];
		case 'wrong_kind':
			return [
				`${address} returned ${typeName(facts.contentType)}, but this input needs ${KINDS[facts.kind]}`,
				conversionAdvice(facts.contentType) ?? SAME_FILE,
			];
		case 'refused':
			return [`${address} returned HTTP ${facts.status} instead of the file`, adviceFor(facts.status)];
		case 'redirects':
			return [`${address} redirects too many times`, SAME_FILE];
		case 'cut':
			return [`the file at ${address} is incomplete: the server ended the download early`, LATER];
		case 'changed':
			return [`the file at ${address} changed during the download`, 'Run the item again when the file is complete.'];
		case 'unreachable':
			return [`the file at ${address} cannot be downloaded. ${troubleMessage(facts)}`, TROUBLE[facts.trouble]];
	}
}

const sizeOf = ({ sizeBytes }: Extract<WebFileFacts, { fault: 'too_large' }>): string =>
	sizeBytes === null ? '' : `: its size is ${formatMegabytes(sizeBytes)}`;
