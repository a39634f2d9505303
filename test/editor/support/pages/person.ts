import type { Locator, Page } from 'playwright-core';
import { until } from '../../../e2e/support/until';

const LIST_OPENS_WITHIN_MS = 10_000;

/**
 * What a person does to the page. Counts the clicks, so that a way through the editor can be held to a number of them:
 * every press of the mouse or of a key, but not what is typed or pasted.
 */
export class Person {
	private made = 0;

	constructor(readonly page: Page) {}

	/** A double click is two. */
	get clicks(): number {
		return this.made;
	}

	find(testId: string): Locator {
		return this.page.getByTestId(testId);
	}

	async click(target: Locator): Promise<void> {
		await target.click();
		this.made += 1;
	}

	/** Clicks what stands there within this time. Returns undefined if it has gone by then. */
	async clickWithin(target: Locator, timeout: number): Promise<true | undefined> {
		const isClicked = await target.click({ timeout }).then(
			() => true,
			() => false,
		);
		if (!isClicked) return undefined;
		this.made += 1;
		return true;
	}

	async doubleClick(target: Locator): Promise<void> {
		await target.dblclick();
		this.made += 2;
	}

	/** Opens a list, until `shown` is in sight. n8n closes a list that was opened while the panel settled: then it is opened again. */
	async open(list: Locator, shown: Locator): Promise<void> {
		await this.click(list);
		await until('a list to open', async () => {
			const isOpen = await shown.waitFor({ timeout: LIST_OPENS_WITHIN_MS }).then(
				() => true,
				() => false,
			);
			if (!isOpen) await list.click({ timeout: LIST_OPENS_WITHIN_MS }).catch(() => undefined);
			return isOpen || undefined;
		});
	}

	async choose(list: Locator, item: Locator): Promise<void> {
		await this.open(list, item);
		await this.click(item);
	}

	/** Until a field holds this: it may be drawn before it is filled. */
	async untilValue(field: Locator, value: string): Promise<void> {
		await until(`"${value}" in a field`, async () => (await field.inputValue()) === value || undefined);
	}

	/** Replaces what is written there. */
	async write(target: Locator, text: string): Promise<void> {
		await target.fill(text);
	}

	/** One press of a key, alone or with others held. */
	async press(keys: string): Promise<void> {
		await this.page.keyboard.press(keys);
		this.made += 1;
	}

	/** Pastes or types into what is empty, or whose first words take no harm. */
	async paste(target: Locator, text: string): Promise<void> {
		await this.click(target);
		await this.page.keyboard.insertText(text);
	}

	/** The same, over what stands there. */
	async pasteOver(target: Locator, text: string): Promise<void> {
		await this.click(target);
		await this.press('ControlOrMeta+A');
		await this.page.keyboard.insertText(text);
	}
}
