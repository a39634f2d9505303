import { importCredentials } from '../../scripts/n8nHost/documents';
import { sandboxCredentials } from '../../scripts/sandboxCredentials';
import { openOwnHost, type OwnHost } from './support/ownHost';

let host: OwnHost;
beforeAll(async () => {
	host = await openOwnHost({ N8N_SSRF_PROTECTION_ENABLED: 'true' });
});
afterAll(() => host.close());

test("under n8n's SSRF protection no credential test reaches loopback", async () => {
	const { rest, sandbox } = host.session;
	const documents = sandboxCredentials(sandbox);
	expect(documents.map(({ type }) => type)).toEqual(expect.arrayContaining(['comfyApi', 'comfySelfHostedApi']));
	const saved = await importCredentials(rest, documents);
	for (const [index, { data }] of documents.entries()) {
		const result = await rest.testCredential({ ...saved[index]!, data });
		const message = expect.stringMatching(/n8n does not allow connections to http:\/\/127\.0\.0\.1/);
		expect(result).toMatchObject({ status: 'Error', message });
	}
	expect(sandbox.requests()).toEqual([]);
});
