/**
 * `npm run docs`: writes what the built nodes say of their fields into `docs/nodes/`, every message of the code into its
 * page, and the tests of each promise below the promises.
 */
import { join } from 'node:path';
import type { INodeType } from 'n8n-workflow';
import { n8n } from '../package.json';
import { updatePage } from './docs/nodePages';
import { updatePromises } from './docs/promisedTests';
import { updateTroubleshooting } from './docs/troubleshooting';
import { projectRoot } from './n8nHost/environment';

async function main(): Promise<void> {
	for (const file of n8n.nodes) {
		const [Node] = Object.values((await import(join(projectRoot, file))) as Record<string, unknown>).filter(isNode);
		if (Node === undefined) throw new Error(`${file} exports no node`);
		updatePage(new Node().description);
	}
	updateTroubleshooting();
	updatePromises();
}

const isNode = (one: unknown): one is new () => INodeType => typeof one === 'function';

void main();
