import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/n8nHost/environment';
import { readExample } from '../../scripts/n8nHost/documents';
import { stage } from './support/scenes';
import { example } from './support/server';

const { scene } = stage();

/** The examples that have no page. The suite of recipes imports the others. */
const [WITHOUT_PAGE = ''] = readFileSync(join(projectRoot, 'examples/README.md'), 'utf8').split('## Recipes');
const EXAMPLES = [...WITHOUT_PAGE.matchAll(/^\| \[[\w.-]+\]\(([\w-]+)\.json\)/gm)].map(([, name]) => String(name));

scene('n8n imports each example without a page and recognizes all of its nodes', async (editor) => {
	expect(EXAMPLES).toHaveLength(15);
	for (const name of EXAMPLES) {
		const { nodes } = await readExample(name);
		await editor.newWorkflow();
		await editor.importFile(example(name));
		const shown = nodes.filter(({ type }) => !type.endsWith('.stickyNote')).map(({ type }) => type);
		await editor.canvas.untilTypes(shown);
		const messages = await editor.page.locator('.el-notification').allInnerTexts();
		expect(messages.filter((message) => !message.startsWith('Credentials auto-added'))).toEqual([]);
		await expect(editor.page.getByText('Install this node').count()).resolves.toBe(0);
	}
});
