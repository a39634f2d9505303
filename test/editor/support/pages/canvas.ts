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

	/** Until nodes of these types stand there, and no others. */
	async untilTypes(types: string[]): Promise<void> {
		const wanted = types.toSorted();
		await until(`the nodes ${wanted.join(', ')}`, async () => isDeepStrictEqual((await this.types()).toSorted(), wanted) || undefined);
	}

	/** Nodes and notes. */
	everything(): Locator {
		return this.person.page.locator('[data-test-id="canvas-node"], [data-test-id="sticky"]');
	}

	/** What an empty canvas offers: a "+" with these words below it. */
	async addFirstStep(words = 'Add first step'): Promise<void> {
		await this.person.click(this.person.find('canvas-add-button').filter({ hasText: words }).getByRole('button').first());
	}

	/** The "+" behind the only node that has none after it. */
	async plusBehindLast(): Promise<void> {
		await this.person.click(this.person.find('canvas-handle-plus').first());
	}

	async execute(): Promise<void> {
		await this.person.click(this.person.find('execute-workflow-button'));
	}

	/** Until n8n shows that the node did its work. */
	async untilDone(name: string): Promise<void> {
		await this.node(name).getByTestId('canvas-node-status-success').first().waitFor();
	}
}
