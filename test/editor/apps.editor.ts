import { appText } from '../support/savedApps';
import type { Editor } from './support/pages/editor';
import type { NodePanel } from './support/pages/nodePanel';
import { RUN } from './support/ourNodes';
import { stage } from './support/scenes';
import { beginWithServer, saveInComfy, submittedTo } from './support/server';

const staged = stage();
const { scene } = staged;

const WORDS = '2.text CLIPTextEncode';
const CLICKS_TO_AN_IMAGE = 10;

const submitted = () => submittedTo(staged.session)[0]!;

async function begin(editor: Editor): Promise<NodePanel> {
	await beginWithServer(staged.session, editor);
	await editor.canvas.addFirstStep();
	return await editor.addFirst('comfy', RUN);
}

const save = async (path: string, text: string): Promise<void> =>
	await saveInComfy(staged.session.sandbox.urls.engine, path, JSON.parse(text) as object);
const appOfWidth = (width: number): string => appText('renamed').replaceAll('[512,512,1]', `[${width},64,1]`);

scene('an app is chosen from the list, its author’s form is filled in and run, and no JSON is seen', async (editor) => {
	await save('fox.app.json', appOfWidth(64));
	const panel = await begin(editor);
	await panel.root.getByText(/^Choose a workflow above\. If it is an app/).waitFor();
	expect(await panel.text()).not.toMatch(/What you leave as it is/);
	await panel.chooseWorkflow('fox');
	const words = panel.appField(WORDS);
	await editor.person.untilValue(words, 'a red fox in the snow');
	await editor.person.pasteOver(words, 'a green owl');
	expect(await panel.text()).not.toMatch(/class_type|"nodes"/);
	await panel.run();
	await expect(panel.output.view()).resolves.toMatchObject({ naturalWidth: 64 });
	expect(submitted()['2']!.inputs.text).toBe('a green owl');
	process.stdout.write(`From an empty canvas to an image, with an app: ${editor.clicks} clicks\n`);
	expect(editor.clicks).toBeLessThanOrEqual(CLICKS_TO_AN_IMAGE);

	// Edited in ComfyUI: what was left alone follows, what was entered stays.
	await save('fox.app.json', appOfWidth(96));
	await panel.run();
	await panel.output.untilColumn('type', ['image']);
	expect([submitted()['4']!.inputs.width, submitted()['2']!.inputs.text]).toEqual([96, 'a green owl']);

	// Another app is another form, and what is no app has none.
	await save('photo.app.json', appText('file-and-switch'));
	await panel.chooseWorkflow('photo');
	await panel.appField('1.image LoadImage').waitFor();
	await panel.appField(WORDS).waitFor({ state: 'detached' });
	await save('plain.json', appText('empty'));
	await panel.chooseWorkflow('plain');
	await panel.untilNoForm();
});

scene('a pasted app brings its form at once, and a changed one costs nothing that was filled in', async (editor) => {
	const panel = await begin(editor);
	await panel.chooseValue('workflowSource', 'JSON');
	const area = panel.parameter('workflow').locator('textarea, input').first();
	await editor.person.paste(area, appText('renamed'));
	const words = panel.appField(WORDS);
	await words.waitFor();
	await editor.person.pasteOver(words, 'kept');
	await editor.person.pasteOver(area, appOfWidth(96));
	await panel.run();
	await panel.output.untilColumn('type', ['image']);
	expect([submitted()['2']!.inputs.text, submitted()['4']!.inputs.width]).toEqual(['kept', 96]);
	expect(await words.inputValue()).toBe('kept');
});
