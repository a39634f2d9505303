import { CREDENTIAL_BLANKING_VALUE } from 'n8n-workflow';

import { startSandbox } from '../../sandbox';
import { type CredentialDocument, importCredentials, itemsOf } from '../../scripts/n8nHost/documents';
import { sandboxCredentials } from '../../scripts/sandboxCredentials';
import { deadOrigin } from '../client/support/deadOrigin';
import { onServer, saveServer } from './support/engine';
import { quick } from './support/graphs';
import { openSession, type Session } from './support/session';
import { chain, node, TRIGGER } from './support/workflows';

let session: Session;
beforeAll(async () => {
	session = await openSession();
});
afterAll(() => session.close());

/** Saves the credential with these changes and tests it, as the editor does. */
async function saveAndTest(type: string, changes: CredentialDocument['data'] = {}) {
	const good = sandboxCredentials(session.sandbox).find((document) => document.type === type)!;
	const data = { ...good.data, ...changes };
	const saved = await importCredentials(session.rest, [{ ...good, data }]);
	return { saved, result: await session.rest.testCredential({ ...saved[0]!, data }) };
}

const secretOf: Record<string, string> = { comfyApi: 'apiKey', comfySelfHostedApi: 'token', comfyRouterJwtApi: 'token' };

describe.each(Object.entries(secretOf))('the test of a %s credential', (type, secret) => {
	test('succeeds with the right key, and does not show a wrong key that the service rejects', async () => {
		expect((await saveAndTest(type)).result.status).toBe('OK');
		const { result } = await saveAndTest(type, { [secret]: 'not-the-key' });
		expect(result).toMatchObject({ status: 'Error', message: expect.stringMatching(/did not accept/) });
		expect(result.message).not.toContain('not-the-key');
	});

	test('says that an address where nothing listens refuses the connection', async () => {
		const url = await deadOrigin();
		const { result } = await saveAndTest(type, { baseUrl: url, engineUrl: url, routerUrl: url });
		expect(result).toMatchObject({ status: 'Error', message: expect.stringMatching(/refused/) });
	});
});

test.each([
	['v2', 'the API proxy (Interface: v2)', async () => ({ baseUrl: session.sandbox.urls.self_hosted, engineUrl: await deadOrigin() })],
	['engine', 'ComfyUI 0.3.64 without the API proxy (Interface: Engine)', async () => ({ baseUrl: await deadOrigin() })],
] as const)('Automatic finds the interface %s: the test of the credential says so, and a flow runs there', async (found, name, fields) => {
	const { saved, result } = await saveAndTest('comfySelfHostedApi', { token: '', ...(await fields()) });
	expect(result).toEqual({ status: 'OK', message: `Connection successful: ${name}` });
	const nodes = [
		onServer('comfySubmitWorkflow', { workflow: JSON.stringify(quick) }),
		onServer('comfyWaitForJob'),
		onServer('comfyDownloadOutputs'),
	];
	const execution = await session.rest.waitFor(await session.start(chain(`automatic: ${found}`, ...nodes), TRIGGER, saved));
	expect(execution.data.resultData.error).toBeUndefined();
	expect(itemsOf(execution, 'comfyWaitForJob').map(({ json }) => [json.interface, json.status])).toEqual([[found, 'succeeded']]);
	expect(itemsOf(execution, 'comfyDownloadOutputs')[0]?.binary?.data?.mimeType).toBe('image/png');
});

test('a credential with several ComfyUIs names each in its test, with a saved password of a row, and a flow runs there', async () => {
	const other = await startSandbox();
	const [password, address] = ['a-secret-marker-1', other.urls.engine];
	other.configure({ engineAuthorization: `Basic ${Buffer.from(`ann:${password}`).toString('base64')}` });
	const rowsWith = (secret: string) => ({ values: [{ address, user: 'ann', password: secret, bearerToken: '' }] });
	const fields = { token: '', hasMoreServers: true, moreServers: '', serversWithSignIn: rowsWith(password) };
	const { saved, result } = await saveAndTest('comfySelfHostedApi', fields);
	const message = `Connection successful: 2 servers respond: ${session.sandbox.urls.engine} (ComfyUI 0.3.64), ${address} (ComfyUI 0.3.64)`;
	expect(result).toEqual({ status: 'OK', message });

	// The editor has only a placeholder for a saved password.
	const good = sandboxCredentials(session.sandbox).find(({ type }) => type === 'comfySelfHostedApi')!;
	const shown = { ...good.data, ...fields, serversWithSignIn: rowsWith(CREDENTIAL_BLANKING_VALUE) };
	expect(await session.rest.testCredential({ ...saved[0]!, data: shown })).toEqual({ status: 'OK', message });
	const wrong = await session.rest.testCredential({ ...saved[0]!, data: { ...shown, serversWithSignIn: rowsWith('wrong-marker') } });
	expect(wrong).toMatchObject({
		status: 'Error',
		message: expect.stringMatching(/^1 of 2 servers cannot be used\. .*row 1 of Servers With Own Sign-In/),
	});
	expect(wrong.message).not.toContain('marker');

	const flow = chain('several ComfyUIs', onServer('comfySubmitWorkflow', { workflow: JSON.stringify(quick) }), onServer('comfyWaitForJob'));
	const execution = await session.rest.waitFor(await session.start(flow, TRIGGER, saved));
	expect(execution.data.resultData.error).toBeUndefined();
	expect(itemsOf(execution, 'comfyWaitForJob').map(({ json }) => [json.interface, json.status])).toEqual([['engine', 'succeeded']]);
	await other.close();
});

test('a ComfyUI behind a user and a password accepts all requests of our nodes and of HTTP Request', async () => {
	const { sandbox, rest } = session;
	const password = 'a right sécret: 1';
	const engineAuthorization = `Basic ${Buffer.from(`ann:${password}`).toString('base64')}`;
	sandbox.configure({ engineAuthorization });
	sandbox.resetRecords();
	const httpRequest = node('HTTP Request', 'n8n-nodes-base.httpRequest', 4.2, {
		url: `${sandbox.urls.engine}/system_stats`,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'comfySelfHostedApi',
		options: {},
	});
	const signedIn = { ...httpRequest, credentials: { comfySelfHostedApi: { id: null, name: '' } } };
	const flow = chain('signed in', onServer('comfyRunWorkflow', { workflow: JSON.stringify(quick) }), signedIn);
	const saved = await saveServer(session, { signIn: 'basic', user: 'ann', password, engineIsElsewhere: false });
	const execution = await rest.waitFor(await session.start(flow, TRIGGER, saved));
	expect(execution.data.resultData.error).toBeUndefined();
	expect(itemsOf(execution, httpRequest.name).map(({ json }) => json)).toMatchObject([{ system: { os: 'sandbox' } }]);
	expect(itemsOf(execution, 'comfyRunWorkflow')[0]?.binary?.data?.mimeType).toBe('image/png');
	const requests = sandbox.requests(undefined, 'engine');
	expect(new Set(requests.map(({ headers }) => headers.authorization))).toEqual(new Set([engineAuthorization]));
	expect(requests.filter(({ status }) => status === 401)).toEqual([]);
});
