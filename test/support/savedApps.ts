import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOM = join(__dirname, '../client/graph/app/recorded');

/** An app of our own drawing, as ComfyUI saved it, with a model that the sandbox has. */
export const appText = (name: string): string => {
	const { workflow } = JSON.parse(readFileSync(join(ROOM, `${name}.json`), 'utf8')) as { workflow: object };
	return JSON.stringify(workflow).replaceAll('v1-5-pruned-emaonly.safetensors', 'v1-5-pruned-emaonly-fp16.safetensors');
};

interface SavedNode {
	id: number;
	inputs: Array<{ name: string; link: number | null }>;
	outputs: Array<{ links: number[] | null }>;
}

/** An app whose primitive node 8 feeds the texts of nodes 2 and 3. */
export function appWithSharedField(): string {
	const app = JSON.parse(appText('primitive')) as { nodes: SavedNode[]; links: unknown[] };
	for (const { id, inputs, outputs } of app.nodes) {
		for (const input of inputs) if (id === 3 && input.name === 'text') input.link = 99;
		for (const output of outputs) if (id === 8) output.links?.push(99);
	}
	return JSON.stringify({ ...app, links: [...app.links, [99, 8, 0, 3, 1, 'STRING']] });
}
