import { connect, connectRouter } from '../../client';
import { failureOf } from './support/bytes';
import { json, type TestServer } from './support/server';
import { useTransport } from './support/transport';

/** API reads stay on their origin: what another server says is not the service's, whatever its words. */
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
	it('F5: does not follow a redirect of an API read to another origin, and names that origin', async () => {
		const { service, elsewhere } = await sentOn(404, ENVELOPE('job_not_found'));
		for (const what of ['read', 'test'] as const) {
			expect(await failure(service.origin, name, what)).toMatchObject({
				name: 'UnreadableAnswerError',
				facts: {
					status: 302,
					reason: 'other_origin',
					redirectsTo: elsewhere.origin,
					address: expect.stringContaining(service.origin) as string,
				},
			});
		}
		expect(elsewhere.connections()).toBe(0);
	});
});
