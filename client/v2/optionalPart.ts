import type { ServiceAddress } from '../requests/address';
import { ApiError, UnreadableAnswerError } from '../errors/errors';
import { type Decision, logDecision } from '../log/observer';
import { outcomeOf, valueOrThrow } from '../async/outcome';
import { Cache } from '../cache/cache';

/** One rejection may have another cause than the service, so the part is tried again after this time. */
const REJECTION_TTL_MS = 60 * 60 * 1000;
const MOST_SERVICES = 1_000;

/** Codes of services that reject any unknown or malformed field. */
const POSSIBLE_CODES: ReadonlySet<string> = new Set(['invalid_request', 'invalid_body']);

/** A part of a submission that some services reject. A rejected part never fails a job. */
export class OptionalPart {
	/** The services that rejected it in this process, by origin and prefix. */
	private readonly rejectingServices = new Cache<string, true>({ mostEntries: MOST_SERVICES, ttlMs: REJECTION_TTL_MS });

	/**
	 * @param rejection the log event when a submission is sent again without it.
	 * @param codes that reject only this part.
	 */
	constructor(
		private readonly rejection: 'sent_without_labels' | 'sent_without_editor_file',
		private readonly codes: ReadonlySet<string> = new Set(),
	) {}

	isRejectedBy(address: ServiceAddress): boolean {
		return this.rejectingServices.has(keyOf(address));
	}

	/**
	 * Sends a submission with the part and, if this is rejected, again without it. The service checks it before it makes a job, and
	 * does not use up the key.
	 */
	async send<T>(address: ServiceAddress, send: (hasPart: boolean) => Promise<T>): Promise<T> {
		if (this.isRejectedBy(address)) return await send(false);
		const complete = await outcomeOf(send(true));
		if (complete.ok) return complete.value;
		const { error } = complete;
		if (!this.mayReject(error)) throw error;
		logDecision({ kind: this.rejection, error } satisfies Decision);
		const reduced = await outcomeOf(send(false));
		if (reduced.ok || (error instanceof ApiError && this.codes.has(error.code))) this.rejectingServices.set(keyOf(address), true);
		return valueOrThrow(reduced);
	}

	private mayReject(error: unknown): boolean {
		if (error instanceof UnreadableAnswerError) return [400, 422].includes(error.status);
		return error instanceof ApiError && (this.codes.has(error.code) || POSSIBLE_CODES.has(error.code));
	}
}

const keyOf = ({ origin, prefix }: ServiceAddress): string => origin + prefix;

/** The editor's file in `extra_data.extra_pnginfo`. The API proxy 0.1.6 answers 400 to it. */
export const editorFilePart = new OptionalPart('sent_without_editor_file');
