import { chooseForAll, example } from './support/examples';
import type { Editor } from './support/pages/editor';
import { stage } from './support/scenes';

const staged = stage();
const { scene } = staged;

/** Runs the workflow and looks at the picture in the node's output. Returns its width. */
async function pictureWidth(editor: Editor, node: string): Promise<number> {
	await editor.canvas.execute();
	await editor.canvas.untilDone(node);
	const panel = await editor.openNode(node);
	return (await panel.output.viewPicture()).naturalWidth;
}

scene('T5: First Picture is imported, runs, and shows its picture', async (editor) => {
	await editor.importFile(example('first-picture'));
	await chooseForAll(editor, staged.session, 'comfyApi', ['Upload', 'Submit', 'Wait', 'Get Workflow', 'Download']);
	await expect(pictureWidth(editor, 'Download')).resolves.toBeGreaterThan(0);
});

scene('T5: Bare ComfyUI is imported, runs, and shows its picture', async (editor) => {
	await editor.importFile(example('bare-comfyui'));
	await chooseForAll(editor, staged.session, 'comfySelfHostedApi', ['Submit', 'Wait For Job', 'Download']);
	await expect(pictureWidth(editor, 'Download')).resolves.toBe(256);
});

scene('Picture To Picture is imported, runs, and shows its picture', async (editor) => {
	await editor.importFile(example('picture-to-picture'));
	await chooseForAll(editor, staged.session, 'comfySelfHostedApi', ['Enlarge', 'Invert']);
	await expect(pictureWidth(editor, 'Invert')).resolves.toBe(256);
});
