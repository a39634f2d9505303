import { engineRequests } from '../e2e/support/engine';
import { quick } from '../e2e/support/graphs';
import { deadOrigin } from '../client/support/deadOrigin';
import type { Editor } from './support/pages/editor';
import { RUN, SUBMIT } from './support/ourNodes';
import { stage } from './support/scenes';

const staged = stage();
const { scene } = staged;

/** If a list closes while n8n loads, a scene opens it again: two more clicks than the shortest way. */
const MOST_CLICKS_TO_SIGN_IN = 23;

const sandbox = () => staged.session.sandbox;

async function addNode(editor: Editor, node: typeof RUN) {
	await editor.openCreator('first step');
	const panel = await editor.add(node);
	return { panel, dialog: await panel.newCredential() };
}

scene('E5, E6, T5: a new API key credential has few fields, reports what is wrong, and is saved after its test', async (editor) => {
	const { dialog } = await addNode(editor, SUBMIT);
	await dialog.chooseKind('API Key (Hosted or Deployment)');
	await dialog.untilLabels(['API Key', 'Base URL', 'More Settings', 'Allowed HTTP Request Domains']);
	const { keys, urls } = sandbox();
	const wrong: Array<[key: string, address: string, message: RegExp]> = [
		['not-the-key', urls.hosted, /did not accept/],
		[keys.apiKey, urls.engine, /The server at http:\/\/127\.0\.0\.1:\d+ is ComfyUI itself: use the credential Comfy Self-Hosted API/],
		[keys.apiKey, await deadOrigin(), /refused/],
	];
	for (const [key, address, message] of wrong) {
		await dialog.enter('apiKey', key);
		await dialog.enter('baseUrl', address);
		const shown = await dialog.saveInVain();
		expect(shown).toMatch(message);
		expect(shown).not.toContain(key);
	}
	await dialog.enter('baseUrl', urls.hosted);
	await dialog.saveWell();
});

scene('a new self-hosted credential names the missing and the wrong sign-in, and is saved with the right password', async (editor) => {
	const [user, password, wrong] = ['ann', 'a right secret', 'a wrong secret'];
	const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
	sandbox().saveWorkflow('fox.json', quick);
	sandbox().configure({ engineAuthorization: authorization });
	const { panel, dialog } = await addNode(editor, RUN);
	await dialog.chooseKind('Self-Hosted');
	const [before, after] = [
		['Address', 'Sign-In'],
		['ComfyUI At Another Address', 'Several ComfyUIs', 'More Settings', 'Allowed HTTP Request Domains'],
	];
	await dialog.untilLabels([...before, ...after]);
	expect(await dialog.valueOf('baseUrl')).toBe('http://127.0.0.1:8188');
	await dialog.enter('baseUrl', sandbox().urls.engine);
	expect(await dialog.saveInVain()).toMatch(/requires a sign-in.*check Sign-In/);

	await dialog.choose('signIn', 'User And Password');
	await dialog.untilLabels([...before, 'User', 'Password', ...after]);
	await dialog.enter('user', user);
	await dialog.enter('password', wrong);
	const shown = await dialog.saveInVain();
	expect(shown).toMatch(/did not accept the sign-in.*Check User and Password in the Comfy Self-Hosted API credential/);
	expect(shown).not.toContain(wrong);

	await dialog.enter('password', password);
	await dialog.saveWell();
	process.stdout.write(`A credential with user and password, after two that fail: ${editor.clicks} clicks\n`);
	expect(editor.clicks).toBeLessThanOrEqual(MOST_CLICKS_TO_SIGN_IN);
	await panel.chooseWorkflow('fox');
	expect(engineRequests(staged.session, 'GET', '/system_stats').at(-1)).toMatchObject({ headers: { authorization }, status: 200 });
});
