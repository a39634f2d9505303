import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/n8nHost/environment';
import { quick } from '../e2e/support/graphs';
import { saveServer } from '../e2e/support/engine';
import { DOWNLOAD, OUR_NODES, RUN, SUBMIT, TRIGGER, WAIT } from './support/ourNodes';
import { stage } from './support/scenes';
import { onlyOf } from './support/server';

const staged = stage();
const { scene } = staged;

/** The page of a node in docs/nodes, which has the name of the node. */
const pageOf = (type: string): string => `docs/nodes/${type.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.md`;

/** The hint above the output of a new node. It names the next node. */
const NEXT = new Map([
	[SUBMIT, 'connect Comfy Wait For Job next'],
	[WAIT, 'Connect Done to Comfy Download Outputs'],
	[DOWNLOAD, 'The files are under Binary'],
	[RUN, 'Still Running may stay open'],
]);

scene('T5: each node is added by mouse, shows no Interface field, leads to its page by Docs, and says what comes next', async (editor) => {
	await editor.openCreator('first step');
	for (const node of OUR_NODES) {
		if (node !== TRIGGER) await editor.creator.open();
		const panel = await editor.add(node);
		expect([node.name, await panel.parameters()]).toEqual([node.name, expect.not.arrayContaining(['interface'])]);
		const { pathname } = new URL(await panel.docs());
		expect(pathname).toMatch(new RegExp(`/blob/main/${pageOf(node.type)}$`));
		expect([pathname, existsSync(join(projectRoot, pageOf(node.type)))]).toEqual([pathname, true]);
		const words = NEXT.get(node);
		if (words !== undefined) await panel.output.untilText(words);
		await panel.close();
	}
	await expect(editor.canvas.types()).resolves.toEqual(OUR_NODES.map(({ type }) => `n8n-nodes-comfy.${type}`));
});

scene('E2, E4: a fresh node has nothing red, and runs with every credential: a bare ComfyUI, an API key, and back', async (editor) => {
	const [bareComfyui] = await saveServer(staged.session);
	const apiKey = onlyOf(staged.session, 'comfyApi');
	await editor.openCreator('first step');
	const panel = await editor.add(SUBMIT);
	await panel.chooseCredential(apiKey);
	await expect(panel.redMarks()).resolves.toBe(0);
	await panel.untilParameters(['workflowSource', 'savedWorkflow']);
	await panel.takeWorkflowFrom('JSON');
	await panel.untilText('Export (API)');
	await expect(panel.redMarks()).resolves.toBe(0);
	await panel.pasteWorkflow(quick);
	for (const [credential, found] of [
		[bareComfyui!, 'engine'],
		[apiKey, 'v2'],
		[bareComfyui!, 'engine'],
	] as const) {
		await panel.chooseCredential(credential);
		await panel.run();
		await panel.output.untilColumn('interface', [found]);
		await expect(panel.redMarks()).resolves.toBe(0);
		await expect(panel.parameters()).resolves.not.toContain('interface');
	}
});
