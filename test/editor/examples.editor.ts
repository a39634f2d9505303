import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importCredentials, projectRoot, readExample } from '../../scripts/n8nHost';
import { sandboxCredentials } from '../../scripts/sandboxCredentials';
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
	// Where opening it changed a parameter, n8n would call what it shows outdated.
	await panel.output.untilDone();
	return (await panel.output.viewPicture()).naturalWidth;
}

scene('T5: First Picture is imported, runs, and shows its picture', async (editor) => {
	await editor.importFile(example('first-picture'));
	await chooseForAll(editor, staged.session, 'comfyApi', ['Comfy Run Workflow']);
	await expect(pictureWidth(editor, 'Comfy Run Workflow')).resolves.toBe(512);
});

scene('an example keeps its Inputs when one of several credentials is chosen', async (editor) => {
	const ours = sandboxCredentials(staged.session.sandbox).filter(({ type }) => type === 'comfyApi');
	const [second] = await importCredentials(
		staged.session.rest,
		ours.map((one) => ({ ...one, name: 'Second Account' })),
	);
	await editor.newWorkflow();
	await editor.importFile(example('first-picture'));
	const panel = await editor.openNode('Comfy Run Workflow');
	await panel.chooseCredential(second!);
	await panel.close();
	await expect(pictureWidth(editor, 'Comfy Run Workflow')).resolves.toBe(512);
	const { nodes } = await readExample('first-picture');
	expect(nodes.every(({ credentials }) => credentials === undefined)).toBe(true);
	await staged.session.rest.deleteCredential(second!);
});

scene('Step By Step is imported, runs, and shows its picture', async (editor) => {
	await editor.importFile(example('step-by-step'));
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

/** As README's table of recipes links them. */
const RECIPES = [...readFileSync(join(projectRoot, 'README.md'), 'utf8').matchAll(/\]\(examples\/([\w-]+)\.json\)/g)].map(([, name]) =>
	String(name),
);

scene('each of README’s recipes is imported whole, and n8n knows all of its nodes', async (editor) => {
	expect(RECIPES).toHaveLength(5);
	for (const name of RECIPES) {
		const { nodes } = await readExample(name);
		await editor.newWorkflow();
		await editor.importFile(example(name));
		const shown = nodes.filter(({ type }) => !type.endsWith('.stickyNote')).map(({ type }) => type);
		await editor.canvas.untilTypes(shown);
		const messages = await editor.page.locator('.el-notification').allInnerTexts();
		expect(messages.filter((message) => !message.startsWith('Credentials auto-added'))).toEqual([]);
		await expect(editor.page.getByText('Install this node').count()).resolves.toBe(0);
	}
});
