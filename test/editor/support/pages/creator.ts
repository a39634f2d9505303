import type { Locator } from 'playwright-core';
import type { OurNode } from '../ourNodes';
import type { Person } from './person';

/** The ways to open the list of nodes. */
export type CreatorView = 'first step' | 'what happens next' | 'action in an app' | 'plus of a node';
export const creatorViews: CreatorView[] = ['first step', 'what happens next', 'action in an app', 'plus of a node'];

const NOTHING_IS_CALLED_SO = 'qzxjvwk';

/** The list of nodes on the right. */
export class Creator {
	constructor(private readonly person: Person) {}

	async openAt(view: CreatorView): Promise<void> {
		await this.person.click(this.person.find('canvas-add-button').getByRole('button').first());
		if (view !== 'first step') await this.chooseTrigger('Trigger manually');
		if (view === 'plus of a node') await this.person.click(this.person.find('canvas-handle-plus').first());
		else if (view !== 'first step') await this.open();
		if (view === 'action in an app') await this.person.click(this.item('Action in an app'));
		await this.searchBar().waitFor();
	}

	/** Chooses a trigger that n8n offers as a first step. */
	async chooseTrigger(name: string): Promise<void> {
		await this.person.click(this.item(name));
		await this.person.find('canvas-node').waitFor();
	}

	/** Clicks the "+" at the edge of the canvas. */
	async open(): Promise<void> {
		await this.person.click(this.person.find('node-creator-plus-button'));
	}

	/** Enters the words. Returns the names in the list, from top to bottom. */
	async search(words: string): Promise<string[]> {
		// n8n searches a moment after the last key, and until then shows what was found before.
		await this.person.write(this.searchBar(), NOTHING_IS_CALLED_SO);
		await this.person.find('node-creator-no-results').waitFor();
		await this.person.write(this.searchBar(), words);
		await this.person.find('node-creator-no-results').waitFor({ state: 'hidden' });
		return (await this.person.find('node-creator-item-name').allInnerTexts()).map((name) => name.trim());
	}

	/** Waits until the search field has the focus. */
	async untilOpen(): Promise<void> {
		await this.person.page.locator('[data-test-id="node-creator-search-bar"]:focus').waitFor();
	}

	/** Searches the node and opens its details: community nodes are added from there. */
	async openDetails(displayName: string): Promise<void> {
		await this.search(displayName);
		await this.person.click(this.item(displayName));
		await this.person.page.getByText('Node details').waitFor();
	}

	async choose({ name, action }: OurNode): Promise<void> {
		await this.openDetails(name);
		await this.addFromDetails(action);
	}

	/** Enters the words in the open list, and chooses the first result. */
	async chooseFirst(words: string, { name, action }: OurNode): Promise<void> {
		await this.untilOpen();
		await this.person.page.keyboard.insertText(words);
		const first = this.person.find('node-creator-item-name').first().filter({ hasText: name });
		await this.person.click(first);
		await this.addFromDetails(action);
	}

	private async addFromDetails(action?: string): Promise<void> {
		await this.person.click(
			action === undefined
				? this.person.page.getByRole('button', { name: 'Add to workflow' })
				: this.root().getByText(action, { exact: true }),
		);
	}

	root(): Locator {
		return this.person.find('node-creator');
	}

	private item(name: string) {
		return this.person.find('node-creator-item-name').filter({ hasText: name }).first();
	}

	private searchBar() {
		return this.person.find('node-creator-search-bar');
	}
}
