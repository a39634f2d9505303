import { isDeepStrictEqual } from 'node:util';
import type { Locator } from 'playwright-core';
import { until } from '../../../e2e/support/until';
import type { Person } from './person';

export class Canvas {
	constructor(private readonly person: Person) {}

	someNode(): Locator {
		return this.person.find('canvas-node').first();
	}

	node(name: string): Locator {
		return this.person.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	/** Types of all nodes, in the order in which they were added. */
	async types(): Promise<string[]> {
		const nodes = await this.person.find('canvas-node').all();
		return await Promise.all(nodes.map(async (node) => (await node.getAttribute('data-node-type')) ?? ''));
	}

	/** Waits until the canvas has nodes of these types only. */
	async untilTypes(types: string[]): Promise<void> {
		const wanted = types.toSorted();
		await until(`the nodes ${wanted.join(', ')}`, async () => isDeepStrictEqual((await this.types()).toSorted(), wanted) || undefined);
	}

	/** By node, what n8n lists as its issues: missing credentials and parameters. Nodes without an issue are left out. */
	async issues(): Promise<Record<string, string[]>> {
		const issues: Record<string, string[]> = {};
		for (const node of await this.person
			.find('canvas-node')
			.filter({ has: this.person.find('node-issues') })
			.all())
			issues[(await node.getAttribute('data-node-name')) ?? ''] = await this.issuesOf(node);
		return issues;
	}

	/** A reader of the screen gets the list a second time. */
	private async issuesOf(node: Locator): Promise<string[]> {
		const { page } = this.person;
		await node.getByTestId('node-issues').locator('svg').first().hover();
		const list = page.locator('.n8n-tooltip').filter({ hasText: 'Issues' }).first();
		await list.waitFor();
		const texts = await list.locator('li').allInnerTexts();
		await page.mouse.move(0, 0);
		await list.waitFor({ state: 'hidden' });
		return [...new Set(texts.map((text) => text.replace(/^[-•\s]+/, '').trim()))];
	}

	/** Clicks the empty canvas: n8n selects all nodes of an imported workflow. */
	async deselect(): Promise<void> {
		await this.person.page
			.locator('.vue-flow__pane')
			.first()
			.click({ position: { x: 12, y: 80 } });
	}

	/** The scale of the canvas: 1 shows texts at their full size. */
	async zoom(): Promise<number> {
		const style = await this.person.page.locator('.vue-flow__transformationpane').first().getAttribute('style');
		return Number(/scale\(([\d.]+)\)/.exec(style ?? '')?.[1]);
	}

	/** Nodes and sticky notes. */
	everything(): Locator {
		return this.person.page.locator('[data-test-id="canvas-node"], [data-test-id="sticky"]');
	}

	/** Also the lines between nodes: those of a loop can be below all nodes. */
	everythingAndLines(): Locator {
		return this.everything().or(this.person.page.locator('.vue-flow__edge-path'));
	}

	/** Clicks the "+" of an empty canvas, which has these words below it. */
	async addFirstStep(words = 'Add first step'): Promise<void> {
		await this.person.click(this.person.find('canvas-add-button').filter({ hasText: words }).getByRole('button').first());
	}

	/** Clicks the "+" after the last node. */
	async plusBehindLast(): Promise<void> {
		await this.person.click(this.person.find('canvas-handle-plus').first());
	}

	async execute(): Promise<void> {
		await this.person.click(this.person.find('execute-workflow-button'));
	}

	/** Waits until n8n shows that the node succeeded. */
	async untilDone(name: string, timeout?: number): Promise<void> {
		await this.node(name).getByTestId('canvas-node-status-success').first().waitFor({ timeout });
	}
}
