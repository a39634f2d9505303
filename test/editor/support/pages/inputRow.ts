import type { Locator } from 'playwright-core';
import type { Person } from './person';

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

	/** Opens a list that has nothing to choose, and waits for what it says instead. */
	async openInVain(words: RegExp): Promise<void> {
		await this.person.open(this.locator().getByTestId('rlc-input'), this.person.page.getByText(words));
	}

	async choose(name: string | RegExp): Promise<void> {
		const entries = await this.open();
		await this.person.click(entries.filter({ hasText: name }).first());
	}

	/** What the row says was chosen. */
	async chosen(): Promise<string> {
		return await this.locator().getByTestId('rlc-input').inputValue();
	}

	async enter(text: string): Promise<void> {
		await this.person.paste(this.valueField().locator('textarea, input').first(), text);
	}

	async toExpression(expression: string): Promise<void> {
		await this.valueField().hover();
		await this.person.click(
			this.panel.getByTestId('value-parameter-input-options-container').nth(this.index).getByTestId('radio-button-expression'),
		);
		await this.person.paste(this.valueField().locator('.cm-content'), expression);
	}

	/** The value as it is written there. */
	async value(): Promise<string> {
		const editor = this.valueField().locator('.cm-content');
		return (await editor.count()) > 0 ? await editor.innerText() : await this.valueField().locator('textarea, input').first().inputValue();
	}

	private locator(): Locator {
		return this.panel.getByTestId('parameter-input-input').nth(this.index);
	}

	private valueField(): Locator {
		return this.panel.getByTestId('parameter-input-value').nth(this.index);
	}
}
