import { join } from 'node:path';
import { projectRoot } from '../../scripts/n8nHost';
import { onlyOf } from './support/credentials';
import { stage } from './support/scenes';
import type { Editor } from './support/pages/editor';

const staged = stage();
const { scene } = staged;

const example = (name: string): string => join(projectRoot, 'examples', `${name}.json`);

async function choose(editor: Editor, type: string, nodes: string[]): Promise<void> {
	for (const name of nodes) {
		const panel = await editor.openNode(name);
		await panel.chooseCredential(onlyOf(staged.session, type));
		await panel.close();
	}
}

async function lookAtPicture(editor: Editor, node: string): Promise<number> {
	await editor.canvas.execute();
	await editor.canvas.untilDone(node);
	const panel = await editor.openNode(node);
	const { naturalWidth } = await panel.output.viewPicture();
	return naturalWidth;
}

scene('T5: First Picture is imported, runs, and shows its picture', async (editor) => {
	await editor.importFile(example('first-picture'));
	await choose(editor, 'comfyApi', ['Upload', 'Submit', 'Wait', 'Get Workflow', 'Download']);
	await expect(lookAtPicture(editor, 'Download')).resolves.toBeGreaterThan(0);
});

scene('T5: Bare ComfyUI is imported, runs, and shows its picture', async (editor) => {
	await editor.importFile(example('bare-comfyui'));
	await choose(editor, 'comfySelfHostedApi', ['Submit', 'Wait For Job', 'Download']);
	await expect(lookAtPicture(editor, 'Download')).resolves.toBe(256);
});
