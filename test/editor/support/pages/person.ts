import type { Locator, Page } from 'playwright-core';
import { until } from '../../../e2e/support/until';

const LIST_OPENS_WITHIN_MS = 10_000;

/**
 * The actions of a user on the page. It counts clicks, so that a test can limit them. A mouse click or a key press is a click.
 * Typed and pasted text is not.
 */
export class Person {
	private made = 0;

	constructor(readonly page: Page) {}

	/** A double click is two clicks. */
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

	/** Clicks the target within this time. Returns undefined if the target disappears before. */
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

	/** Opens a list, until `shown` is in sight. n8n closes a list that opened while the panel was loading. Then it opens the list again. */
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

	/** Waits until a field has this value. n8n can show the field before its value. */
	async untilValue(field: Locator, value: string): Promise<void> {
		await until(`"${value}" in a field`, async () => (await field.inputValue()) === value || undefined);
	}

	/** Replaces the text of a field. */
	async write(target: Locator, text: string): Promise<void> {
		await target.fill(text);
	}

	/** Presses a key or a key combination. */
	async press(keys: string): Promise<void> {
		await this.page.keyboard.press(keys);
		this.made += 1;
	}

	/** Inserts text into an empty field, or at the start of its text. */
	async paste(target: Locator, text: string): Promise<void> {
		await this.click(target);
		await this.page.keyboard.insertText(text);
	}

	/** Replaces the text of a field by pasting. */
	async pasteOver(target: Locator, text: string): Promise<void> {
		await this.click(target);
		await this.press('ControlOrMeta+A');
		await this.page.keyboard.insertText(text);
	}
}
