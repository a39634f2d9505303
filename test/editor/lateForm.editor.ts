import { engineRequests, saveServer } from '../e2e/support/engine';
import { saveInComfy } from '../e2e/support/savedWorkflows';
import { savedTextToImage } from '../support/editorGraphs';
import { textToImage } from '../support/stockGraphs';
import type { Editor } from './support/pages/editor';
import { HeldAnswers } from './support/pages/heldAnswers';
import type { NodePanel } from './support/pages/nodePanel';
import { LIST_JOBS, RUN } from './support/ourNodes';
import { stage } from './support/scenes';

const staged = stage();
const { scene } = staged;

const jobs = (): number => engineRequests(staged.session, 'POST', '/prompt').length;

interface Source {
	prompt: string;
	bring(panel: NodePanel): Promise<void>;
}

const sources: Array<[string, Source]> = [
	['pasted', { prompt: 'CLIP Text Encode (Prompt) (#6) · text', bring: async (panel) => await panel.pasteWorkflow(textToImage) }],
	['saved', { prompt: 'Motif · text', bring: async (panel) => await panel.chooseWorkflow('fox · portraits') }],
];

/** A fresh Comfy Run Workflow with this workflow, whose form is on its way. */
async function begin(editor: Editor, { bring }: Source): Promise<[NodePanel, HeldAnswers]> {
	await saveInComfy(staged.session.sandbox.urls.engine, 'portraits/fox.json', savedTextToImage());
	const [server] = await saveServer(staged.session);
	await editor.newWorkflow();
	await editor.openCreator('first step');
	const panel = await editor.add(RUN);
	await panel.chooseCredential(server!);
	const fields = await HeldAnswers.appFields(editor.page);
	await bring(panel);
	await fields.untilAsked();
	return [panel, fields];
}

describe.each(sources)('a %s workflow that is no app', (kind, source) => {
	scene(`${kind}: when the answer about its form arrives after the run, n8n does not run it a second time`, async (editor) => {
		const [panel, fields] = await begin(editor, source);
		const before = jobs();
		await panel.run();
		await fields.release();
		await panel.untilNoForm();
		await panel.output.untilDone();
		await panel.close();

		const [server] = await saveServer(staged.session);
		await editor.canvas.plusBehindLast();
		const next = await editor.add(LIST_JOBS);
		await next.chooseCredential(server!);
		await next.run();
		expect(jobs() - before).toBe(1);
	});

	scene(`${kind}: when the answer about its form arrives while a list is open, the list keeps its entries`, async (editor) => {
		const [panel, fields] = await begin(editor, source);
		const row = panel.inputRow(1);
		const entries = await row.open();
		await fields.release();
		await panel.untilNoForm();
		await editor.person.click(entries.filter({ hasText: source.prompt }).first());
		expect(await row.chosen()).toContain(source.prompt);
	});
});
