import { ApiError, ConnectionError, connect, UnreadableAnswerError } from '../../client';
import { failureOf } from './support/bytes';
import { selfSignedCertificate } from './support/certificate';
import { useSandbox } from './support/sandbox';
import { deadOrigin } from './support/deadOrigin';
import { json, serve, type Answer } from './support/server';

const harness = useSandbox();

async function verifyAgainst(answer: Answer, tls?: Parameters<typeof serve>[1]): Promise<unknown> {
	const server = await serve(answer, tls);
	const connection = connect({ interface: 'v2', baseUrl: server.origin });
	const failure = await failureOf(connection.verifyAccess()).finally(() => Promise.all([connection.close(), server.close()]));
	expect(server.seen.length).toBeLessThanOrEqual(1);
	return failure;
}

test.each(['hosted', 'deployment', 'self_hosted', 'self_hosted_token'] as const)('a good key for %s: one request', async (surface) => {
	for (const notFoundCodes of ['specification', 'service'] as const) {
		harness.sandbox.configure({ notFoundCodes });
		harness.sandbox.resetRecords();
		await expect(harness.connect(surface).verifyAccess()).resolves.toEqual({ interface: 'v2', version: null });
		expect(harness.sandbox.requests()).toHaveLength(1);
	}
});

test.each(['hosted', 'deployment', 'self_hosted_token'] as const)('a wrong key for %s', async (surface) => {
	const failure = await failureOf(harness.connect(surface, { token: 'wrong' }).verifyAccess());
	expect(failure).toBeInstanceOf(ApiError);
	expect(failure).toMatchObject({ code: 'unauthorized', status: 401 });
});

test('a key that no header can carry is a wrong key, and is not repeated', () => {
	const connecting = () => harness.connect('hosted', { token: 'canary\nx' });
	expect(connecting).toThrow(expect.objectContaining({ code: 'unauthorized' }));
	expect(connecting).not.toThrow(/canary/);
});

test('spaces around a pasted key do not matter', async () => {
	await expect(harness.connect('hosted', { token: ` ${harness.sandbox.keys.apiKey}\n` }).verifyAccess()).resolves.toEqual({
		interface: 'v2',
		version: null,
	});
});

test('trouble is told at once, not retried', async () => {
	harness.sandbox.inject({ on: 'GET /api/v2/jobs/:id', answer: { status: 500, code: 'upstream_error' } });
	await expect(harness.connect().verifyAccess()).rejects.toMatchObject({ status: 500 });
	expect(harness.sandbox.requests()).toHaveLength(1);
});

test('nobody there', async () => {
	const failure = await failureOf(harness.connect('hosted', { baseUrl: await deadOrigin() }).verifyAccess());
	expect(failure).toBeInstanceOf(ConnectionError);
	expect(failure).toMatchObject({ trouble: 'refused' });
});

test('a certificate nobody trusts', async () => {
	expect(await verifyAgainst(json(200, {}), selfSignedCertificate())).toMatchObject({ trouble: 'tls' });
});

const page: Answer = (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
const missingPage: Answer = (_request, response) => void response.writeHead(404, { 'content-type': 'text/html' }).end('<html>');
const missingText: Answer = (_request, response) => void response.writeHead(404, { 'content-type': 'text/plain' }).end('404: Not Found');
const nothing: Answer = (_request, response) => void response.writeHead(404).end();

test.each([
	['a web page', page, 'html'],
	['a web page with 404', missingPage, 'html'],
	['a plain 404', missingText, 'unexpected'],
	['an empty 404', nothing, 'unexpected'],
	["another product's 404", json(404, { detail: 'Not Found' }), 'unexpected'],
	['an engine without the interface', json(404, { error: 'not found' }), 'unexpected'],
	['another API', json(200, { ok: true }), 'unexpected'],
	['a job that cannot be', json(200, { id: 'a', status: 'queued' }), 'unexpected'],
])('another address: %s', async (_name, answer, reason) => {
	const failure = await verifyAgainst(answer);
	expect(failure).toBeInstanceOf(UnreadableAnswerError);
	expect(failure).toMatchObject({ facts: { reason } });
});

test('a 404 of another kind is the service speaking', async () => {
	expect(await verifyAgainst(json(404, { error: { code: 'account_gone', message: 'm' } }))).toMatchObject({ code: 'account_gone' });
});
