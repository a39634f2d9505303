import { engineRequests, saveServer } from '../e2e/support/engine';
import { saveInComfy } from '../e2e/support/savedWorkflows';
import { savedTextToImage } from '../support/editorGraphs';
import { textToImage } from '../support/stockGraphs';
import type { Editor } from './support/pages/editor';
import type { NodePanel } from './support/pages/nodePanel';
import { RUN } from './support/ourNodes';
import { stage } from './support/scenes';

const staged = stage();
const { scene } = staged;

/** What issue 11 allows. */
const CLICKS_TO_A_PICTURE = 12;

const POSITIVE = 'CLIP Text Encode (Prompt) (#6) · text';
const PROMPT = 'a red fox in the snow';

/** With one credential at hand. The editor knows those that were there when it was opened. */
async function begin(editor: Editor): Promise<void> {
	const { rest } = staged.session;
	for (const credential of await rest.credentials()) await rest.deleteCredential(credential);
	await saveServer(staged.session);
	await editor.newWorkflow();
}

/** What ComfyUI was last asked to draw. */
const drawnPrompt = (): unknown => {
	const { bodyText } = engineRequests(staged.session, 'POST', '/prompt').at(-1)!;
	return (JSON.parse(bodyText) as { prompt: typeof textToImage }).prompt['6'].inputs.text;
};

interface Brought {
	/** The input of its prompt, as the list calls it. */
	prompt: string;
	bring(panel: NodePanel): Promise<void>;
}

const pasted: Brought = { prompt: POSITIVE, bring: async (panel) => await panel.pasteWorkflow(textToImage) };
const chosen: Brought = { prompt: 'Motif · text', bring: async (panel) => await panel.chooseWorkflow('fox · portraits') };

/** From the first row on: the workflow, what changes in it, and the picture. */
async function toAPicture(editor: Editor, panel: NodePanel, { prompt, bring }: Brought = pasted): Promise<void> {
	await bring(panel);
	const row = panel.inputRow(1);
	await row.choose(prompt);
	await row.enter(PROMPT);
	await panel.run();
	await expect(panel.output.view()).resolves.toEqual({ naturalWidth: 512, naturalHeight: 512 });
	expect(drawnPrompt()).toBe(PROMPT);
	expect(await editor.canvas.types()).toEqual(['n8n-nodes-base.manualTrigger', `n8n-nodes-comfy.${RUN.type}`]);
}

/** n8n adds the trigger by itself where a node is the first step. */
async function addRun(editor: Editor): Promise<NodePanel> {
	await editor.canvas.addFirstStep();
	return await editor.addFirst('comfy', RUN);
}

async function addRunBehindATrigger(editor: Editor): Promise<NodePanel> {
	await editor.canvas.addFirstStep();
	await editor.creator.chooseTrigger('Trigger manually');
	await editor.canvas.plusBehindLast();
	return await editor.addFirst('comfy', RUN);
}

function tell(way: string, clicks: string): void {
	process.stdout.write(`From an empty canvas to a picture, ${way}: ${clicks}\n`);
}

describe.each([
	['the node first: n8n adds the trigger', addRun, pasted],
	['the trigger by hand, then the node', addRunBehindATrigger, chosen],
])('%s', (way, add, brought) => {
	scene(`from an empty canvas to a picture, with a credential at hand: ${way}`, async (editor) => {
		await begin(editor);
		await saveInComfy(staged.session.sandbox.urls.engine, 'portraits/fox.json', savedTextToImage());
		const panel = await add(editor);
		await toAPicture(editor, panel, brought);
		tell(`with a credential at hand, ${way}`, `${editor.clicks} clicks`);
		expect(editor.clicks).toBeLessThanOrEqual(CLICKS_TO_A_PICTURE);
	});
});

scene('the list and the rows survive pasting a changed workflow', async (editor) => {
	await begin(editor);
	const panel = await addRun(editor);
	await panel.pasteWorkflow(textToImage);
	await panel.inputRow(1).choose(POSITIVE);
	await panel.inputRow(1).toExpression('{{ "a red " + "fox" }}');
	await panel.addInput();
	await panel.inputRow(2).choose('Empty Latent Image · width');
	await panel.inputRow(2).enter('256');

	const { '6': positive, ...others } = textToImage;
	const changed = {
		...others,
		'6': { ...positive, inputs: { ...positive.inputs, text: 'something else' } },
		'11': { class_type: 'ImageInvert', _meta: { title: 'Night' }, inputs: { image: ['8', 0] } },
		'12': { class_type: 'SaveImage', _meta: { title: 'Save Night' }, inputs: { filename_prefix: 'night', images: ['11', 0] } },
	};
	await panel.pasteWorkflow(changed);
	const [text, width] = [panel.inputRow(1), panel.inputRow(2)];
	expect([await text.chosen(), await text.value()]).toEqual([expect.stringContaining(POSITIVE), '{{ "a red " + "fox" }}']);
	expect([await width.chosen(), await width.value()]).toEqual([expect.stringContaining('Empty Latent Image · width'), '256']);

	const entries = await text.open();
	await entries.filter({ hasText: 'Save Night · filename_prefix' }).waitFor();
	const listed = await entries.allInnerTexts();
	expect(listed[0]).toMatch(/^CLIP Text Encode \(Prompt\) \(#6\) · text \(was "something else"/);
	expect(listed.join()).not.toMatch(/beautiful scenery/);

	await panel.run();
	await expect(panel.output.view()).resolves.toMatchObject({ naturalWidth: 256 });
	expect(drawnPrompt()).toBe('a red fox');
});

scene('an empty Workflow says in the list what comes first', async (editor) => {
	const panel = await addRun(editor);
	await expect(panel.redMarks()).resolves.toBe(0);
	await panel.takeWorkflowFrom('JSON');
	await panel.inputRow(1).openInVain(/^Workflow is empty: paste it there first/);
});

scene('the option Outputs lists the nodes that save something, and hands on what is chosen', async (editor) => {
	await begin(editor);
	const panel = await addRun(editor);
	await panel.pasteWorkflow({
		...textToImage,
		'12': { class_type: 'SaveImage', _meta: { title: 'Save Again' }, inputs: { filename_prefix: 'again', images: ['8', 0] } },
	});
	await panel.untilNoForm();
	await panel.addOption('Outputs');
	const entries = await panel.openOutputs();
	expect(await entries.allInnerTexts()).toEqual(['Save Image · SaveImage', 'Save Again · SaveImage']);
	await entries.filter({ hasText: 'Save Again' }).click();
	await panel.run();
	await expect(panel.output.view()).resolves.toMatchObject({ naturalWidth: 512 });
});
