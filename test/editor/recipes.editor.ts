/** Every recipe of docs/recipes in n8n's editor. With SCREENSHOTS=1, this suite takes the images of the pages. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import sharp from 'sharp';
import { projectRoot } from '../../scripts/n8nHost/environment';
import { importWorkflow, readExample } from '../../scripts/n8nHost/documents';
import { createDataTable } from '../e2e/support/dataTables';
import { redAndBluePhoto, sendForm, untilLastPage } from '../e2e/support/forms';
import { publish } from '../e2e/support/triggers';
import type { Editor } from './support/pages/editor';
import type { NodePanel } from './support/pages/nodePanel';
import { RUN } from './support/ourNodes';
import { stage } from './support/scenes';
import { keepSmallImage, smallScreenshotAround } from './support/screenshots';
import { example, onlyOf } from './support/server';

const staged = stage();
const { scene } = staged;

const pages = join(projectRoot, 'docs/recipes');
const filesOf = (ending: string): string[] =>
	(existsSync(pages) ? readdirSync(pages) : []).filter((file) => file.endsWith(ending)).map((file) => file.slice(0, -ending.length));

const MISSING_CREDENTIAL = /: Credentials for .* (is|are) not set\.?$/;
/** What else the user must choose. n8n's evaluation nodes find a table only by its ID, which each n8n chooses. */
const TO_CHOOSE: Record<string, string[]> = {
	evaluation: ['Prompts', 'Save Result', 'Save Error'].map((node) => `${node}: Parameter "Data table" is required.`),
};

const RECIPES = filesOf('.md');
/** For nine images of 512 pixels on a loaded machine. */
const NINE_IMAGES_MS = 180_000;
const MOST_BYTES = 150_000;
/** The width of a sentence in a sticky note must stay legible. */
const LEAST_ZOOM = 0.45;

/** Imports a recipe as a user does, and waits until n8n has found the types of all nodes. */
async function importRecipe(editor: Editor, name: string): Promise<void> {
	const { nodes } = await readExample(name);
	await editor.importFile(example(name));
	await editor.canvas.untilTypes(nodes.filter(({ type }) => !type.endsWith('.stickyNote')).map(({ type }) => type));
	await expect(editor.page.getByText('Install this node').count()).resolves.toBe(0);
	const messages = await editor.page.locator('.el-notification').allInnerTexts();
	expect(messages.filter((message) => !message.startsWith('Credentials auto-added'))).toEqual([]);
	await editor.dismissMessages();
}

for (const name of RECIPES) {
	scene(`n8n imports the recipe ${name}, recognizes all nodes, and asks only for credentials`, async (editor) => {
		await editor.page.setViewportSize({ width: 1800, height: 1200 });
		await importRecipe(editor, name);
		const issues = Object.entries(await editor.canvas.issues()).flatMap(([node, texts]) => texts.map((text) => `${node}: ${text}`));
		expect(issues.filter((issue) => !MISSING_CREDENTIAL.test(issue))).toEqual(TO_CHOOSE[name] ?? []);

		await editor.canvas.deselect();
		const picture = await smallScreenshotAround(editor.page, editor.canvas.everythingAndLines(), `recipes/${name}.png`);
		expect((await sharp(picture).metadata()).width).toBeGreaterThan(600);
		expect(picture.length).toBeLessThanOrEqual(MOST_BYTES);
		expect(await editor.canvas.zoom()).toBeGreaterThanOrEqual(LEAST_ZOOM);
	});
}

/** Shows a file of a node's output, as *View* does. */
async function viewFile(panel: NodePanel, field: string): Promise<void> {
	const view = panel.root.page().getByTestId('ndv-view-binary-data');
	const card = panel.root.getByTestId('output-panel').locator('div').filter({ hasText: field, has: view }).last();
	await card.getByTestId('ndv-view-binary-data').click();
	await panel.output.image();
}

/** Recipes whose result the editor can show with the sandbox alone. */
const RESULTS: Record<string, (editor: Editor) => Promise<Locator>> = {
	variations: async (editor) => {
		const run = await editor.openNode(RUN.name);
		await run.chooseCredential(onlyOf(staged.session, 'comfyApi'));
		await run.close();
		await editor.canvas.execute();
		await editor.canvas.untilDone('Contact Sheet', NINE_IMAGES_MS);
		const panel = await editor.openNode('Contact Sheet');
		await viewFile(panel, 'sheet');
		await editor.dismissMessages();
		return panel.root;
	},
	// Without the editor: n8n shows the table on a page of its own.
	'product-table': async ({ page }) => {
		const { session } = staged;
		const table = await createDataTable(session.rest, 'Product images', ['product', 'prompt', 'status', 'image_urls', 'job_id', 'error']);
		await table.insert(['cup', 'lamp', 'chair'].map((product) => ({ product, prompt: `a blue ${product} on a white table` })));
		const workflow = await importWorkflow(session.rest, await readExample('product-table'), session.credentials);
		await session.rest.waitFor(await session.rest.run(workflow, 'Start'));
		const { id: project } = await session.rest.send<{ id: string }>('GET', '/projects/personal');
		await page.setViewportSize({ width: 1400, height: 320 });
		await page.goto(`/projects/${project}/datatables/${table.id}`);
		await page.getByText('done').first().waitFor();
		return page.locator('body');
	},
	'photo-form': async ({ page }) => {
		const recipe = await readExample('photo-form');
		const published = await publish(staged.session, recipe);
		await page.setViewportSize({ width: 640, height: 400 });
		await page.goto(await untilLastPage(await sendForm(staged.session, recipe, [await redAndBluePhoto(), 'pencil drawing'])));
		await page.locator('img').first().waitFor();
		await published.deactivate();
		return page.locator('body');
	},
};

// The end-to-end tests check the results. Here, they would only take time.
const shownResults = process.env.SCREENSHOTS ? Object.keys(RESULTS).filter((name) => RECIPES.includes(name)) : [];
for (const name of shownResults) {
	scene(`the image of the result of ${name} shows what the recipe generated`, async (editor) => {
		await editor.page.setViewportSize({ width: 1400, height: 900 });
		await importRecipe(editor, name);
		const result = await RESULTS[name]!(editor);
		const image = await keepSmallImage(await result.screenshot({ animations: 'disabled' }), `recipes/${name}-result.png`);
		expect(image.length).toBeLessThanOrEqual(MOST_BYTES);
	});
}

test('this suite takes each picture in docs/recipes', () => {
	const results = Object.keys(RESULTS).map((name) => `${name}-result`);
	expect([...RECIPES, ...results]).toEqual(expect.arrayContaining(filesOf('.png')));
});
