import { ApiError, ConnectionError, StoppedError, UnreadableAnswerError } from '../../client';

const ASKS_FOR_AUTHORIZATION = 'a reverse proxy asks for an Authorization: give it with --authorization, e.g. "Basic dXNlcjpwYXNzd29yZA=="';

/** Why a request to the engine came to nothing, and what to look at. */
export function wordsOf(error: unknown): string {
	if (error instanceof StoppedError || (error instanceof Error && error.name === 'AbortError'))
		return 'the time was over; a busy or slow ComfyUI needs more: --seconds';
	if (error instanceof ConnectionError)
		return `${error.message}. Is ComfyUI running, and started with --listen if it is on another computer?`;
	if ((error instanceof UnreadableAnswerError || error instanceof ApiError) && error.status === 401) return ASKS_FOR_AUTHORIZATION;
	if (error instanceof UnreadableAnswerError)
		return `found something else than ComfyUI: ${error.message}. Give the address of ComfyUI itself, usually port 8188`;
	if (error instanceof ApiError) return `ComfyUI answered ${error.status}: ${error.message}`;
	return error instanceof Error ? error.message : String(error);
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

	constructor(private readonly print: (line: string) => void) {}

	/**
	 * @param work returns what to say of its success, and what later checks need of it.
	 * @returns undefined where it does not hold.
	 */
	async check<T>(name: string, work: () => Promise<{ said: string; value?: T }>): Promise<T | undefined> {
		try {
			const { said, value } = await work();
			this.held++;
			this.print(`✓ ${name.padEnd(WIDTH)}${said}`);
			return value;
		} catch (error) {
			const isOpen = error instanceof NotShown;
			if (isOpen) this.notShown++;
			else this.failed++;
			this.print(`${isOpen ? '–' : '✗'} ${name.padEnd(WIDTH)}${wordsOf(error)}`);
			return undefined;
		}
	}
}
