import { type EngineConnection, openPool } from '../../../client';
import { type SandboxPool, startSandboxPool } from '../../support/sandboxPool';
import { quickGraph } from '../support/graphs';

let sandbox: SandboxPool;
let pool: EngineConnection;
beforeAll(async () => {
	sandbox = await startSandboxPool([{}, {}]);
	pool = openPool({ servers: sandbox.members.map(({ urls }) => ({ baseUrl: urls.engine, engineUrl: '', wanted: 'engine' })) });
});
afterAll(async () => {
	await pool.close();
	await sandbox.close();
});

it('reports the rejection of a server when no server reports the length of its queue', async () => {
	sandbox.inject({ on: 'GET /api/prompt', times: Infinity, answer: { status: 403 } });
	await expect(pool.jobs.submit({ graph: quickGraph(1) })).rejects.toMatchObject({ status: 403, code: 'forbidden' });
	expect(sandbox.requests('POST /api/prompt')).toEqual([]);
});
