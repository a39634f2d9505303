import type { CredentialDocument } from '../../scripts/n8nHost';
import { sandboxCredentials } from '../../scripts/sandboxCredentials';
import { openSession, type Session } from './support/session';
import { nobody, otherInterface, selfSigned, webSite, type Stranger } from './support/strangers';

let session: Session;
const strangers: Stranger[] = [];
beforeAll(async () => {
	session = await openSession();
});
afterAll(async () => {
	await Promise.all([session.close(), ...strangers.map((stranger) => stranger.close())]);
});

async function stranger(start: () => Promise<Stranger>): Promise<string> {
	const started = await start();
	strangers.push(started);
	return started.url;
}

/** Saves the credential with these changes and tests it, as the editor does. */
async function testOf(type: string, changes: CredentialDocument['data'] = {}) {
	const good = sandboxCredentials(session.sandbox).find((document) => document.type === type);
	if (!good) throw new Error(`No credential of type ${type}`);
	const data = { ...good.data, ...changes };
	const saved = await session.rest.createCredential({ ...good, data });
	return await session.rest.testCredential({ id: saved.id, name: saved.name, type, data });
}

const secretOf: Record<string, string> = { comfyApi: 'apiKey', comfySelfHostedApi: 'token' };

describe.each(Object.entries(secretOf))('testing a %s credential', (type, secret) => {
	test('that is good says so', async () => {
		await expect(testOf(type)).resolves.toMatchObject({ status: 'OK' });
	});

	test('with a wrong key says that the service did not accept it', async () => {
		const result = await testOf(type, { [secret]: 'not-the-key' });
		expect(result).toMatchObject({ status: 'Error', message: expect.stringMatching(/did not accept/) });
		expect(result.message).not.toContain('not-the-key');
	});

	test('with an address where nothing listens says that the connection was refused', async () => {
		await expect(testOf(type, { baseUrl: await nobody(), engineUrl: await nobody() })).resolves.toMatchObject({
			status: 'Error',
			message: expect.stringMatching(/refused/),
		});
	});

	test.each([
		['a web site', webSite],
		['another interface', otherInterface],
	])('with the address of %s says that this is not the service', async (_name, start) => {
		await expect(testOf(type, { baseUrl: await stranger(start) })).resolves.toMatchObject({
			status: 'Error',
			message: expect.stringMatching(/address of this service/),
		});
	});

	test('with an untrusted certificate names TLS, and succeeds with Ignore SSL Issues', async () => {
		const baseUrl = await stranger(selfSigned);
		await expect(testOf(type, { baseUrl })).resolves.toMatchObject({ status: 'Error', message: expect.stringMatching(/TLS/) });
		await expect(testOf(type, { baseUrl, ignoreSslIssues: true })).resolves.toMatchObject({
			status: 'Error',
			message: expect.not.stringMatching(/TLS/),
		});
	});
});
