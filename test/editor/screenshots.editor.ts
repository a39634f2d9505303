import sharp from 'sharp';
import { joinImages } from '../../scripts/demo/steps';
import { importCredentials } from '../../scripts/n8nHost/documents';
import { serverDocument } from '../e2e/support/engine';
import { savedApp } from '../support/editorGraphs';
import { Animation } from './support/animation';
import { NodePanel } from './support/pages/nodePanel';
import { OUR_NODES, RUN, SUBMIT } from './support/ourNodes';
import { stage } from './support/scenes';
import { example, onlyOf, saveInComfy } from './support/server';
import { keepImage, screenshotAround, screenshotOf, shownImages } from './support/screenshots';

const staged = stage();
const { scene } = staged;

const RUN_WORKFLOW = 'run-workflow.png';
const FLOW = 'first-picture.png';
const RESULT = 'first-picture-result.png';
const ADDRESS = 'self-hosted-credential.png';
const NODES = 'nodes.png';

const MAX_BYTES = 3_000_000;
const SIZE = { width: 1200, height: 760 };
const PROMPT = 'a red fox in the snow';
/** Slow enough that a frame shows the running node. */
const SAMPLER_STEP_MS = 150;

/** Expects an image that is wide enough for README, and has more than one color. */
async function expectImage(image: Buffer): Promise<void> {
	expect((await sharp(image).metadata()).width).toBeGreaterThan(600);
	expect((await sharp(image).stats()).channels[0]?.stdev).toBeGreaterThan(1);
}

scene('T5: the screenshots of the first example show its nodes and one of its images', async (editor) => {
	await editor.importFile(example('first-picture'));
	const run = await editor.openNode(RUN.name);
	await run.chooseCredential(onlyOf(staged.session, 'comfyApi'));
	await run.close();
	await editor.canvas.execute();
	await editor.canvas.untilDone(RUN.name);
	await editor.dismissMessages();
	await expectImage(await screenshotAround(editor.page, editor.canvas.everything(), FLOW));

	const panel = await editor.openNode(RUN.name);
	// If opening the node changed a parameter, n8n would mark the output as outdated.
	await panel.output.untilDone();
	await expect(panel.output.view()).resolves.toMatchObject({ naturalWidth: 512 });
	await expectImage(await screenshotOf(panel.root, RESULT));
});

scene(
	'an animation shows the first image from the empty canvas to the result, a screenshot its app, its form and its image',
	async (editor) => {
		const { rest, sandbox } = staged.session;
		const { person, page } = editor;
		await saveInComfy(sandbox.urls.engine, 'Fox Portrait.app.json', savedApp());
		sandbox.configure({ samplerStepMs: SAMPLER_STEP_MS });
		for (const credential of await rest.credentials()) await rest.deleteCredential(credential);
		await importCredentials(rest, [{ ...serverDocument(staged.session), name: 'My ComfyUI' }]);
		await page.setViewportSize(SIZE);
		await editor.newWorkflow();
		const animation = new Animation(page);

		const firstStep = person.find('canvas-add-button').getByRole('button').first();
		await animation.pointAt(firstStep);
		await person.click(firstStep);
		await editor.creator.untilOpen();
		await page.keyboard.insertText('comfy run');
		const listed = person.find('node-creator-item-name').filter({ hasText: RUN.name }).first();
		await listed.waitFor();
		await animation.pointAt(listed);
		await person.click(listed);
		const add = page.getByRole('button', { name: 'Add to workflow' });
		await add.waitFor();
		await animation.pointAt(add);
		await person.click(add);

		const panel = new NodePanel(person);
		await panel.untilOpen();
		const credential = page.locator('[data-test-id^="node-credentials-select-item-"]').filter({ hasText: 'My ComfyUI' }).first();
		await person.open(person.find('node-credentials-select'), credential);
		await animation.pointAt(credential);
		await person.click(credential);
		const saved = (await panel.openWorkflows()).filter({ hasText: 'Fox Portrait' }).first();
		await animation.pointAt(saved);
		await person.click(saved);

		const prompt = panel.appField('6.text');
		await prompt.waitFor();
		await animation.pointAt(prompt);
		await person.pasteOver(prompt, PROMPT);
		await editor.dismissMessages();
		const execute = person.find('node-execute-button');
		await animation.pointAt(execute);
		const ended = panel.run();
		await page.waitForTimeout(SAMPLER_STEP_MS * 5);
		await animation.show();
		await ended;
		await editor.dismissMessages();
		const view = person.find('ndv-view-binary-data').first();
		await view.waitFor();
		await animation.pointAt(view);
		await expect(panel.output.view()).resolves.toMatchObject({ naturalWidth: 512 });
		await editor.dismissMessages();
		await animation.show();

		const image = await animation.save('run-workflow.webp');
		const { pages = 1, width } = await sharp(image).metadata();
		expect(pages).toBeGreaterThanOrEqual(8);
		expect(width).toBe(SIZE.width);
		expect(image.byteLength).toBeLessThan(MAX_BYTES);
		await page.setViewportSize({ width: 1400, height: 1000 });
		await expectImage(await screenshotOf(panel.root, RUN_WORKFLOW));
	},
);

scene('T5: the screenshot of the credential shows the fields for a self-hosted server', async (editor) => {
	await editor.openCreator('first step');
	const dialog = await (await editor.add(SUBMIT)).newCredential();
	await dialog.chooseKind('Self-Hosted');
	await editor.dismissMessages();
	await expectImage(await screenshotOf(dialog.root, ADDRESS));
	await editor.load();
});

scene('one screenshot shows all nodes in the list of nodes, in the light and the dark theme of n8n', async (editor) => {
	await editor.page.setViewportSize({ width: 1400, height: 1000 });
	const lists: Buffer[] = [];
	for (const colorScheme of ['light', 'dark'] as const) {
		await editor.page.emulateMedia({ colorScheme });
		// The icons of nodes follow the theme of the time when the editor was loaded.
		await editor.load();
		const creator = await editor.openCreator('what happens next');
		expect((await creator.search('comfy')).filter((name) => name.startsWith('Comfy'))).toHaveLength(OUR_NODES.length);
		lists.push(await creator.root().screenshot({ animations: 'disabled' }));
	}
	const both = await joinImages(lists);
	await keepImage(both, NODES);
	await expectImage(both);
});

test('this suite takes every PNG in docs/', async () => {
	expect([RUN_WORKFLOW, FLOW, RESULT, ADDRESS, NODES]).toEqual(expect.arrayContaining(await shownImages()));
});
