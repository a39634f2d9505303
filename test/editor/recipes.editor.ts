/** Every recipe of docs/recipes in n8n's editor. With SCREENSHOTS=1, this suite takes the images of the pages. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { projectRoot } from '../../scripts/n8nHost/environment';
import { readExample } from '../../scripts/n8nHost/documents';
import type { Editor } from './support/pages/editor';
import { stage } from './support/scenes';
import { smallScreenshotAround } from './support/screenshots';
import { example } from './support/server';

const { scene } = stage();

const pages = join(projectRoot, 'docs/recipes');
const filesOf = (ending: string): string[] =>
	(existsSync(pages) ? readdirSync(pages) : []).filter((file) => file.endsWith(ending)).map((file) => file.slice(0, -ending.length));

const RECIPES = filesOf('.md');
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
		await editor.page.setViewportSize({ width: 1800, height: 1100 });
		await importRecipe(editor, name);
		const issues = Object.entries(await editor.canvas.issues()).flatMap(([node, texts]) => texts.map((text) => `${node}: ${text}`));
		expect(issues.filter((issue) => !/: Credentials for .* (is|are) not set\.?$/.test(issue))).toEqual([]);

		await editor.canvas.deselect();
		const picture = await smallScreenshotAround(editor.page, editor.canvas.everything(), `recipes/${name}.png`);
		expect((await sharp(picture).metadata()).width).toBeGreaterThan(600);
		expect(picture.length).toBeLessThanOrEqual(MOST_BYTES);
		expect(await editor.canvas.zoom()).toBeGreaterThanOrEqual(LEAST_ZOOM);
	});
}

test('this suite takes each picture in docs/recipes', () => {
	expect(RECIPES).toEqual(expect.arrayContaining(filesOf('.png')));
});
