import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/n8nHost/environment';
import { readExample } from '../../scripts/n8nHost/documents';
import { stage } from './support/scenes';
import { example } from './support/server';

const { scene } = stage();

/** The links in the table of examples of the README. */
const EXAMPLES = [...readFileSync(join(projectRoot, 'README.md'), 'utf8').matchAll(/\]\(examples\/([\w-]+)\.json\)/g)].map(([, name]) =>
	String(name),
);

scene('n8n imports each example of the README and recognizes all of its nodes', async (editor) => {
	expect(EXAMPLES).toHaveLength(5);
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
