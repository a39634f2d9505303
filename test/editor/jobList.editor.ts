import { saveServer, submitToEngine } from '../e2e/support/engine';
import { quick } from '../e2e/support/graphs';
import { LIST_JOBS, RUN, WAIT } from './support/ourNodes';
import { stage } from './support/scenes';

const staged = stage();
const { scene } = staged;

/** A job whose output node has this title. */
const titled = (title: string): object => ({ ...quick, '2': { ...quick['2'], _meta: { title } } });

scene('B11: a job is chosen from a list, newest first, and the node runs on it', async (editor) => {
	const [server] = await saveServer(staged.session);
	const ids: string[] = [];
	for (const title of ['Oldest', 'Middle', 'Newest']) ids.push(await submitToEngine(staged.session, titled(title)));

	await editor.openCreator('first step');
	const panel = await editor.add(WAIT);
	await panel.chooseCredential(server!);
	const entries = await panel.openList('jobId');
	const names = await entries.allInnerTexts();
	expect(names).toEqual(['Newest', 'Middle', 'Oldest'].map((title) => expect.stringContaining(title)));

	await editor.person.click(entries.first());
	await panel.run();
	await panel.output.untilColumn('job_id', [ids.at(-1)!]);
});

scene('after a crash: which jobs this n8n workflow has made is a filter, and each tells execution, node and item', async (editor) => {
	const [server] = await saveServer(staged.session);
	await editor.newWorkflow();
	await editor.openCreator('first step');
	const run = await editor.add(RUN);
	await run.chooseCredential(server!);
	await run.pasteWorkflow(titled('Ours'));
	await run.run();
	const [ours] = await run.output.column('job_id');
	await run.close();
	const theirs = await submitToEngine(staged.session, titled('Theirs'));

	await editor.canvas.plusBehindLast();
	const panel = await editor.add(LIST_JOBS);
	await panel.chooseCredential(server!);
	await panel.run();
	expect((await panel.output.column('job_id')).slice(0, 2)).toEqual([theirs, ours]);
	await panel.addTo('Add Filter', 'Made By This n8n Workflow');
	await panel.untilText('Made By This n8n Workflow');
	await panel.run();
	await panel.output.untilColumn('job_id', [ours!]);
	const [madeBy] = await panel.output.column('made_by');
	expect(madeBy).toMatch(new RegExp(`workflow_name[\\s\\S]*node[\\s\\S]*${RUN.name}[\\s\\S]*item[\\s\\S]*0`));
});
