/**
 * `npm run docs`: writes the fields of the built nodes into `docs/nodes/`, every message of the code into
 * `docs/development/messages.md`, its code into `docs/troubleshooting.md`, and the tests of each guarantee into `docs/development/promise-tests.md`.
 */
import { join } from 'node:path';
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { n8n } from '../package.json';
import { updatePages } from './docs/nodePages';
import { updatePromiseTests } from './docs/promisedTests';
import { updateTroubleshooting } from './docs/troubleshooting';
import { projectRoot } from './n8nHost/environment';

async function main(): Promise<void> {
	const descriptions: INodeTypeDescription[] = [];
	for (const file of n8n.nodes) {
		const [Node] = Object.values((await import(join(projectRoot, file))) as Record<string, unknown>).filter(isNode);
		if (Node === undefined) throw new Error(`${file} exports no node`);
		descriptions.push(new Node().description);
	}
	updatePages(descriptions);
	updateTroubleshooting();
	updatePromiseTests();
}

const isNode = (one: unknown): one is new () => INodeType => typeof one === 'function';

void main();
