import type { Response } from 'playwright-core';
import { importCredentials, type SavedCredential } from '../../scripts/n8nHost/documents';
import { serverDocument } from '../e2e/support/engine';
import { savedTextToImage } from '../support/editorGraphs';
import { appText } from '../support/savedApps';
import type { Editor } from './support/pages/editor';
import type { NodePanel } from './support/pages/nodePanel';
import { RUN } from './support/ourNodes';
import { stage } from './support/scenes';
import { saveInComfy } from './support/server';

/** When another credential is selected, n8n reloads the lists of all fields, and updates the selected entries from them. */

const staged = stage();
const { scene } = staged;

async function saveTwo(): Promise<[SavedCredential, SavedCredential]> {
	const { rest } = staged.session;
	for (const credential of await rest.credentials()) await rest.deleteCredential(credential);
	const names = ['One ComfyUI', 'Other ComfyUI'];
	const saved = await importCredentials(
		rest,
		names.map((name) => ({ ...serverDocument(staged.session), name })),
	);
	return saved as [SavedCredential, SavedCredential];
}

const isList = (response: Response): boolean => response.url().includes('/dynamic-node-parameters/resource-locator-results');

/** Chooses the credential, and waits until n8n has loaded this number of lists. */
async function choose(editor: Editor, panel: NodePanel, credential: SavedCredential, lists: number): Promise<void> {
	let left = lists;
	const loaded = editor.page.waitForEvent('response', { predicate: (response) => isList(response) && (left -= 1) === 0 });
	await panel.chooseCredential(credential);
	await loaded;
}

const rowsOf = async (panel: NodePanel, count: number): Promise<string[]> =>
	await Promise.all(Array.from({ length: count }, async (_none, index) => await panel.inputRow(index + 1).chosen()));

scene('a saved workflow and its row stay chosen, however often it was saved since, and where the other server lacks it', async (editor) => {
	const address = staged.session.sandbox.urls.engine;
	await saveInComfy(address, 'fox.json', savedTextToImage({ width: 256, height: 256 }));
	const [first, second] = await saveTwo();
	await editor.newWorkflow();
	await editor.canvas.addFirstStep();
	const panel = await editor.addFirst('comfy', RUN);
	await panel.chooseCredential(first);
	await panel.chooseWorkflow('fox');
	await panel.inputRow(1).choose('Motif · text');
	await panel.inputRow(1).enter('a red fox');
	await panel.addInput();
	await panel.inputRow(2).choose('KSampler · seed');
	await panel.inputRow(2).enter('7');
	const names = await rowsOf(panel, 2);
	await saveInComfy(address, 'fox.json', savedTextToImage({ width: 384, height: 256 }));
	await choose(editor, panel, second, 3);
	await expect(rowsOf(panel, 2)).resolves.toEqual(names);
	await fetch(`${address}/api/userdata/${encodeURIComponent('workflows/fox.json')}`, { method: 'DELETE' });
	await choose(editor, panel, first, 3);
	await expect(rowsOf(panel, 2)).resolves.toEqual(names);
	await saveInComfy(address, 'fox.json', savedTextToImage({ width: 384, height: 256 }));
	await panel.run();
	await expect(panel.output.view()).resolves.toMatchObject({ naturalWidth: 384 });
});

scene('what was entered into an app’s form stays when the node gets another credential', async (editor) => {
	const [first, second] = await saveTwo();
	await saveInComfy(
		staged.session.sandbox.urls.engine,
		'app.app.json',
		JSON.parse(appText('renamed').replaceAll('[512,512,1]', '[64,64,1]')) as object,
	);
	await editor.newWorkflow();
	await editor.canvas.addFirstStep();
	const panel = await editor.addFirst('comfy', RUN);
	await panel.chooseCredential(first);
	await panel.chooseWorkflow('app');
	const words = panel.appField('2.text CLIPTextEncode');
	await words.waitFor();
	await editor.person.pasteOver(words, 'a green owl');
	await choose(editor, panel, second, 1);
	await expect(words.inputValue()).resolves.toBe('a green owl');
	await panel.run();
	await expect(panel.output.view()).resolves.toMatchObject({ naturalWidth: 64 });
	await expect(words.inputValue()).resolves.toBe('a green owl');
});
