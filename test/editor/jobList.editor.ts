import { saveServer, submitToEngine } from '../e2e/support/engine';
import { quick } from '../e2e/support/graphs';
import { WAIT } from './support/ourNodes';
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
