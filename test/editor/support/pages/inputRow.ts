import type { Locator } from 'playwright-core';
import { until } from '../../../e2e/support/until';
import type { Person } from './person';

const ENTRY_STAYS_MS = 10_000;

/** One row of *Inputs*: what to change in the workflow, and its value. */
export class InputRow {
	constructor(
		private readonly person: Person,
		private readonly panel: Locator,
		private readonly index: number,
	) {}

	/** Opens the list. Returns its entries. */
	async open(): Promise<Locator> {
		const entries = this.person.find('rlc-item');
		await this.person.open(this.locator().getByTestId('rlc-input'), entries.first());
		return entries;
	}

	/** Opens an empty list, and waits for the message in it. */
	async openInVain(words: RegExp): Promise<void> {
		await this.person.open(this.locator().getByTestId('rlc-input'), this.person.page.getByText(words));
	}

	/**
	 * n8n's editor empties an open list when a parameter of the node changes after the list was filled, and fills it only when
	 * it is opened again. What was typed into another field just before is such a change: n8n takes it over 0.2 s later.
	 */
	async choose(name: string | RegExp): Promise<void> {
		await until(`"${name}" in the list`, async () => {
			const entry = (await this.open()).filter({ hasText: name }).first();
			return await this.person.clickWithin(entry, ENTRY_STAYS_MS);
		});
	}

	/** The chosen input. */
	async chosen(): Promise<string> {
		return await this.locator().getByTestId('rlc-input').inputValue();
	}

	/** Sets *Value From*. */
	async takeValueFrom(source: 'Text or Expression' | 'Choice'): Promise<void> {
		await this.person.choose(
			this.panel.getByTestId('parameter-input-valueFrom').nth(this.index),
			this.person.page.locator('.el-select-dropdown__item:visible').filter({ hasText: source }).first(),
		);
	}

	/** Opens *Choice*, and enters the words in its search. Returns the entries once all of them contain the words. */
	async searchChoices(words: string): Promise<Locator> {
		const entries = this.person.find('rlc-item');
		await this.person.open(this.choiceField(), entries.first());
		// n8n puts the cursor into the search by itself.
		await this.person.find('rlc-search').and(this.person.page.locator(':focus')).waitFor();
		await this.person.page.keyboard.insertText(words);
		await entries.filter({ hasNotText: words }).first().waitFor({ state: 'hidden' });
		await entries.first().waitFor();
		return entries;
	}

	/** The chosen value of *Choice*. */
	async choice(): Promise<string> {
		return await this.choiceField().inputValue();
	}

	async enter(text: string): Promise<void> {
		await this.person.paste(this.valueField().locator('textarea, input').first(), text);
	}

	/** Waits until n8n shows the result below the field. Then leaves the field, because its preview would cover the next fields. */
	async toExpression(expression: string): Promise<void> {
		await this.valueField().hover();
		await this.person.click(
			this.panel.getByTestId('value-parameter-input-options-container').nth(this.index).getByTestId('radio-button-expression'),
		);
		const field = this.valueField().locator('.cm-content');
		await this.person.paste(field, expression);
		await field.blur();
		await this.withResult().nth(this.index).getByTestId('parameter-expression-preview-value').waitFor();
	}

	/** The text of the value field. */
	async value(): Promise<string> {
		const editor = this.valueField().locator('.cm-content');
		return (await editor.count()) > 0 ? await editor.innerText() : await this.valueField().locator('textarea, input').first().inputValue();
	}

	private locator(): Locator {
		return this.panel.getByTestId('parameter-input-input').nth(this.index);
	}

	/** *Choice* of this row. Other rows can be without one. */
	private choiceField(): Locator {
		const row = this.locator().locator('xpath=ancestor::*[.//*[@data-test-id="parameter-input-choice"]][1]');
		return row.getByTestId('parameter-input-choice').getByTestId('rlc-input');
	}

	/** All values, each with its preview. */
	private withResult(): Locator {
		return this.panel.getByTestId('parameter-input').filter({ has: this.person.find('parameter-input-value') });
	}

	private valueField(): Locator {
		return this.panel.getByTestId('parameter-input-value').nth(this.index);
	}
}
