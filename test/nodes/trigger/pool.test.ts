import { connect } from '../../../client';
import { runFaster } from '../../support/fastClock';
import { until } from '../../support/until';
import { sharedPool } from '../support/pool';
import { colorGraph } from '../support/graphs';
import { deliver } from './support/scene';
import { type RunningTrigger, startTrigger, type TriggerRun } from './support/trigger';

runFaster(5);

const pool = sharedPool();
const [first, second] = [0, 1];
const running: RunningTrigger[] = [];
let colors = 7_000;

afterEach(async () => {
	await Promise.all(running.splice(0).map(async (trigger) => await trigger.close()));
	await Promise.all(pool.sandboxes.map(async (sandbox) => await sandbox.startEngine()));
});

/** Activates a trigger on the first two servers; closed after the test. */
async function listen(run: Partial<TriggerRun> = {}): Promise<RunningTrigger> {
	const credential = pool.credential({ moreServers: pool.address(second) });
	const trigger = await startTrigger({ credential, ...deliver('onlyWhenFinished', { source: 'engine' }), ...run });
	running.push(trigger);
	return trigger;
}

const watched = async (...servers: number[]) =>
	await until(() => servers.every((server) => pool.sandboxes[server]?.sockets('engine').length === 1));

/** Runs jobs as another client of the server does. Returns when all have ended. */
async function finish(server: number, count: number): Promise<string[]> {
	const connection = connect({ interface: 'engine', baseUrl: pool.address(server) });
	const jobs = await Promise.all(Array.from({ length: count }, async () => await connection.jobs.submit({ graph: colorGraph(colors++) })));
	await connection.close();
	const jobIds = jobs.map(({ job_id: jobId }) => jobId);
	await until(() => jobIds.every((jobId) => pool.sandboxes[server]?.job(jobId)?.status === 'succeeded'));
	return jobIds;
}

const endsOf = ({ items }: RunningTrigger) => items.map(({ json }) => [json.server, json.job_id]).sort();
const expectedEnds = (...jobs: Array<[server: number, jobIds: string[]]>) =>
	jobs.flatMap(([server, jobIds]) => jobIds.map((jobId) => [pool.address(server), jobId])).sort();

it('reports after a restart of n8n 150 jobs of one server and 10 of another one, which ended in the meantime', async () => {
	const before = await listen();
	await watched(first, second);
	await finish(first, 1);
	await before.until(1);
	await before.close();
	const jobs = [await finish(first, 150), await finish(second, 10)] as const;
	const after = await listen({ staticData: before.stored });
	await after.until(160);
	const next = await finish(second, 2);
	await after.until(162);
	expect(endsOf(after)).toEqual(expectedEnds([first, jobs[0]], [second, [...jobs[1], ...next]]));
});

it('reports chosen jobs of each server that ended before the start, and no others', async () => {
	const chosen = [await finish(first, 2), await finish(second, 2)];
	const filters = { jobIds: chosen.flat().join() };
	const trigger = await listen(deliver('onlyWhenFinished', { source: 'engine', filters }));
	await watched(first, second);
	await finish(second, 1);
	await trigger.until(4);
	expect(endsOf(trigger)).toEqual(expectedEnds(...chosen.entries()));
});

describe('a manual start', () => {
	it('succeeds if one of two servers is off, and the log names that server', async () => {
		await pool.sandboxes[second]?.stopEngine();
		const trigger = await listen({ mode: 'manual' });
		await watched(first);
		const jobs = await finish(first, 2);
		await trigger.until(2);
		expect(endsOf(trigger)).toEqual(expectedEnds([first, jobs]));
		expect(trigger.logged.filter((line) => line.includes('cannot be reached'))).toEqual([expect.stringContaining(pool.address(second))]);
		expect(trigger.failures).toEqual([]);
	});

	it('succeeds if one of two servers refuses the authorization, and names that server', async () => {
		pool.sandboxes[second]?.configure({ engineAuthorization: 'Basic right' });
		const trigger = await listen({ mode: 'manual' });
		await watched(first);
		const jobs = await finish(first, 2);
		await trigger.until(2);
		expect(endsOf(trigger)).toEqual(expectedEnds([first, jobs]));
		const description = expect.stringMatching(new RegExp(`Sign-In.*Server: ${pool.address(second)}`, 's'));
		expect(trigger.failures).toMatchObject([{ description }]);
	});

	it('fails with both addresses if both servers are off', async () => {
		for (const server of [first, second]) await pool.sandboxes[server]?.stopEngine();
		await expect(listen({ mode: 'manual' })).rejects.toThrow(
			new RegExp(`No server was found.*${pool.address(first)}.*${pool.address(second)}`),
		);
	});
});
