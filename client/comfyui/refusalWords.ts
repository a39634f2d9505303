import { isRecord, type JsonRecord, textOr } from '../decode';

/** A text that is no JSON is somebody's own words; more than a few sentences are not. */
const LONGEST_MESSAGE = 500;

/** What the body of a refusal says, as far as it says anything. */
export interface RefusalWords {
	/** The service's own code; an engine says `type`. */
	code?: string;
	message?: string;
	/** `node_errors`, the engine's `type`, and whatever else was given. */
	details: JsonRecord;
}

/** `{code, message}`, `{error: {type|code, message, …}, node_errors}`, `{error: "text"}`, `{message}`, `{detail}`, or a bare text. */
export function refusalWords(body: unknown): RefusalWords {
	if (typeof body === 'string') return { message: body.trim().slice(0, LONGEST_MESSAGE), details: {} };
	if (!isRecord(body)) return { details: {} };
	const inner = isRecord(body.error) ? body.error : body;
	const type = inner === body ? undefined : textOr(inner.type, undefined);
	return {
		code: textOr(inner.code, type),
		message: textOr(inner.message, textOr(body.error, textOr(inner.detail, undefined))),
		details: {
			...detailsOf(inner.details),
			...(type !== undefined && { type }),
			...(hasEntries(inner.extra_info) && { extra_info: inner.extra_info }),
			...((type !== undefined || body.node_errors !== undefined) && { node_errors: nodeErrorsOf(body) }),
		},
	};
}

/** By node id; an empty list stands for no entries. */
export const nodeErrorsOf = ({ node_errors: errors }: JsonRecord): JsonRecord => (isRecord(errors) ? errors : {});

/** Engines say them in a sentence. */
function detailsOf(details: unknown): JsonRecord {
	if (isRecord(details)) return details;
	return details === undefined || details === null || details === '' ? {} : { details };
}

export const hasEntries = (value: unknown): boolean => typeof value === 'object' && value !== null && Object.keys(value).length > 0;
