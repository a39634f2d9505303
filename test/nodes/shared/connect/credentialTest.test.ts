import type { ICredentialDataDecryptedObject, INodeCredentialTestResult } from 'n8n-workflow';

import type { ServiceSurface } from '../../../../sandbox';
import { selfSignedCertificate } from '../../../client/support/certificate';
import { deadOrigin } from '../../../client/support/deadOrigin';
import { type Answer, json, serve, type TestServer } from '../../../client/support/server';
import { testCredential } from '../../support/credentialTest';
import type { Credential } from '../../support/engine';
import { credentialFor, surfaces } from '../../support/flavours';
import { countTurns } from '../../../support/turnClock';
import { sharedSandbox } from '../../support/sandbox';

countTurns(5);

const sandbox = sharedSandbox();

const MARKER = 'marker-7f3a91';

async function test(credential: Credential): Promise<INodeCredentialTestResult> {
	const result = await testCredential(credential);
	expect(result.message).not.toContain(MARKER);
	return result;
}

const at = (baseUrl: string, changes: ICredentialDataDecryptedObject = {}): Credential[] => [
	{ type: 'comfyApi', data: { apiKey: MARKER, baseUrl, moreSettings: true, partnerApiKey: `${MARKER}-partner`, ...changes } },
	{ type: 'comfySelfHostedApi', data: { token: MARKER, baseUrl, moreSettings: true, partnerApiKey: `${MARKER}-partner`, ...changes } },
];

async function expectFailures(credentials: Credential[], ...patterns: RegExp[]): Promise<void> {
	for (const credential of credentials) {
		const result = await test(credential);
		expect(result.status).toBe('Error');
		for (const pattern of patterns) expect(result.message).toMatch(pattern);
		const name = credential.type === 'comfyApi' ? 'Comfy API' : 'Comfy Self-Hosted API';
		if (/ credential[ :.]/.test(result.message)) expect(result.message).toContain(`the ${name} credential`);
	}
}

async function servedBy(answer: Answer, check: (server: TestServer) => Promise<void>, tls?: Parameters<typeof serve>[1]): Promise<void> {
	const server = await serve(answer, tls);
	await check(server).finally(server.close);
}

it.each(surfaces.flatMap((surface) => (['specification', 'service'] as const).map((codes) => [surface, codes] as const)))(
	'a good credential of %s passes after one request for a job that cannot exist (404s as the %s words them)',
	async (surface, notFoundCodes) => {
		sandbox.configure({ notFoundCodes });
		const { type, data } = credentialFor(sandbox, surface);
		const found = surface.startsWith('self_hosted') ? ': the API proxy (Interface: v2)' : '';
		for (const end of ['', '/', '/api/v2', '/api/v2/']) {
			sandbox.resetRecords();
			const result = await test({ type, data: { ...data, baseUrl: `${String(data.baseUrl)}${end}` } });
			expect(result).toEqual({ status: 'OK', message: `Connection successful${found}` });
			expect(sandbox.requests().map(({ method, path }) => `${method} ${path.replace(/[0-9a-f-]{36}$/, ':id')}`)).toEqual([
				'GET /api/v2/jobs/:id',
			]);
		}
	},
);

describe('a ComfyUI without the proxy', () => {
	const FOUND = {
		status: 'OK',
		message: expect.stringMatching(/^Connection successful: ComfyUI \d+\.\d+\.\d+ without the API proxy \(Interface: Engine\)$/) as string,
	};

	it('at Address is named with its version; that takes two requests', async () => {
		expect(await test(credentialFor(sandbox, 'bare_engine'))).toEqual(FOUND);
		expect(sandbox.requests().map(({ surface }) => surface)).toEqual(['engine', 'engine']);
	});

	it('behind a login passes with the right ComfyUI Authorization, and without names the field', async () => {
		sandbox.configure({ engineAuthorization: `Basic ${MARKER}` });
		expect(await test(credentialFor(sandbox, 'bare_engine', { engineAuthorizationSecret: `Basic ${MARKER}` }))).toEqual(FOUND);
		await expectFailures(
			[credentialFor(sandbox, 'bare_engine', { engineAuthorizationSecret: 'Basic other' })],
			/requires a sign-in/,
			/ComfyUI Authorization/,
		);
	});
});

