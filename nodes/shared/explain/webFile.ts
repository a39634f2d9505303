import { type FileKind, formatMegabytes, type WebFileError, type WebFileFacts } from '../../../client';
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

function kindOfStatus(status: number): 'notPublic' | 'notFound' | 'unavailable' | 'other' {
	if (status === 401 || status === 403) return 'notPublic';
	if (status === 404 || status === 410) return 'notFound';
	return status === 429 || status >= 500 ? 'unavailable' : 'other';
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
		wrong_kind: ({ kind, contentType }) =>
			messages.URL_FILE_OF_WRONG_KIND(address, typeName(contentType), KINDS[kind], conversionAdvice(contentType)),
		refused: ({ status }) => messages.URL_REJECTED(address, status, kindOfStatus(status)),
		redirects: () => messages.URL_REDIRECTS(address),
		cut: () => messages.URL_FILE_INCOMPLETE(address),
		changed: () => messages.URL_FILE_CHANGED(address),
		unreachable: (fact) => messages.URL_NOT_DOWNLOADED(address, fact.trouble, troubleMessage(fact)),
	})(facts);
