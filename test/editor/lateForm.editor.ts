import { engineRequests } from '../e2e/support/engine';
import { savedTextToImage } from '../support/editorGraphs';
import { textToImage } from '../support/stockGraphs';
import { holdAppFields } from './support/pages/heldAnswers';
import { LIST_JOBS, RUN } from './support/ourNodes';
import { stage } from './support/scenes';
import { beginWithServer, saveInComfy } from './support/server';

const staged = stage();
const { scene } = staged;

const jobs = (): number => engineRequests(staged.session, 'POST', '/prompt').length;

scene('when the answer about the form of a pasted workflow arrives after the run, n8n does not run it a second time', async (editor) => {
	const server = await beginWithServer(staged.session, editor);
	await editor.openCreator('first step');
	const panel = await editor.add(RUN);
	const fields = await holdAppFields(editor.page);
	await panel.pasteWorkflow(textToImage);
	await fields.untilAsked();
	await panel.run();
	await fields.release();
	await panel.untilNoForm();
	await panel.output.untilDone();
	await panel.close();

	await editor.canvas.plusBehindLast();
	const next = await editor.add(LIST_JOBS);
	await next.chooseCredential(server);
	await next.run();
	expect(jobs()).toBe(1);
});

scene('when the answer about the form of a saved workflow arrives while a list is open, the list keeps its entries', async (editor) => {
	await saveInComfy(staged.session.sandbox.urls.engine, 'portraits/fox.json', savedTextToImage());
	await beginWithServer(staged.session, editor);
	await editor.openCreator('first step');
	const panel = await editor.add(RUN);
	const fields = await holdAppFields(editor.page);
	await panel.chooseWorkflow('fox · portraits');
	await fields.untilAsked();
	const row = panel.inputRow(1);
	const entries = await row.open();
	await fields.release();
	await panel.untilNoForm();
	await editor.person.click(entries.filter({ hasText: 'Motif · text' }).first());
	expect(await row.chosen()).toContain('Motif · text');
});
