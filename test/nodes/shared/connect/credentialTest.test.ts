import type { ICredentialDataDecryptedObject, ICredentialsDecrypted, INodeCredentialTestResult } from 'n8n-workflow';

import type { ServiceSurface } from '../../../../sandbox';
import { selfSignedCertificate } from '../../../client/support/certificate';
import { deadOrigin } from '../../../client/support/deadOrigin';
import { type Answer, json, serve } from '../../../client/support/server';
import { asHandedOn } from '../../support/credentials';
import { type Credential, credentialTestContext, nodes } from '../../support/engine';
import { credentialFor, surfaces } from '../../support/flavours';
import { countTurns } from '../../../support/turnClock';
import { sharedSandbox } from '../../support/sandbox';

countTurns(5);

const sandbox = sharedSandbox();

const TESTS = { comfyApi: 'comfyApiTest', comfySelfHostedApi: 'comfySelfHostedApiTest' } as const;
const CANARY = 'canary-7f3a91';

/** As n8n runs the test behind the credential dialog. */
async function test({ type, data }: Credential): Promise<INodeCredentialTestResult> {
	const { credentialTest } = nodes.comfySubmitWorkflow.methods;
	const decrypted: ICredentialsDecrypted = { id: '1', name: 'test', type, data: asHandedOn({ type, data }) };
	const result = await credentialTest[TESTS[type]].call(credentialTestContext(), decrypted);
	expect(result.message).not.toContain(CANARY);
	return result;
}

