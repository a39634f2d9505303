import sharp from 'sharp';
import { joinImages } from '../../scripts/demo/steps';
import { saveServer } from '../e2e/support/engine';
import { savedApp } from '../support/editorGraphs';
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

/** Expects an image that is wide enough for README, and has more than one color. */
async function expectImage(image: Buffer): Promise<void> {
	expect((await sharp(image).metadata()).width).toBeGreaterThan(600);
	expect((await sharp(image).stats()).channels[0]?.stdev).toBeGreaterThan(1);
}

scene('the screenshot of Comfy Run Workflow shows an app that was saved in ComfyUI, its form, and the generated image', async (editor) => {
	await saveInComfy(staged.session.sandbox.urls.engine, 'Fox Portrait.app.json', savedApp());
	await editor.page.setViewportSize({ width: 1400, height: 1000 });
	await editor.openCreator('first step');
	const panel = await editor.add(RUN);
	await panel.chooseCredential((await saveServer(staged.session))[0]!);
	const apps = await panel.openWorkflows();
	await editor.person.click(apps.filter({ hasText: 'Fox Portrait' }));
	await editor.person.pasteOver(panel.appField('6.text'), 'a red fox in the snow');
	await panel.run();
	await panel.output.view();
	await editor.dismissMessages();
	await expectImage(await screenshotOf(panel.root, RUN_WORKFLOW));
});

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

scene('T5: the screenshot of the credential shows the fields for a self-hosted server', async (editor) => {
	await editor.openCreator('first step');
	const dialog = await (await editor.add(SUBMIT)).newCredential();
	await dialog.chooseKind('Self-Hosted');
	await editor.dismissMessages();
	await expectImage(await screenshotOf(dialog.root, ADDRESS));
});

scene('one screenshot shows all nodes in the list of nodes, in the light and the dark theme of n8n', async (editor) => {
	await editor.page.setViewportSize({ width: 1400, height: 1000 });
	const lists: Buffer[] = [];
	for (const colorScheme of ['light', 'dark'] as const) {
		await editor.page.emulateMedia({ colorScheme });
		await editor.newWorkflow();
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
