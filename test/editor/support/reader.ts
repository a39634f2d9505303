import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../../scripts/n8nHost/environment';
import type { Person } from './pages/person';

/** As README writes them: **what is pressed**, `what is typed`, *the label of a field*. */
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

/** The numbered steps of one of README's sections. */
export const stepsOf = (heading: string): string[] => [...sectionOf(heading).matchAll(/^\d+\. (.*)$/gm)].map(([, step]) => String(step));

/** The paragraph of one of README's sections that begins so. */
export function paragraphOf(heading: string, beginning: string): string {
	const paragraph = sectionOf(heading)
		.split('\n')
		.find((line) => line.startsWith(beginning));
	if (paragraph === undefined) throw new Error(`README, "${heading}", says nothing that begins with "${beginning}"`);
	return paragraph;
}

/** Somebody who follows README by its own words, in its order: what it names must be there to be seen. */
export class Reader {
	private left: Word[] = [];

	constructor(private readonly person: Person) {}

	/** Does one step, which has to use all of its words. */
	async follow(step: string, act: () => Promise<unknown>): Promise<void> {
		this.left = wordsOf(step);
		await act();
		if (this.left.length > 0)
			throw new Error(`README says more than is done: ${this.left.map(({ text }) => text).join(', ')}, in: ${step}`);
	}

	/** Presses what says the next word. */
	async press(): Promise<void> {
		await this.person.click(this.person.page.getByText(this.next('press'), { exact: true }).locator('visible=true').first());
	}

	/** The next word is pressed by who knows its place. */
	choice(): string {
		return this.next('press');
	}

	async type(): Promise<void> {
		await this.person.page.keyboard.insertText(this.next('type'));
	}

	/** Finds the field that README names; n8n writes more behind its label. */
	async see(): Promise<void> {
		const label = new RegExp(`^\\s*${this.next('label')}(?!\\w)`);
		await this.person.page.locator('label:visible').filter({ hasText: label }).first().waitFor();
	}

	/** What README names is the value of a field. */
	value(): string {
		return this.next('label');
	}

	private next(kind: Kind): string {
		const word = this.left.shift();
		if (word?.kind !== kind) throw new Error(`README says ${word === undefined ? 'nothing more' : `"${word.text}"`}, nothing to ${kind}`);
		return word.text;
	}
}
