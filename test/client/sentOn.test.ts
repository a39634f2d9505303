import { connect, connectRouter } from '../../client';
import { failureOf } from './support/bytes';
import { json, type TestServer } from './support/server';
import { useTransport } from './support/transport';

/** A read that is sent on to another origin: what is said there is said by another, whatever its words. */
const transport = useTransport();
const ID = '0a6c4a52-6a0b-4d3c-9a47-1b0b7f5d0001';

async function sentOn(status: number, body: unknown): Promise<{ service: TestServer; elsewhere: TestServer }> {
	const elsewhere = await transport.server(json(status, body, { 'x-service-error-type': 'unauthorized' }));
	const service = await transport.server(
		({ url }, response) => void response.writeHead(302, { location: `${elsewhere.origin}${url}` }).end(),
	);
	return { service, elsewhere };
}

async function failure(baseUrl: string, name: 'v2' | 'v1' | 'engine' | 'router', what: 'read' | 'test'): Promise<unknown> {
	const connection =
		name === 'router'
			? connectRouter({ baseUrl, credential: { kind: 'apiKey', key: 'secret-key' }, readBudgetMs: 0 })
			: connect({ interface: name, baseUrl, token: 'secret-key', readBudgetMs: 0 });
	const read = async () => ('router' in connection ? await connection.router.model('lab/open') : await connection.jobs.get(ID));
	try {
		return await failureOf(what === 'read' ? read() : connection.verifyAccess());
	} finally {
		await connection.close();
	}
}

const ENVELOPE = (code: string) => ({ error: { code, message: 'No' } });

describe.each(['v2', 'v1', 'engine', 'router'] as const)('over %s', (name) => {
	it.each([
		[401, ENVELOPE('unauthorized')],
		[404, ENVELOPE('not_found')],
		[404, ENVELOPE('job_not_found')],
	])('an HTTP %d of another origin says nothing of the key or of a job, and where it is from', async (status, body) => {
		const { service, elsewhere } = await sentOn(status, body);
		for (const what of ['read', 'test'] as const) {
			expect(await failure(service.origin, name, what)).toMatchObject({
				name: 'UnreadableAnswerError',
				facts: { status, reason: 'unexpected', address: expect.stringContaining(elsewhere.origin) as string },
			});
		}
		expect(JSON.stringify(elsewhere.seen)).not.toContain('secret-key');
	});
});
