import { ComfyError, ConnectionError, type ConnectionTrouble, IntegrityError, StoppedError, UnreadableAnswerError } from '../../errors';
import type { FileKind } from '../../graph/inputs/files';

export type WebFileFacts =
	/** It is no address, or not one of http or https. */
	| { fault: 'bad_address' }
	| { fault: 'too_large'; limitBytes: number; sizeBytes: number | null }
	| { fault: 'empty' }
	/** A web page, where a file is meant. */
	| { fault: 'web_page' }
	| { fault: 'wrong_kind'; kind: FileKind; contentType: string }
	/** An answer that is no file. */
	| { fault: 'refused'; status: number }
	| { fault: 'redirects' }
	/** The server ended it early, again and again. */
	| { fault: 'cut' }
	/** Its bytes became others while they were received. */
	| { fault: 'changed' }
	/** `origin`: of the hop that was not reached. */
	| { fault: 'unreachable'; trouble: ConnectionTrouble; origin: string };

/** A file on the web that cannot be had. Never worth another try at once: that has been done. */
export class WebFileError extends ComfyError {
	constructor(
		/** Scheme, host and path: the rest may be secret. Empty for no address. */
		readonly address: string,
		readonly facts: WebFileFacts,
		options?: ErrorOptions,
	) {
		super(`No file from ${address} (${facts.fault})`, options);
	}
}

/** What ended the reading of a file, as a WebFileError; stops, and faults told already, pass through. */
export function webFileError(error: unknown, address: string, receivedBytes: number): unknown {
	if (error instanceof StoppedError || error instanceof WebFileError) return error;
	const facts = factsOf(error, receivedBytes);
	return facts === undefined ? error : new WebFileError(address, facts, { cause: error });
}

function factsOf(error: unknown, receivedBytes: number): WebFileFacts | undefined {
	if (error instanceof ConnectionError)
		return error.trouble === 'lost' && receivedBytes > 0
			? { fault: 'cut' }
			: { fault: 'unreachable', trouble: error.trouble, origin: error.origin };
	if (error instanceof IntegrityError) return { fault: 'changed' };
	if (!(error instanceof UnreadableAnswerError)) return undefined;
	const { reason, status } = error.facts;
	if (reason === 'truncated') return { fault: receivedBytes === 0 ? 'empty' : 'cut' };
	return status >= 300 && status < 400 ? { fault: 'redirects' } : { fault: 'refused', status };
}
