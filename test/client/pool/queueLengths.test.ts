import { type PoolConnection, openPool } from '../../../client';
import { Placements } from '../../../client/pool/placements';
import { PoolServer } from '../../../client/pool/poolServer';
import { type SandboxPool, startSandboxPool } from '../../support/sandboxPool';
import { quickGraph } from '../support/graphs';

let sandbox: SandboxPool;
let pool: PoolConnection;
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

it('submits a job if the history has a workflow that the engine did not check completely', async () => {
	const entry = (graph: unknown) => ({ prompt: [1, 'other', graph, {}, []], outputs: {}, status: { status_str: 'success', messages: [] } });
	const graph = { 1: { class_type: 'Note' }, 2: null, 3: { class_type: 'LoadImage', inputs: null } };
	sandbox.clearFaults();
	sandbox.inject({ on: 'GET /api/history', times: Infinity, answer: { status: 200, json: { other: entry(graph) } } });
	const servers = sandbox.members.map(({ urls }) => ({ baseUrl: urls.engine, engineUrl: '', wanted: 'engine' as const }));
	const connection = openPool({ servers });
	await expect(connection.jobs.submit({ graph: quickGraph(2) })).resolves.toMatchObject({ status: 'queued' });
	await connection.close();
});

it('fails the jobs that wait for a place if the reading of a server fails unexpectedly', async () => {
	const [first] = sandbox.members;
	const { signal: closed } = new AbortController();
	const server = new PoolServer({ baseUrl: first?.urls.engine ?? '', engineUrl: '', wanted: 'engine' }, closed);
	server.ask = async () => await Promise.reject(new TypeError('not expected'));
	const placements = new Placements([server], closed);
	await expect(placements.reserve([server], { models: [], isAwaited: true, jobsToCome: 0 })).rejects.toThrow('not expected');
});
