import { sandboxCredentials } from '../../scripts/sandboxCredentials';
import { stopSharedHost } from './support/host';
import { openSession, type Session } from './support/session';

let session: Session;
beforeAll(async () => {
	await (
		await stopSharedHost()
	)({ N8N_SSRF_PROTECTION_ENABLED: 'true' });
	session = await openSession();
});
afterAll(async () => {
	await session.close();
	await (
		await stopSharedHost()
	)();
});

test("under n8n's SSRF protection no credential test reaches loopback", async () => {
	const { rest, sandbox } = session;
	const tested = sandboxCredentials(sandbox);
	expect(tested.map(({ type }) => type)).toEqual(expect.arrayContaining(['comfyApi', 'comfySelfHostedApi']));
	for (const document of tested) {
		const saved = await rest.createCredential(document);
		const result = await rest.testCredential({ id: saved.id, name: saved.name, type: document.type, data: document.data });
		expect(result).toMatchObject({
			status: 'Error',
			message: expect.stringMatching(/n8n does not allow connections to http:\/\/127\.0\.0\.1/),
		});
	}
	expect(sandbox.requests()).toEqual([]);
});