const at = (baseUrl: string, changes: ICredentialDataDecryptedObject = {}): Credential[] => [
	{ type: 'comfyApi', data: { apiKey: CANARY, baseUrl, moreSettings: true, partnerApiKey: `${CANARY}-partner`, ...changes } },
	{ type: 'comfySelfHostedApi', data: { token: CANARY, baseUrl, moreSettings: true, partnerApiKey: `${CANARY}-partner`, ...changes } },
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

async function servedBy(answer: Answer, check: (origin: string) => Promise<void>): Promise<void> {
	const server = await serve(answer);
	try {
		await check(server.origin);
	} finally {
		await server.close();
	}
}

it.each(Object.keys(nodes) as Array<keyof typeof nodes>)('%s names tests that it has', (name) => {
	const { description, methods } = nodes[name];
	for (const credential of description.credentials ?? []) {
		expect(methods.credentialTest).toHaveProperty(String(credential.testedBy));
		expect(credential.testedBy).toBe(`${credential.name}Test`);
	}
});

describe.each(surfaces)('on %s', (surface) => {
	it.each(['specification', 'service'] as const)('a good credential passes (404s as the %s words them)', async (notFoundCodes) => {
		sandbox.configure({ notFoundCodes });
		const found = surface.startsWith('self_hosted') ? ': the API proxy (Interface: v2)' : '';
		expect(await test(credentialFor(sandbox, surface))).toEqual({ status: 'OK', message: `Connection successful${found}` });
	});

	it('asks once, for a job that cannot exist, and makes none', async () => {
		await test(credentialFor(sandbox, surface));
		expect(sandbox.requests().map(({ method, path }) => `${method} ${path.replace(/[0-9a-f-]{36}$/, ':id')}`)).toEqual([
			'GET /api/v2/jobs/:id',
		]);
	});

	it.each(['/', '/api/v2', '/api/v2/'])('a Base URL with %s at its end passes', async (end) => {
		const { type, data } = credentialFor(sandbox, surface);
		expect((await test({ type, data: { ...data, baseUrl: `${String(data.baseUrl)}${end}` } })).status).toBe('OK');
	});
});

describe('a ComfyUI without the proxy', () => {
	const FOUND = {
		status: 'OK',
		message: expect.stringMatching(/^Connection successful: ComfyUI \d+\.\d+\.\d+, without the proxy \(Interface: Engine\)$/) as string,
	};
	afterEach(() => sandbox.configure({ engineAuthorization: null }));

	it('at Address is named with its version; that takes two requests', async () => {
		expect(await test(credentialFor(sandbox, 'bare_engine'))).toEqual(FOUND);
		expect(sandbox.requests().map(({ surface }) => surface)).toEqual(['engine', 'engine']);
	});

	it('is found at an address without a scheme', async () => {
		expect(await test(credentialFor(sandbox, 'bare_engine', { baseUrl: new URL(sandbox.urls.engine).host }))).toEqual(FOUND);
	});

	it('at Engine Address is found where nothing answers at Address', async () => {
		expect(await test(credentialFor(sandbox, 'self_hosted', { baseUrl: await deadOrigin() }))).toEqual(FOUND);
	});

	it('behind a login passes with the right Engine Authorization, and without names the field', async () => {
		sandbox.configure({ engineAuthorization: `Basic ${CANARY}` });
		expect(await test(credentialFor(sandbox, 'bare_engine', { engineAuthorizationSecret: `Basic ${CANARY}` }))).toEqual(FOUND);
		await expectFailures(
			[credentialFor(sandbox, 'bare_engine', { engineAuthorizationSecret: 'Basic other' })],
			/login stands in front/,
			/Engine Authorization/,
		);
	});

	it('that is nowhere: names both addresses', async () => {
		const credential = credentialFor(sandbox, 'self_hosted', { baseUrl: await deadOrigin(), engineUrl: await deadOrigin() });
		await expectFailures([credential], /No server was found.*\(Address\).*\(Engine Address\)/, /Docker/);
	});
});

describe('a key that is not accepted', () => {
	const wrongKeys: Array<[ServiceSurface, string, string]> = [
		['hosted', 'apiKey', 'API Key'],
		['deployment', 'apiKey', 'API Key'],
		['self_hosted_token', 'token', 'Token'],
	];
	it.each(wrongKeys)('on %s names its field', async (surface, field, label) => {
		for (const value of [CANARY, '', 'schlüssel-äöü']) {
			const credential = credentialFor(sandbox, surface, { [field]: value });
			await expectFailures(
				[credential],
				new RegExp(`did not accept the ${label}`),
				new RegExp(`Check ${label} in the Comfy .*API credential`),
			);
		}
	});

	it('in a field that has to be asked for, says what shows it', async () => {
		await expectFailures(
			[credentialFor(sandbox, 'self_hosted_token', { moreSettings: false })],
			/Check Token in the Comfy Self-Hosted API credential \(under More Settings\)/,
		);
	});

	it('but known says what may be missing', async () => {
		sandbox.inject({ on: 'GET /api/v2/jobs/:id', times: 2, answer: { status: 403, code: 'forbidden' } });
		await expectFailures(at(sandbox.urls.hosted), /does not allow this action/, /subscription/);
	});
});

describe('an address that does not lead to the service', () => {
	it('where nothing listens: says to start the server, and what 127.0.0.1 means in Docker', async () => {
		await expectFailures(at(await deadOrigin()), /the connection was refused/, /Check that the server is running/, /Docker/);
	});

	it('of an unknown host: says to look for a typing mistake', async () => {
		await expectFailures(
			at('http://no-such-host.invalid'),
			/host name in http:\/\/no-such-host\.invalid is not known/,
			/Check (Base URL|Address) in/,
		);
	});

	it.each([200, 404])('that serves web pages (HTTP %i)', async (status) => {
		const page: Answer = (_request, response) =>
			void response.writeHead(status, { 'content-type': 'text/html' }).end('<!doctype html><title>Welcome</title>');
		const words = [new RegExp(`sent a web page \\(HTTP ${status}\\)`), /Check that (Base URL|Address) .* is the address of this service/];
		await servedBy(page, async (origin) => await expectFailures(at(origin), ...words));
	});

	it.each<[string, Answer]>([
		['other JSON with 404', json(404, { detail: 'Not Found' })],
		['other JSON with 200', json(200, { ok: true })],
		['plain text with 404', (_request, response) => void response.writeHead(404, { 'content-type': 'text/plain' }).end('404: Not Found')],
		['nothing with 404', (_request, response) => void response.writeHead(404).end()],
		['a job, whatever was asked for', json(200, { id: 'x', status: 'queued' })],
	])('that answers %s', async (_, answer) => {
		await servedBy(answer, async (origin) => {
			await expectFailures(at(origin), /does not give|is not JSON/, /Check that (Base URL|Address) .* is the address of this service/);
		});
	});

	it.each(['', 'cloud', 'not a url', 'ftp://127.0.0.1', `http://user:${CANARY}@127.0.0.1`, 'http://', 'http://127.0.0.1:99999'])(
		'that is malformed (%j)',
		async (baseUrl) => {
			await expectFailures(
				at(baseUrl),
				/^The address is not usable\. Enter (Base URL|Address) in the Comfy .*credential as https:\/\/host/,
			);
		},
	);

	it.each<[string, Answer, RegExp]>([
		[
			'of a service that was removed, in the words of the service',
			json(404, { error: { code: 'deployment_gone', message: 'This deployment was removed' } }),
			/"deployment_gone" \(HTTP 404\): This deployment was removed/,
		],
		['that hangs up', (_request, response) => void response.destroy(), /connection to .* was lost/],
	])('%s', async (_, answer, words) => {
		await servedBy(answer, async (origin) => await expectFailures(at(origin), words));
	});
});

describe('an address with the wrong scheme', () => {
	it.each([false, true])('https, where the server speaks no TLS: says to use http (Ignore SSL Issues: %s)', async (ignoreSslIssues) => {
		await servedBy(json(200, {}), async (origin) => {
			const secure = origin.replace('http:', 'https:');
			await expectFailures(at(secure, { ignoreSslIssues }), new RegExp(`speaks no TLS: use ${origin}\\. Enter (Base URL|Address) `));
		});
	});

	it('http, where the server speaks TLS: says to use https, at once', async () => {
		const server = await serve(json(404, {}), selfSignedCertificate());
		try {
			await expectFailures(
				at(server.origin.replace('https:', 'http:')),
				new RegExp(`speaks TLS only: use ${server.origin}\\. Enter (Base URL|Address) `),
			);
			expect(server.seen.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
		} finally {
			await server.close();
		}
	});
});

describe('a certificate without a trusted signature', () => {
	it('fails and names Ignore SSL Issues, which makes it pass', async () => {
		const notFound = json(404, { error: { code: 'not_found', message: 'No such job', details: null } });
		const server = await serve(notFound, selfSignedCertificate());
		try {
			await expectFailures(at(server.origin), /certificate of https:.* cannot be trusted/, /Ignore SSL Issues/);
			for (const credential of at(server.origin, { ignoreSslIssues: true })) expect((await test(credential)).status).toBe('OK');
			expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${CANARY}`, `Bearer ${CANARY}`]);
		} finally {
			await server.close();
		}
	});
});
