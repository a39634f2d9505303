import type { ServiceAddress } from '../requests/address';
import { SupportMemory } from '../requests/supportMemory';
import { ApiError, UnreadableAnswerError } from '../errors/errors';
import { type Decision, logDecision } from '../log/observer';
import { outcomeOf, valueOrThrow } from '../async/outcome';

/** Codes of services that reject any unknown or malformed field. */
const POSSIBLE_CODES: ReadonlySet<string> = new Set(['invalid_request', 'invalid_body']);

/** A part of a submission that some services reject. A rejected part never fails a job. */
export class OptionalPart {
	/** The services that rejected it in this process, by origin and prefix. */
	private readonly support = new SupportMemory();

	/**
	 * @param rejection the log event when a submission is sent again without it.
	 * @param codes that reject only this part.
	 */
	constructor(
		private readonly rejection: 'sent_without_labels' | 'sent_without_editor_file',
		private readonly codes: ReadonlySet<string> = new Set(),
	) {}

	isRejectedBy(address: ServiceAddress): boolean {
		return this.support.isSupported(keyOf(address)) === false;
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
		if (reduced.ok || (error instanceof ApiError && this.codes.has(error.code))) this.support.note(keyOf(address), false);
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
