import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../../scripts/n8nHost/environment';
import type { Person } from './pages/person';

/** The notation of README: **a click**, `typed text`, *the label of a field*. */
type Kind = 'press' | 'type' | 'label';

interface Word {
	kind: Kind;
	text: string;
}

const WORD = /\*\*([^*]+)\*\*|`([^`]+)`|\*([^*]+)\*/g;

const wordsOf = (text: string): Word[] =>
	[...text.matchAll(WORD)].map(([, pressed, typed, label]) =>
		pressed !== undefined
			? { kind: 'press', text: pressed }
			: typed !== undefined
				? { kind: 'type', text: typed }
				: { kind: 'label', text: String(label) },
	);

const sectionOf = (heading: string): string => {
	const readme = readFileSync(join(projectRoot, 'README.md'), 'utf8');
	const section = readme.split(/^## /m).find((one) => one.startsWith(`${heading}\n`));
	if (section === undefined) throw new Error(`README has no section "${heading}"`);
	return section;
};

/** The numbered steps of a section of README. */
export const stepsOf = (heading: string): string[] => [...sectionOf(heading).matchAll(/^\d+\. (.*)$/gm)].map(([, step]) => String(step));

/** The paragraph of a section of README that begins with this text. */
export function paragraphOf(heading: string, beginning: string): string {
	const paragraph = sectionOf(heading)
		.split('\n')
		.find((line) => line.startsWith(beginning));
	if (paragraph === undefined) throw new Error(`README, "${heading}", has no paragraph that begins with "${beginning}"`);
	return paragraph;
}

/** A user who follows the steps of README literally. Each element that a step names must be visible. */
export class Reader {
	private left: Word[] = [];

	constructor(private readonly person: Person) {}

	/** Does one step. `act` must use all marked words of the step. */
	async follow(step: string, act: () => Promise<unknown>): Promise<void> {
		this.left = wordsOf(step);
		await act();
		if (this.left.length > 0)
			throw new Error(`The test does not use these words of README: ${this.left.map(({ text }) => text).join(', ')}, in: ${step}`);
	}

	/** Clicks the element with the next word as its text. */
	async press(): Promise<void> {
		await this.person.click(this.person.page.getByText(this.next('press'), { exact: true }).locator('visible=true').first());
	}

	/** Returns the next word, which the caller clicks. */
	choice(): string {
		return this.next('press');
	}

	async type(): Promise<void> {
		await this.person.page.keyboard.insertText(this.next('type'));
	}

	/** Finds the field that README names. n8n adds text after the label. */
	async see(): Promise<void> {
		const label = new RegExp(`^\\s*${this.next('label')}(?!\\w)`);
		await this.person.page.locator('label:visible').filter({ hasText: label }).first().waitFor();
	}

	/** Returns the next label as the value of a field. */
	value(): string {
		return this.next('label');
	}

	private next(kind: Kind): string {
		const word = this.left.shift();
		if (word?.kind !== kind) throw new Error(`README says ${word === undefined ? 'nothing more' : `"${word.text}"`}, nothing to ${kind}`);
		return word.text;
	}
}
