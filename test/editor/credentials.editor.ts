import { nobody, webSite, type Stranger } from '../e2e/support/strangers';
import { sharedHostState } from '../e2e/support/hostState';
import type { CredentialDialog, SignIn } from './support/pages/credentialDialog';
import type { Editor } from './support/pages/editor';
import { SUBMIT } from './support/ourNodes';
import { stage } from './support/scenes';

const staged = stage();
const { scene } = staged;

const API_KEY: SignIn = 'API Key (Hosted or Deployment)';
const SELF_HOSTED: SignIn = 'Self-Hosted';

let site: Stranger;
beforeAll(async () => {
	site = await webSite();
});
afterAll(() => site.close());

async function newCredential(editor: Editor, kind: SignIn, fields: Record<string, string>): Promise<CredentialDialog> {
	await editor.openCreator('first step');
	const panel = await editor.add(SUBMIT);
	const dialog = await panel.newCredential();
	await dialog.chooseKind(kind);
	for (const [field, value] of Object.entries(fields)) await dialog.enter(field, value);
	return dialog;
}

/** n8n adds this one to every credential. */
const OF_N8N = 'Allowed HTTP Request Domains';

scene("E5: a new credential for a server of one's own asks for one address", async (editor) => {
	const dialog = await newCredential(editor, SELF_HOSTED, {});
	await dialog.untilLabels(['Address', 'Engine At Another Address', 'More Settings', OF_N8N]);
	await expect(dialog.valueOf('baseUrl')).resolves.toBe('http://127.0.0.1:8188');
});

scene('E5: a new credential with a key asks for the key and where jobs run', async (editor) => {
	const dialog = await newCredential(editor, API_KEY, {});
	await dialog.untilLabels(['API Key', 'Base URL', 'More Settings', OF_N8N]);
});

type Fields = () => Promise<Record<string, string>> | Record<string, string>;
const sandbox = () => staged.session.sandbox;
const key = () => sandbox().keys.apiKey;

const good: Array<[SignIn, string, Fields]> = [
	[API_KEY, 'a good key', () => ({ apiKey: key(), baseUrl: sandbox().urls.hosted })],
	[SELF_HOSTED, 'a bare ComfyUI', () => ({ baseUrl: sandbox().urls.engine })],
	[SELF_HOSTED, 'the API proxy', () => ({ baseUrl: sandbox().urls.self_hosted })],
];

describe.each(good)('a new credential, %s', (kind, what, fields) => {
	scene(`T5: is saved after its test: ${kind}, ${what}`, async (editor) => {
		const dialog = await newCredential(editor, kind, await fields());
		await dialog.saveWell();
	});
});

const bad: Array<[id: string, SignIn, string, Fields, RegExp]> = [
	['T5', API_KEY, 'a wrong key', () => ({ apiKey: 'not-the-key', baseUrl: sandbox().urls.hosted }), /did not accept/],
	['T5', API_KEY, 'an address where nothing listens', async () => ({ apiKey: key(), baseUrl: await nobody() }), /refused/],
	['T5', API_KEY, 'a web site', () => ({ apiKey: key(), baseUrl: site.url }), /address of this service/],
	[
		'E6',
		API_KEY,
		'the address of a ComfyUI',
		() => ({ apiKey: key(), baseUrl: sandbox().urls.engine }),
		/This is ComfyUI itself \(http:\/\/127\.0\.0\.1:\d+\): use the credential Comfy Self-Hosted API/,
	],
	['E6', API_KEY, 'the address of n8n', () => ({ apiKey: key(), baseUrl: sharedHostState().url }), /This is n8n itself/],
	['T5', SELF_HOSTED, 'an address where nothing listens', async () => ({ baseUrl: await nobody() }), /refused/],
	['T5', SELF_HOSTED, 'a web site', () => ({ baseUrl: site.url }), /web page/],
	['E6', SELF_HOSTED, 'the address of n8n', () => ({ baseUrl: sharedHostState().url }), /This is n8n itself/],
];

describe.each(bad)('%s: a new credential, %s', (id, kind, what, fields, words) => {
	scene(`${id}: is told what is wrong with it: ${kind}, ${what}`, async (editor) => {
		const entered = await fields();
		const dialog = await newCredential(editor, kind, entered);
		const told = await dialog.saveInVain();
		expect(told).toMatch(words);
		if (entered.apiKey) expect(told).not.toContain(entered.apiKey);
	});
});
