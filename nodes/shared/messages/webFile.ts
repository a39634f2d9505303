import type { ConnectionTrouble, FileKind, WebFileError, WebFileFacts } from '../../../client';
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
	[/^image\//, 'an image'],
	[/^audio\//, 'audio'],
	[/^video\//, 'a video'],
];

/** Returns an everyday name for a content type. */
export const typeName = (contentType: string): string => NAMES.find(([pattern]) => pattern.test(contentType))?.[1] ?? contentType;

const MEBIBYTE = 1024 * 1024;
const inMb = (bytes: number): string => `${Math.ceil(bytes / MEBIBYTE).toLocaleString('en')} MB`;

const FETCH_FIRST = 'If it wants a login or a header, fetch it by n8n’s HTTP Request node before this one, and set From to Binary Field.';
const SAME_FILE = `Open the address in a private browser window to see what it gives. ${FETCH_FIRST}`;
const LATER = 'Run the item again later; if it happens again, ask whoever runs that server.';

function adviceFor(status: number): string {
	if (status === 401 || status === 403) return `The address is not open to everybody, or its link has expired. ${FETCH_FIRST}`;
	if (status === 404 || status === 410)
		return 'There is no such file any more, or the address is misspelt. Check URL, or the expression that it comes from.';
	return status === 429 || status >= 500 ? LATER : SAME_FILE;
}

const TROUBLE: Record<ConnectionTrouble, string> = {
	refused: 'Check URL. If n8n runs in Docker, 127.0.0.1 and localhost are the container itself.',
	dns: 'Check URL for a typing mistake.',
	tls: `The file was not fetched from a server that may be another one. ${FETCH_FIRST}`,
	no_tls: 'Enter URL with http:// in place of https://.',
	only_tls: 'Enter URL with https:// in place of http://.',
	timeout: LATER,
	too_slow: LATER,
	lost: LATER,
	blocked: 'The administrator of n8n limits which addresses nodes may reach; ask for this one to be allowed, or choose another address.',
	link_local: 'Use an address that does not lead there: clouds give out secrets of the machine at such addresses.',
	invalid_address: 'The address leads on to one that is none of the web. Check URL.',
};

/** Returns what happened and what to do, for a file that could not be read from the web. */
export function webFileWords({ address, facts }: WebFileError): [message: string, advice: string] {
	switch (facts.fault) {
		case 'bad_address':
			return [
				'the URL is no web address',
				'Enter one that begins with https:// or http://, or check that its expression finds one in the input item.',
			];
		case 'too_large':
			return [
				`the file at ${address} is larger than ${inMb(facts.limitBytes)}${sizeOf(facts)}`,
				'If it is the right one, add the option Largest File (MB) and raise it.',
			];
		case 'empty':
			return [`the file at ${address} is empty`, SAME_FILE];
		case 'web_page':
			return [
				`${address} answers with a web page in place of a file`,
				`It may be a page about the file, or one that asks for a login: copy the address of the file itself. ${SAME_FILE}`,
			];
		case 'wrong_kind':
			return [`${address} gives ${typeName(facts.contentType)}, and this input takes ${KINDS[facts.kind]}`, SAME_FILE];
		case 'refused':
			return [`${address} answers HTTP ${facts.status} in place of the file`, adviceFor(facts.status)];
		case 'redirects':
			return [`${address} leads from one address to the next without end`, SAME_FILE];
		case 'cut':
			return [`the file at ${address} does not come to its end: the server breaks it off`, LATER];
		case 'changed':
			return [`the file at ${address} changed while it was received`, 'Run the item again once the file is finished.'];
		case 'unreachable':
			return [`the file at ${address} cannot be fetched. ${troubleMessage(facts)}`, TROUBLE[facts.trouble]];
	}
}

const sizeOf = ({ sizeBytes }: Extract<WebFileFacts, { fault: 'too_large' }>): string =>
	sizeBytes === null ? '' : `: it has ${inMb(sizeBytes)}`;
