import { ApiError, ConnectionError, NoServerError, StoppedError, UnreadableAnswerError } from '../../client';

/** Why a request to the engine came to nothing, and what to look at. */
export function wordsOf(error: unknown): string {
	if (error instanceof StoppedError || (error instanceof Error && error.name === 'AbortError'))
		return 'the time was over; a busy or slow ComfyUI needs more: --seconds';
	if (error instanceof NoServerError || error instanceof ConnectionError)
		return `${error.message}. Is ComfyUI running, and started with --listen if it is on another computer?`;
	if (error instanceof UnreadableAnswerError) return unreadable(error.facts);
	if (error instanceof ApiError)
		return error.code === 'unauthorized' ? ASKS_FOR_AUTHORIZATION : `ComfyUI answered ${error.status}: ${error.message}`;
	return error instanceof Error ? error.message : String(error);
}

const ASKS_FOR_AUTHORIZATION = 'a reverse proxy asks for an Authorization: give it with --authorization, e.g. "Basic dXNlcjpwYXNzd29yZA=="';

function unreadable({ reason, status, contentType, address }: UnreadableAnswerError['facts']): string {
	if (status === 401) return ASKS_FOR_AUTHORIZATION;
	const what = {
		html: 'a web page',
		truncated: 'half an answer',
		not_json: `no JSON (${contentType ?? 'no content type'})`,
		unexpected: 'an answer that ComfyUI does not give',
		other_origin: 'a redirect to another server',
	}[reason];
	return `found ${what} (HTTP ${status}) at ${address}, not ComfyUI. Give the address of ComfyUI itself, usually port 8188`;
}

/** Something does not hold; the message says why, for people. */
export class Unmet extends Error {}

/** It could not be shown here, which proves nothing against it. */
export class NotShown extends Error {}

export function hold(isSo: boolean, otherwise: string): asserts isSo {
	if (!isSo) throw new Unmet(otherwise);
}

const WIDTH = 22;

/** Prints one line for each check. */
export class Report {
	held = 0;
	failed = 0;
	notShown = 0;

	/** @param wordsOf what to say of an error of the client. */
	constructor(
		private readonly print: (line: string) => void,
		private readonly wordsOf: (error: unknown) => string,
	) {}

	/**
	 * @param work returns what to say of its success, and what later checks need of it.
	 * @returns undefined where it does not hold.
	 */
	async check<T>(name: string, work: () => Promise<Shown<T>>): Promise<T | undefined> {
		try {
			const { said, value } = await work();
			this.held++;
			this.line('✓', name, said);
			return value;
		} catch (error) {
			const isOpen = error instanceof NotShown;
			if (isOpen) this.notShown++;
			else this.failed++;
			this.line(isOpen ? '–' : '✗', name, error instanceof Unmet || isOpen ? error.message : this.wordsOf(error));
			return undefined;
		}
	}

	private line(mark: string, name: string, text: string): void {
		this.print(`${mark} ${name.padEnd(WIDTH)}${text}`);
	}
}

export interface Shown<T = unknown> {
	said: string;
	value?: T;
}
