import { type CredentialDocument, itemsOf } from '../../scripts/n8nHost';
import { onServer, saveServer, serverDocument } from './support/engine';
import { quick } from './support/graphs';
import { openSession, type Session } from './support/session';
import { nobody, webSite } from './support/strangers';
import { chain, TRIGGER } from './support/workflows';

let session: Session;
beforeAll(async () => {
	session = await openSession();
});
afterAll(() => session.close());

type Fields = CredentialDocument['data'];

const ENGINE = 'ComfyUI 0.3.64, without the proxy (Interface: Engine)';
const PROXY = 'the API proxy (Interface: v2)';

/** Where it is entered → what is there. */
const places: Array<[string, () => Promise<Fields>, 'v2' | 'engine']> = [
	['the proxy at Address', async () => ({ baseUrl: session.sandbox.urls.self_hosted, engineUrl: await nobody() }), 'v2'],
	[
		'the proxy with a token at Address',
		async () =>
			await Promise.resolve({
				baseUrl: session.sandbox.urls.self_hosted_token_url,
				engineUrl: session.sandbox.urls.engine,
				token: session.sandbox.keys.bearer,
			}),
		'v2',
	],
	['an engine at Address', async () => await Promise.resolve({ baseUrl: session.sandbox.urls.engine, engineUrl: '' }), 'engine'],
	[
		'nothing at Address and an engine at Engine Address',
		async () => ({ baseUrl: await nobody(), engineUrl: session.sandbox.urls.engine }),
		'engine',
	],
];

test.each(places)('Automatic finds %s, and the same flow runs there', async (_name, fields, found) => {
	const nodes = [
		onServer('comfySubmitWorkflow', { workflow: JSON.stringify(quick) }),
		onServer('comfyWaitForJob'),
		onServer('comfyGetWorkflow'),
		onServer('comfyDownloadOutputs'),
	];
	// Get Workflow hands on the workflow, not the job.
	nodes[3]!.parameters.jobId = '={{ $("comfyWaitForJob").item.json.job_id }}';
	const id = await session.start(chain(`automatic: ${found}`, ...nodes), TRIGGER, await saveServer(session, await fields()));
	const execution = await session.rest.waitFor(id);
	expect(execution.data.resultData.error).toBeUndefined();
	expect(itemsOf(execution, 'comfyWaitForJob').map(({ json }) => [json.interface, json.status])).toEqual([[found, 'succeeded']]);
	expect(itemsOf(execution, 'comfyDownloadOutputs')[0]?.binary?.data?.mimeType).toBe('image/png');
});

/** Saves the credential and tests it, as the editor does. */
async function testOf(changes: Fields) {
	const document = serverDocument(session, changes);
	const saved = await session.rest.createCredential(document);
	return await session.rest.testCredential({ ...saved, data: document.data });
}

test.each(places)('the test of a credential for %s says what it finds', async (_name, fields, found) => {
	await expect(testOf(await fields())).resolves.toEqual({
		status: 'OK',
		message: `Connection successful: ${found === 'engine' ? ENGINE : PROXY}`,
	});
});

test('the test of a credential says that neither address answers, and does not accept a web site as ComfyUI', async () => {
	await expect(testOf({ baseUrl: await nobody(), engineUrl: await nobody() })).resolves.toMatchObject({
		status: 'Error',
		message: expect.stringMatching(/refused/),
	});
	const site = await webSite();
	await expect(testOf({ baseUrl: site.url, engineUrl: session.sandbox.urls.engine })).resolves.toMatchObject({
		status: 'Error',
		message: expect.stringMatching(/web page/),
	});
	await site.close();
});
