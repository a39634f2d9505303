import { isDeepStrictEqual } from 'node:util';
import type { Locator } from 'playwright-core';
import { until } from '../../../e2e/support/until';
import type { Person } from './person';

/** The size of a displayed image, in its own pixels. */
interface ShownImage {
	naturalWidth: number;
	naturalHeight: number;
}

interface ShownRow {
	cells: Iterable<{ innerText: string }>;
}

/** The output on the right of a node's panel. */
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

	async untilText(words: string): Promise<void> {
		await until(`"${words}" in the output panel`, async () => (await this.text()).includes(words) || undefined);
	}

	/** The field's values as the table shows them, from the first item. It reads all values at the same time, because they can change. */
	async column(field: string): Promise<string[]> {
		await this.person.click(this.root.getByTestId('radio-button-table'));
		await this.root.locator('thead th').filter({ hasText: field }).first().waitFor();
		const [heads = [], ...rows] = await this.root
			.locator('table tr')
			.evaluateAll((all: ShownRow[]) => all.map(({ cells }) => Array.from(cells, ({ innerText }) => innerText.trim())));
		const index = heads.indexOf(field);
		return rows.map((cells) => cells[index] ?? '');
	}

	/** Waits until the table shows these values. The output of an earlier run stays visible until the next run ends. */
	async untilColumn(field: string, values: string[]): Promise<void> {
		await until(`"${values.join(', ')}" in the output's column ${field}`, async () => {
			return isDeepStrictEqual(await this.column(field), values) || undefined;
		});
	}

	/** Presses *View*: n8n shows the files of a node by itself if it had none before. */
	async view(): Promise<ShownImage> {
		await this.person.click(this.root.getByTestId('ndv-view-binary-data').first());
		return await this.image();
	}

	/** The image that the panel displays. */
	async image(): Promise<ShownImage> {
		const image = this.person.page.locator('img[src*="binary-data"]:visible').first();
		await image.waitFor();
		return await until('the image in the output panel', async () => {
			const shown = await image.evaluate(({ naturalWidth, naturalHeight }: ShownImage) => ({ naturalWidth, naturalHeight }));
			return shown.naturalWidth > 0 ? shown : undefined;
		});
	}
}
