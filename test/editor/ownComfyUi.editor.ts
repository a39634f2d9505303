import { startSandbox } from '../../sandbox';
import { deadOrigin } from '../client/support/deadOrigin';
import { engineRequests, submitToEngine } from '../e2e/support/engine';
import { quick } from '../e2e/support/graphs';
import { until } from '../e2e/support/until';
import { textToImage } from '../support/stockGraphs';
import type { Editor } from './support/pages/editor';
import { FREE_MEMORY, RUN } from './support/ourNodes';
import { stage } from './support/scenes';
import { beginWithServer, submittedTo } from './support/server';

const staged = stage();
const { scene } = staged;

const sandbox = () => staged.session.sandbox;

afterEach(() => sandbox().configure({ engineAuthorization: null }));

/** If a list closes while n8n loads, a scene opens it again: two more clicks than the shortest way. */
const MOST = { model: 20, signIn: 23, several: 20, memory: 6 };

function reportClicks(task: string, { clicks }: Editor, most: number): void {
	process.stdout.write(`${task}: ${clicks} clicks\n`);
	expect(clicks).toBeLessThanOrEqual(most);
}

scene('a user finds a model by a part of its name, and the job runs with it', async (editor) => {
	await beginWithServer(staged.session, editor);
	await editor.canvas.addFirstStep();
	const panel = await editor.addFirst('comfy', RUN);
	await panel.pasteWorkflow(textToImage);
	await panel.inputRow(1).choose('CLIP Text Encode (Prompt) (#6) · text');
	await panel.inputRow(1).enter('a red fox');
	await panel.addInput();
	const model = panel.inputRow(2);
	await model.choose('Load Checkpoint · ckpt_name');
	await model.takeValueFrom('Choice');
	const found = await model.searchChoices('midn');
	expect(await found.allInnerTexts()).toEqual(['midnight_v1.safetensors']);
	await editor.person.click(found.first());
	expect(await model.choice()).toBe('midnight_v1.safetensors');
	await panel.screenshotTo('choice');
	await panel.run();
	await expect(panel.output.view()).resolves.toMatchObject({ naturalWidth: 512 });
	const [submitted] = submittedTo(staged.session);
	expect([submitted?.['4']?.inputs.ckpt_name, submitted?.['6']?.inputs.text]).toEqual(['midnight_v1.safetensors', 'a red fox']);
	reportClicks('From an empty canvas to an image, with another model', editor, MOST.model);
});

scene('a new credential names the missing and the wrong sign-in, and is saved with the right password', async (editor) => {
	const [user, password, wrong] = ['ann', 'a right secret', 'a wrong secret'];
	const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
	sandbox().saveWorkflow('fox.json', quick);
	sandbox().configure({ engineAuthorization: authorization });
	await editor.canvas.addFirstStep();
	const panel = await editor.addFirst('comfy', RUN);
	const dialog = await panel.newCredential();
	await dialog.chooseKind('Self-Hosted');
	await dialog.enter('baseUrl', sandbox().urls.engine);
	expect(await dialog.saveInVain()).toMatch(/requires a sign-in.*check Sign-In/);

	await dialog.choose('signIn', 'User And Password');
	await dialog.untilLabels([
		'Address',
		'Sign-In',
		'User',
		'Password',
		'Engine At Another Address',
		'Several ComfyUIs',
		'More Settings',
		'Allowed HTTP Request Domains',
	]);
	await dialog.enter('user', user);
	await dialog.enter('password', wrong);
	const told = await dialog.saveInVain();
	expect(told).toMatch(/did not accept the sign-in.*Check User and Password in the Comfy Self-Hosted API credential/);
	expect(told).not.toContain(wrong);

	await dialog.enter('password', password);
	await dialog.saveWell();
	reportClicks('A credential with user and password, after two that fail', editor, MOST.signIn);
	await panel.chooseWorkflow('fox');
	expect(engineRequests(staged.session, 'GET', '/system_stats').at(-1)).toMatchObject({ headers: { authorization }, status: 200 });
});

scene('a credential with several ComfyUIs names the one that does not respond, and is saved when all of them respond', async (editor) => {
	sandbox().saveWorkflow('fox.json', quick);
	const second = await startSandbox();
	try {
		await editor.canvas.addFirstStep();
		const panel = await editor.addFirst('comfy', RUN);
		const dialog = await panel.newCredential();
		await dialog.chooseKind('Self-Hosted');
		await dialog.enter('baseUrl', sandbox().urls.engine);
		await dialog.turnOn('hasMoreServers');
		await dialog.untilLabels([
			'Address',
			'Sign-In',
			'Engine At Another Address',
			'Several ComfyUIs',
			'More Servers',
			'Servers With Own Sign-In',
			'More Settings',
			'Allowed HTTP Request Domains',
		]);
		await dialog.enterLines('moreServers', [second.urls.engine, await deadOrigin()]);
		expect(await dialog.saveInVain()).toMatch(/1 of 3 servers cannot be used.*line 2 of More Servers.*These servers respond/);
		await dialog.enterLines('moreServers', [second.urls.engine]);
		await dialog.saveWell();
		reportClicks('A credential with two ComfyUIs, after one that fails', editor, MOST.several);
		await panel.chooseWorkflow('fox');
		const countRuns = (): number => sandbox().ledger.runs.length + second.ledger.runs.length;
		const before = countRuns();
		await panel.run();
		await panel.output.view();
		expect(countRuns()).toBe(before + 1);
	} finally {
		await second.close();
	}
});

scene('a user finds and adds Free Memory by its action, and the output shows that the memory is free', async (editor) => {
	await beginWithServer(staged.session, editor);
	const jobId = await submitToEngine(staged.session, quick);
	await until('the end of the job', () => sandbox().job(jobId)?.status === 'succeeded' || undefined);
	await editor.canvas.addFirstStep();
	const panel = await editor.addFirst('free memory', FREE_MEMORY);
	expect(await panel.parameter('operation').locator('input').inputValue()).toBe('Free Memory');
	expect(await panel.redMarks()).toBe(0);
	await panel.run();
	await panel.output.untilText('freed');
	reportClicks('From an empty canvas to free memory', editor, MOST.memory);
	await panel.output.untilColumn('freed', ['now']);
	const [[before], [after]] = [await panel.output.column('before'), await panel.output.column('after')];
	expect(before).toMatch(/vram_free/);
	expect(after).not.toBe(before);
	await panel.screenshotTo('free-memory');
	expect(sandbox().ledger.frees).toMatchObject([{ models: true, caches: false }]);
});
