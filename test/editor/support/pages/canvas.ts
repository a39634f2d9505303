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

	/** Nodes and sticky notes. */
	everything(): Locator {
		return this.person.page.locator('[data-test-id="canvas-node"], [data-test-id="sticky"]');
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
	async untilDone(name: string): Promise<void> {
		await this.node(name).getByTestId('canvas-node-status-success').first().waitFor();
	}
}
