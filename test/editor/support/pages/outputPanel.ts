import { isDeepStrictEqual } from 'node:util';
import type { Locator } from 'playwright-core';
import { until } from '../../../e2e/support/until';
import type { Person } from './person';

/** The size of a picture that the browser has drawn, in the picture's own pixels. */
export interface ShownPicture {
	naturalWidth: number;
	naturalHeight: number;
}

/** The output at the right of a node's panel. */
export class OutputPanel {
	constructor(private readonly person: Person) {}

	private get root(): Locator {
		return this.person.find('output-panel');
	}

	async untilDone(): Promise<void> {
		await this.root.getByTestId('node-run-status-success').waitFor();
	}

	async text(): Promise<string> {
		return await this.root.innerText();
	}

	/** The field's values as the table shows them, from the first item on. */
	async column(field: string): Promise<string[]> {
		await this.person.click(this.root.getByTestId('radio-button-table'));
		const heads = this.root.locator('thead th');
		await heads.filter({ hasText: field }).first().waitFor();
		const index = (await heads.allInnerTexts()).findIndex((head) => head.trim() === field);
		const rows = await this.root.locator('tbody tr').all();
		return await Promise.all(rows.map(async (row) => (await row.locator('td').nth(index).innerText()).trim()));
	}

	/** Until the table shows these values: what an earlier run gave stays in sight until the next has ended. */
	async untilColumn(field: string, values: string[]): Promise<void> {
		await until(`"${values.join(', ')}" in the output's column ${field}`, async () => {
			return isDeepStrictEqual(await this.column(field), values) || undefined;
		});
	}

	/** Switches to *Binary* and presses *View* of the first file. */
	async viewPicture(): Promise<ShownPicture> {
		await this.person.click(this.root.getByTestId('radio-button-binary'));
		return await this.view();
	}

	/** Presses *View*: n8n shows the files of a node by itself where it had none before. */
	async view(): Promise<ShownPicture> {
		await this.person.click(this.root.getByTestId('ndv-view-binary-data').first());
		return await this.picture();
	}

	/** The one that is in sight. */
	async picture(): Promise<ShownPicture> {
		const image = this.person.page.locator('img[src*="binary-data"]:visible').first();
		await image.waitFor();
		return await until('the picture in the output panel', async () => {
			const shown = await image.evaluate(({ naturalWidth, naturalHeight }: ShownPicture) => ({ naturalWidth, naturalHeight }));
			return shown.naturalWidth > 0 ? shown : undefined;
		});
	}
}
