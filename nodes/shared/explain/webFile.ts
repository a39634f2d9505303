import { type ConnectionTrouble, type FileKind, formatMegabytes, type WebFileError, type WebFileFacts } from '../../../client';
import { messages } from '../messages/catalogue';
import { CHOOSE_OTHER_FILE, convertFile, TYPE_NAMES } from '../messages/topics/files';
import { byKind, type Words } from '../messages/words';
import { troubleMessage } from './connection';

const KINDS: Record<FileKind, string> = {
	image: 'an image',
	mask: 'a mask (an image)',
	audio: 'audio',
	video: 'a video',
	any: 'a file',
};

/** Returns an everyday name for a content type. */
const typeName = (contentType: string): string => TYPE_NAMES.find(([pattern]) => pattern.test(contentType))?.[1] ?? contentType;

const CONVERSIONS: Partial<Record<string, string>> = { 'image/heic': convertFile.heic, 'image/svg+xml': convertFile.svg };

/** Returns how to get a file that ComfyUI can read, or undefined for a type that no conversion helps. */
const conversionAdvice = (contentType: string): string | undefined =>
	CONVERSIONS[contentType] ?? (contentType.startsWith('video/') ? convertFile.video : undefined);

/** Returns the words for a file of another kind than the input needs. @param fileName empty if it is not known. */
export const wrongKindWords = (fileName: string, contentType: string, kind: FileKind = 'any'): Words =>
	messages.FILE_OF_WRONG_KIND(
		fileName === '' ? '' : ` "${fileName}"`,
		typeName(contentType),
		KINDS[kind],
		conversionAdvice(contentType) ?? CHOOSE_OTHER_FILE,
	);

function refusedWords(address: string, status: number): Words {
	if (status === 401 || status === 403) return messages.URL_NOT_PUBLIC(address, status);
	if (status === 404 || status === 410) return messages.URL_FILE_NOT_FOUND(address, status);
	return (status === 429 || status >= 500 ? messages.URL_SERVER_NOT_AVAILABLE : messages.URL_REJECTED)(address, status);
}

const TROUBLES: Record<ConnectionTrouble, (address: string, reason: string) => Words> = {
	refused: messages.URL_REFUSED,
	dns: messages.URL_HOST_NOT_FOUND,
	tls: messages.URL_CERTIFICATE_NOT_TRUSTED,
	no_tls: messages.URL_WITHOUT_TLS,
	only_tls: messages.URL_NEEDS_TLS,
	timeout: messages.URL_CONNECTION_FAILED,
	too_slow: messages.URL_CONNECTION_FAILED,
	lost: messages.URL_CONNECTION_FAILED,
	blocked: messages.URL_BLOCKED,
	link_local: messages.URL_LINK_LOCAL,
	not_web: messages.URL_LEADS_OFF_WEB,
	invalid_address: messages.URL_NOT_VALID,
};

function wrongContentWords(address: string, { kind, contentType }: Extract<WebFileFacts, { fault: 'wrong_kind' }>): Words {
	const advice = conversionAdvice(contentType);
	return advice === undefined
		? messages.URL_FILE_OF_WRONG_KIND(address, typeName(contentType), KINDS[kind])
		: messages.URL_FILE_NEEDS_CONVERSION(address, typeName(contentType), KINDS[kind], advice);
}

/** Returns the words for a file that could not be read from the web. */
export const webFileWords = ({ address, facts }: WebFileError): Words =>
	byKind<WebFileFacts, 'fault', Words>('fault', {
		bad_address: messages.URL_NOT_WEB,
		too_large: ({ limitBytes, sizeBytes }) =>
			messages.URL_FILE_TOO_LARGE(
				address,
				formatMegabytes(limitBytes),
				sizeBytes === null ? '' : `: its size is ${formatMegabytes(sizeBytes)}`,
			),
		empty: () => messages.URL_FILE_EMPTY(address),
		web_page: () => messages.URL_IS_WEB_PAGE(address),
		wrong_kind: (fact) => wrongContentWords(address, fact),
		refused: ({ status }) => refusedWords(address, status),
		redirects: () => messages.URL_REDIRECTS(address),
		cut: () => messages.URL_FILE_INCOMPLETE(address),
		changed: () => messages.URL_FILE_CHANGED(address),
		unreachable: (fact) => TROUBLES[fact.trouble](address, troubleMessage(fact)),
	})(facts);
