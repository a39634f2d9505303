import { engineRequests, saveServer } from '../e2e/support/engine';
import { appText } from '../support/savedApps';
import type { Editor } from './support/pages/editor';
import type { NodePanel } from './support/pages/nodePanel';
import { RUN } from './support/ourNodes';
import { stage } from './support/scenes';

const staged = stage();
const { scene } = staged;

const WORDS = '2.text CLIPTextEncode';
const WIDTH = '4.width EmptyLatentImage';
const CLICKS_TO_A_PICTURE = 10;

type Drawn = Record<string, { inputs: Record<string, unknown> }>;
const drawn = (): Drawn => (JSON.parse(engineRequests(staged.session, 'POST', '/prompt').at(-1)!.bodyText) as { prompt: Drawn }).prompt;

async function begin(editor: Editor): Promise<NodePanel> {
	const { rest } = staged.session;
	for (const credential of await rest.credentials()) await rest.deleteCredential(credential);
	await saveServer(staged.session);
	await editor.newWorkflow();
	await editor.canvas.addFirstStep();
	return await editor.addFirst('comfy', RUN);
}

/** ComfyUI's own *Save*. */
async function save(path: string, text: string): Promise<void> {
	const answer = await fetch(
		`${staged.session.sandbox.urls.engine}/api/userdata/${encodeURIComponent(`workflows/${path}`)}?overwrite=true`,
		{ method: 'POST', body: text },
	);
	expect(answer.ok).toBe(true);
}

scene('an app is chosen from the list, its author’s form is filled in and run, and no JSON is seen', async (editor) => {
	await save('fox.app.json', appText('renamed').replaceAll('[512,512,1]', '[64,64,1]'));
	const panel = await begin(editor);
	const entries = await panel.openWorkflows();
	await editor.person.click(entries.filter({ hasText: 'fox' }).first());
	const words = panel.appField(WORDS);
	await editor.person.untilValue(words, 'a red fox in the snow');
	await panel.pictureTo('app-form');
	await editor.person.pasteOver(words, 'a green owl');
	expect(await panel.text()).not.toMatch(/class_type|"nodes"/);
	await panel.run();
	await expect(panel.output.view()).resolves.toMatchObject({ naturalWidth: 64 });
	expect(drawn()['2']!.inputs.text).toBe('a green owl');
	process.stdout.write(`From an empty canvas to a picture, with an app: ${editor.clicks} clicks\n`);
	expect(editor.clicks).toBeLessThanOrEqual(CLICKS_TO_A_PICTURE);

	// Edited in ComfyUI: what was left alone follows, what was entered stays.
	await save('fox.app.json', appText('renamed').replaceAll('[512,512,1]', '[96,64,1]'));
	await panel.run();
	await panel.output.untilColumn('type', ['image']);
	expect([drawn()['4']!.inputs.width, drawn()['2']!.inputs.text]).toEqual([96, 'a green owl']);
	await panel.close();
	// Longer than what was read for the panel is kept.
	await editor.page.waitForTimeout(15_000);
	const again = await editor.openNode('Comfy Run Workflow');
	await again.root.getByText(/^width, now "96"/).waitFor();
	await editor.person.untilValue(again.appField(WORDS), 'a green owl');
	await editor.person.untilValue(again.appField(WIDTH), '64');
	await again.pictureTo('app-form-edited');

	// Another app is another form.
	await save('photo.app.json', appText('file-and-switch'));
	const others = await again.openWorkflows();
	await editor.person.click(others.filter({ hasText: 'photo' }).first());
	await again.appField('1.image LoadImage').waitFor();
	await again.pictureTo('app-form-other');
	await again.appField(WORDS).waitFor({ state: 'detached' });
});

scene('a pasted app brings its form at once, and a changed one costs nothing that was filled in', async (editor) => {
	const panel = await begin(editor);
	await panel.chooseValue('workflowSource', 'JSON');
	const area = panel.parameter('workflow').locator('textarea, input').first();
	await editor.person.paste(area, appText('renamed'));
	const words = panel.appField(WORDS);
	await words.waitFor();
	await editor.person.pasteOver(words, 'kept');
	await editor.person.pasteOver(area, appText('renamed').replaceAll('[512,512,1]', '[96,64,1]'));
	await panel.run();
	await panel.output.untilColumn('type', ['image']);
	expect([drawn()['2']!.inputs.text, drawn()['4']!.inputs.width]).toEqual(['kept', 96]);
	expect(await words.inputValue()).toBe('kept');
});

scene('a fresh node says what its form waits for, and a workflow without one what to use', async (editor) => {
	const panel = await begin(editor);
	await panel.root.getByText(/^Choose a workflow above: if it is an app/).waitFor();
	expect(await panel.text()).not.toMatch(/What you leave as it is/);
	await panel.pictureTo('app-form-fresh');
	await save('plain.json', appText('empty'));
	const entries = await panel.openWorkflows();
	await editor.person.click(entries.filter({ hasText: 'plain' }).first());
	await panel.root.getByText(/^This workflow is no app/).waitFor();
	await panel.pictureTo('app-form-none');
});
