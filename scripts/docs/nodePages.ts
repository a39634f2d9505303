import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeTypeDescription } from 'n8n-workflow';

import { projectRoot } from '../n8nHost/paths';
import { fieldTables } from './fieldTables';

const BEGIN = '<!-- From here to the end: what the node itself says. `npm run docs` writes it. -->';

/** `comfyRunWorkflow` → `docs/nodes/comfy-run-workflow.md`. */
export const pageOf = (nodeName: string): string =>
	`docs/nodes/${nodeName.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.md`;

/** The page as it should be: what people wrote, then what the node says. */
export function writtenPage(page: string, description: INodeTypeDescription): string {
	const [own = ''] = page.split(BEGIN);
	return `${own.trimEnd()}\n\n${BEGIN}\n\n## Fields\n\n${fieldTables(description)}\n`;
}

export const readPage = (nodeName: string): string => readFileSync(join(projectRoot, pageOf(nodeName)), 'utf8');

export function updatePage(description: INodeTypeDescription): void {
	writeFileSync(join(projectRoot, pageOf(description.name)), writtenPage(readPage(description.name), description));
}
