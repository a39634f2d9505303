import { submitToEngine } from '../e2e/support/engine';
import { until } from '../e2e/support/until';
import { savedTextToImage } from '../support/editorGraphs';
import { textToImage } from '../support/stockGraphs';
import { RUN } from './support/ourNodes';
import { stage } from './support/scenes';
import { beginWithServer, example, saveInComfy, submittedTo } from './support/server';

const staged = stage();
const { scene } = staged;

/** From an empty canvas, with a saved credential. Typing is not a click. */
const CLICKS_TO_AN_IMAGE = 10;
const PROMPT = 'a red fox in the snow';
const JSON_IN_SIGHT = /[{[]\s*"|class_type|widgets_values/;

const submitted = () => submittedTo(staged.session)[0];

scene('a workflow that was saved in ComfyUI is chosen from the list, changed and run, and no JSON is seen', async (editor) => {
	await saveInComfy(staged.session.sandbox.urls.engine, 'portraits/fox.json', savedTextToImage({ width: 256, height: 256 }));
	await beginWithServer(staged.session, editor);
	await editor.canvas.addFirstStep();
	const panel = await editor.addFirst('comfy', RUN);
	await expect(panel.redMarks()).resolves.toBe(0);

	const workflows = await panel.openWorkflows();
	await workflows
		.filter({ hasText: /^\s*Template · / })
		.first()
		.waitFor();
	expect((await workflows.first().innerText()).trim()).toMatch(/^fox · portraits · \d{4}-\d\d-\d\d/);
	await editor.person.click(workflows.filter({ hasText: 'fox · portraits' }));
	const row = panel.inputRow(1);
	await row.choose('Motif · text');
	await row.enter(PROMPT);
	expect(await panel.text()).not.toMatch(JSON_IN_SIGHT);
	await panel.run();
	await expect(panel.output.view()).resolves.toEqual({ naturalWidth: 256, naturalHeight: 256 });
	expect([submitted()?.['6']?.inputs.text, submitted()?.['3']?.inputs.seed]).toEqual([PROMPT, 156680208700286]);
	process.stdout.write(`From an empty canvas to an image, with a saved workflow: ${editor.clicks} clicks\n`);
	expect(editor.clicks).toBeLessThanOrEqual(CLICKS_TO_AN_IMAGE);

	// What is edited in ComfyUI is all that is needed.
	await saveInComfy(staged.session.sandbox.urls.engine, 'portraits/fox.json', savedTextToImage({ width: 384, height: 256 }));
	await panel.run();
	await panel.output.untilColumn('type', ['image']);
	expect([submitted()?.['5']?.inputs.width, submitted()?.['6']?.inputs.text]).toEqual([384, PROMPT]);
});

/** An image that ComfyUI saved. */
async function savedImage(): Promise<Buffer> {
	const { session } = staged;
	const jobId = await submitToEngine(session, textToImage);
	const { outputs } = await until('an image', async () => {
		const told = (await (await fetch(`${session.sandbox.urls.engine}/history/${jobId}`)).json()) as Record<
			string,
			{ outputs: Record<string, { images: Array<Record<string, string>> }> }
		>;
		return told[jobId];
	});
	const answer = await fetch(`${session.sandbox.urls.engine}/view?${new URLSearchParams(outputs['9']?.images[0])}`);
	return Buffer.from(await answer.arrayBuffer());
}

scene('a PNG that ComfyUI saved is dropped into the form of Run an Image Again, and runs again with another seed', async (editor) => {
	const picture = await savedImage();
	const credential = await beginWithServer(staged.session, editor);
	await editor.importFile(example('picture-again'));
	const run = await editor.openNode('Comfy Run Workflow');
	await run.chooseCredential(credential);
	await run.close();
	const opened = editor.page.waitForEvent('popup');
	await editor.canvas.execute();
	const form = await opened;
	await form.locator('input[type="file"]').setInputFiles({ name: 'fox.png', mimeType: 'image/png', buffer: picture });
	await form.getByRole('button', { name: 'Submit' }).click();
	await form.getByText('Your image is ready').waitFor();
	await editor.canvas.untilDone('Comfy Run Workflow');
	const [again, first] = submittedTo(staged.session).map((graph) => graph['3']?.inputs.seed);
	expect(first).toBe(textToImage['3'].inputs.seed);
	expect(again).not.toBe(first);
	const panel = await editor.openNode('Comfy Run Workflow');
	await expect(panel.output.viewImage()).resolves.toEqual({ naturalWidth: 512, naturalHeight: 512 });
});
