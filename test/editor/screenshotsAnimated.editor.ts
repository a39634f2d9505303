import sharp from 'sharp';
import { importCredentials } from '../../scripts/n8nHost/documents';
import { serverDocument } from '../e2e/support/engine';
import { savedApp } from '../support/editorGraphs';
import { Animation } from './support/animation';
import { NodePanel } from './support/pages/nodePanel';
import { RUN } from './support/ourNodes';
import { stage } from './support/scenes';
import { saveInComfy } from './support/server';

const staged = stage();
const { scene } = staged;

const MAX_BYTES = 3_000_000;
const SIZE = { width: 1200, height: 760 };
const PROMPT = 'a red fox in the snow';
/** Slow enough that a frame shows the running node. */
const SAMPLER_STEP_MS = 150;

scene('an animation shows the first image, from the empty canvas to the result', async (editor) => {
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
});