describe('a key that is not accepted', () => {
	const wrongKeys: Array<[ServiceSurface, string, string]> = [
		['hosted', 'apiKey', 'API Key'],
		['deployment', 'apiKey', 'API Key'],
		['self_hosted_token', 'token', 'Token'],
	];
	it.each(wrongKeys)('on %s is reported with its field', async (surface, field, label) => {
		const wrong = [MARKER, '', 'schlüssel-äöü'].map((value) => credentialFor(sandbox, surface, { [field]: value }));
		await expectFailures(wrong, new RegExp(`did not accept the ${label}`), new RegExp(`Check ${label} in the Comfy .*API credential`));
	});

	it.each([
		{ signIn: 'basic', user: 'ann:b', password: MARKER },
		{ signIn: 'bearer', bearerToken: `${MARKER}\nX: y` },
	])('and that no header can contain is reported before a request (%j)', async (fields) => {
		const wrong = [credentialFor(sandbox, 'self_hosted_token', { token: '', ...fields })];
		await expectFailures(wrong, /^(User contains a colon|Bearer Token contains)/, /in the Comfy Self-Hosted API credential/);
		expect(sandbox.requests()).toEqual([]);
	});

	it('but known is reported with what may be missing', async () => {
		sandbox.inject({ on: 'GET /api/v2/jobs/:id', times: 2, answer: { status: 403, code: 'forbidden' } });
		await expectFailures(at(sandbox.urls.hosted), /does not allow this action/, /subscription/);
	});
});

describe('an address that does not lead to the service', () => {
	it('is reported where nothing listens, with what 127.0.0.1 means in Docker', async () => {
		await expectFailures(at(await deadOrigin()), /the connection was refused/, /Check that the server is running/, /Docker/);
	});

	it.each(['', 'not a url', 'ftp://127.0.0.1', `http://user:${MARKER}@127.0.0.1`, 'http://127.0.0.1:99999', 'wss://127.0.0.1:8188/ws'])(
		'B20: that is malformed, or has a password or another scheme, is reported with its field and an example (%j)',
		async (baseUrl) => {
			await expectFailures(
				at(baseUrl),
				/^The address is not valid\. Enter (Base URL|Address) in the Comfy .*credential in the form https:\/\/host/,
				/http:\/\/host:port, also instead of ws:\/\//,
				/must not contain a user or a password: enter them under Sign-In/,
			);
		},
	);

	const OTHER = /Check that (Base URL|Address) .* is the address of this service/;
	it.each<[string, Answer, RegExp[]]>([
		[
			'a web page',
			(_request, response) => void response.writeHead(404, { 'content-type': 'text/html' }).end('<!doctype html><title>Welcome</title>'),
			[/returned a web page \(HTTP 404\)/, OTHER],
		],
		['other JSON', json(404, { detail: 'Not Found' }), [/does not send/, OTHER]],
		['a job, whatever was asked for', json(200, { id: 'x', status: 'queued' }), [/does not send/, OTHER]],
		[
			'that the service was removed',
			json(404, { error: { code: 'deployment_gone', message: 'This deployment was removed' } }),
			[/"deployment_gone" \(HTTP 404\): This deployment was removed/],
		],
		['nothing, because it hangs up', (_request, response) => void response.destroy(), [/connection to .* was lost/]],
	])('is reported if it answers %s', async (_, answer, words) => {
		await servedBy(answer, async ({ origin }) => await expectFailures(at(origin), ...words));
	});
});

it('a certificate without a trusted signature is reported with Ignore SSL Issues, which makes the test pass', async () => {
	const notFound = json(404, { error: { code: 'not_found', message: 'No such job', details: null } });
	await servedBy(
		notFound,
		async ({ origin, seen }) => {
			await expectFailures(at(origin), /n8n does not trust the TLS certificate of https:/, /Ignore SSL Issues/);
			for (const credential of at(origin, { ignoreSslIssues: true })) expect((await test(credential)).status).toBe('OK');
			expect(seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${MARKER}`, `Bearer ${MARKER}`]);
		},
		selfSignedCertificate(),
	);
});
