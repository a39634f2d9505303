import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOM = join(__dirname, '../client/graph/app/recorded');

/** An app of our own drawing, as ComfyUI saved it, with a model that the sandbox has. */
export const appText = (name: string): string => {
	const { workflow } = JSON.parse(readFileSync(join(ROOM, `${name}.json`), 'utf8')) as { workflow: object };
	return JSON.stringify(workflow).replaceAll('v1-5-pruned-emaonly.safetensors', 'v1-5-pruned-emaonly-fp16.safetensors');
};
