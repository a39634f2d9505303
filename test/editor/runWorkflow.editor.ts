import { textToImage } from '../support/stockGraphs';
import type { Editor } from './support/pages/editor';
import type { NodePanel } from './support/pages/nodePanel';
import { RUN } from './support/ourNodes';
import { stage } from './support/scenes';
import { beginWithServer, submittedTo } from './support/server';

const staged = stage();
const { scene } = staged;

const POSITIVE = 'CLIP Text Encode (Prompt) (#6) · text';

/** Adds a trigger first. n8n adds one by itself only if a node is the first step. */
async function begin(editor: Editor): Promise<NodePanel> {
	await beginWithServer(staged.session, editor);
	await editor.canvas.addFirstStep();
	await editor.creator.chooseTrigger('Trigger manually');
	await editor.canvas.plusBehindLast();
	return await editor.addFirst('comfy', RUN);
}

scene('an empty Workflow says in the list what comes first; the list and the rows survive pasting a changed one', async (editor) => {
	const panel = await begin(editor);
	await expect(panel.redMarks()).resolves.toBe(0);
	await panel.takeWorkflowFrom('JSON');
	await panel.inputRow(1).openInVain(/^Workflow is empty\. Paste a workflow first/);
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
	expect(submittedTo(staged.session)[0]?.['6']?.inputs.text).toBe('a red fox');
});

scene('a user finds a model by a part of its name, and the job runs with it', async (editor) => {
	const panel = await begin(editor);
	await panel.pasteWorkflow(textToImage);
	await panel.inputRow(1).choose(POSITIVE);
	await panel.inputRow(1).enter('a red fox');
	await panel.addInput();
	const model = panel.inputRow(2);
	await model.choose('Load Checkpoint · ckpt_name');
	await model.takeValueFrom('Choice');
	const found = await model.searchChoices('midn');
	expect(await found.allInnerTexts()).toEqual(['midnight_v1.safetensors']);
	await editor.person.click(found.first());
	expect(await model.choice()).toBe('midnight_v1.safetensors');
	await panel.run();
	await expect(panel.output.view()).resolves.toMatchObject({ naturalWidth: 512 });
	const [submitted] = submittedTo(staged.session);
	expect([submitted?.['4']?.inputs.ckpt_name, submitted?.['6']?.inputs.text]).toEqual(['midnight_v1.safetensors', 'a red fox']);
});

scene('a blueprint is chosen from the list, and the options of a job and its image are added and kept', async (editor) => {
	const panel = await begin(editor);
	const entries = await panel.openWorkflows();
	const listed = await entries.allInnerTexts();
	const blueprint = listed.find((entry) => entry.includes('Colour Picture'));
	expect(blueprint).toMatch(/^Blueprint · /);
	await editor.person.click(entries.filter({ hasText: 'Colour Picture' }).first());
	for (const [option, name, value] of [
		['Image Format', 'imageFormat', 'WebP'],
		['Queue Position', 'queuePosition', 'Front'],
		['Embed Workflow In Outputs', 'embedWorkflow', 'Without Prompts And Notes'],
	] as const) {
		await panel.addTo('Add option', option);
		await panel.chooseValue(name, value);
	}
	await panel.addTo('Add option', 'Log On Failure');
	await panel.run();
	await expect(panel.output.column('content_type')).resolves.toEqual(['image/webp']);
	await expect(panel.output.column('converted_from')).resolves.toEqual([expect.stringContaining('png')]);
	const [submitted] = submittedTo(staged.session);
	expect(JSON.stringify(submitted)).toMatch(/"EmptyImage".*"SaveImage"|"SaveImage".*"EmptyImage"/);
});
