import { findUnusedAddress, type OtherServer, openWebSite } from '../e2e/support/strangers';
import { sharedHostState } from '../e2e/support/host';
import type { SignIn } from './support/pages/credentialDialog';
import { SUBMIT } from './support/ourNodes';
import { stage } from './support/scenes';

const staged = stage();
const { scene } = staged;

let site: OtherServer;
beforeAll(async () => {
	site = await openWebSite();
});
afterAll(() => site.close());

/** n8n adds this field to each credential. */
const OF_N8N = 'Allowed HTTP Request Domains';

interface Kind {
	labels: string[];
	/** The default value of Base URL. */
	address?: string;
	good(): Record<string, string>;
	/** The values to enter, and the message that n8n then shows. */
	bad(): Promise<Array<[Record<string, string>, RegExp]>>;
}

const sandbox = () => staged.session.sandbox;

const kinds: Record<SignIn, Kind> = {
	'API Key (Hosted or Deployment)': {
		labels: ['API Key', 'Base URL', 'More Settings', OF_N8N],
		good: () => ({ apiKey: sandbox().keys.apiKey, baseUrl: sandbox().urls.hosted }),
		bad: async () => [
			[{ apiKey: 'not-the-key', baseUrl: sandbox().urls.hosted }, /did not accept/],
			[
				{ apiKey: sandbox().keys.apiKey, baseUrl: sandbox().urls.engine },
				/The server at http:\/\/127\.0\.0\.1:\d+ is ComfyUI itself: use the credential Comfy Self-Hosted API/,
			],
			[{ apiKey: sandbox().keys.apiKey, baseUrl: await findUnusedAddress() }, /refused/],
		],
	},
	'Self-Hosted': {
		labels: ['Address', 'Sign-In', 'Engine At Another Address', 'Several ComfyUIs', 'More Settings', OF_N8N],
		address: 'http://127.0.0.1:8188',
		good: () => ({ baseUrl: sandbox().urls.engine }),
		bad: async () =>
			await Promise.resolve([
				[{ baseUrl: site.url }, /web page/],
				[{ baseUrl: sharedHostState().url }, /is n8n, not ComfyUI/],
			]),
	},
};

describe.each(Object.entries(kinds) as Array<[SignIn, Kind]>)('a new credential, %s', (kind, { labels, address, good, bad }) => {
	scene(`E5, E6, T5: asks for little, is told what is wrong with it, and is saved after its test: ${kind}`, async (editor) => {
		await editor.openCreator('first step');
		const panel = await editor.add(SUBMIT);
		const dialog = await panel.newCredential();
		await dialog.chooseKind(kind);
		await dialog.untilLabels(labels);
		if (address !== undefined) await expect(dialog.valueOf('baseUrl')).resolves.toBe(address);
		for (const [fields, words] of await bad()) {
			for (const [field, value] of Object.entries(fields)) await dialog.enter(field, value);
			const told = await dialog.saveInVain();
			expect(told).toMatch(words);
			if (fields.apiKey) expect(told).not.toContain(fields.apiKey);
		}
		for (const [field, value] of Object.entries(good())) await dialog.enter(field, value);
		await dialog.saveWell();
	});
});
