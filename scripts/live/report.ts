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
