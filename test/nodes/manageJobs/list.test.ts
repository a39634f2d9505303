import type { IDataObject } from 'n8n-workflow';

import { useSandbox } from '../../client/support/sandbox';
import { until } from '../../support/until';
import { runNode } from '../support/engine';
import { credentialFor, interfaceOf, type Way } from '../support/flavours';
import { colorGraph, failingGraph } from '../support/graphs';
import { manageRun } from '../support/manage';
import { jsons, submitted } from '../support/submit';

const harness = useSandbox();
const MINUTE_MS = 60_000;

/** Where jobs are listed. `engine_list`: an engine that has a list of its own. */
type ListingWay = Exclude<Way, 'hosted' | 'self_hosted_token' | 'engine'> | 'engine_list';
const ways: ListingWay[] = ['deployment', 'self_hosted', 'v1', 'bare_engine', 'engine_list'];
const credential = (way: ListingWay) => credentialFor(harness.sandbox, way === 'engine_list' ? 'bare_engine' : way);
const interfaceFor = (way: ListingWay) => interfaceOf(way === 'engine_list' ? 'bare_engine' : way);

const list = async (way: ListingWay, parameters: IDataObject = {}) =>
	await runNode(
		manageRun(credential(way), 'job:getAll', { parameters: { returnAll: false, limit: 50, filters: {}, ...parameters } as IDataObject }),
	);
const idsOf = async (way: ListingWay, parameters: IDataObject = {}) => {
	const result = await list(way, parameters);
	expect(result.error).toBeUndefined();
	return jsons(result).map(({ job_id }) => job_id);
};

let colors = 0x600000;
const TERMINAL = ['succeeded', 'failed'];
async function ended(way: ListingWay, graph = colorGraph(++colors)): Promise<string> {
	const id = await submitted(harness.sandbox, graph, credential(way));
	await until(() => TERMINAL.includes(harness.sandbox.job(id)?.status ?? ''));
	return id;
}

beforeEach(() => {
	for (const surface of ['hosted', 'deployment', 'self_hosted'] as const) harness.sandbox.forgetJobs(surface);
	harness.sandbox.restartEngine();
});
afterEach(() => harness.sandbox.configure({ listTimes: 'told', engineJobRoutes: false, workers: 4 }));

describe.each(ways)('B11: Get Many over %s', (way) => {
	beforeEach(() => harness.sandbox.configure({ engineJobRoutes: way === 'engine_list' }));

	it('lists jobs newest first, in one shape, as many as are wanted', async () => {
		const ids = [await ended(way), await ended(way, failingGraph()), await ended(way)];
		const items = jsons(await list(way));
		expect(items.map(({ job_id }) => job_id)).toEqual(ids.toReversed());
		expect(items.map(({ status }) => status)).toEqual(['succeeded', 'failed', 'succeeded']);
		const shape = [
			'job_id',
			'interface',
			'status',
			'service_status',
			'created_at',
			'started_at',
			'completed_at',
			'outputs',
			'job_error',
			'first_output_node',
		];
		for (const item of items) {
			expect(Object.keys(item)).toEqual(expect.arrayContaining(shape));
			expect(item).toMatchObject({ interface: interfaceFor(way), service_status: expect.stringMatching(/./) });
			expect(item.created_at ?? item.started_at).toMatch(/^\d{4}-/);
		}
		expect(await idsOf(way, { limit: 2 })).toEqual(ids.toReversed().slice(0, 2));
		expect(await idsOf(way, { returnAll: true })).toEqual(ids.toReversed());
	});

	it('filters by status', async () => {
		const [, failed] = [await ended(way), await ended(way, failingGraph())];
		harness.sandbox.configure({ workers: 0 });
		const waiting = await submitted(harness.sandbox, colorGraph(++colors), credential(way));
		expect(await idsOf(way, { filters: { status: ['failed'] } })).toEqual([failed]);
		expect(await idsOf(way, { filters: { status: ['failed', 'queued'] } })).toEqual([waiting, failed]);
		expect(await idsOf(way, { filters: { status: ['succeeded', 'failed'] }, limit: 1 })).toEqual([failed]);
		expect(await idsOf(way, { filters: { status: ['expired'] } })).toEqual([]);
	});

	it('filters by the time a job was made', async () => {
		const first = await ended(way);
		const madeAt = Date.now();
		if (interfaceFor(way) === 'engine') await until(() => Date.now() > madeAt + 2);
		else harness.sandbox.ageJob(first, 2 * MINUTE_MS);
		const between = interfaceFor(way) === 'engine' ? madeAt + 1 : madeAt - MINUTE_MS;
		const second = await ended(way);
		const moment = new Date(between).toISOString();
		expect(await idsOf(way, { filters: { createdAfter: moment } })).toEqual([second]);
		expect(await idsOf(way, { filters: { createdBefore: moment } })).toEqual([first]);
		expect(await idsOf(way, { filters: { createdAfter: moment, createdBefore: moment } })).toEqual([]);
	});
});

describe('B11: Get Many', () => {
	it('takes a time without a zone for one of the workflow', async () => {
		const job = await ended('deployment');
		const zone = process.env.GENERIC_TIMEZONE ?? 'America/New_York';
		const wall = (milliseconds: number) => new Date(milliseconds).toLocaleString('sv-SE', { timeZone: zone }).replace(' ', 'T');
		expect(await idsOf('deployment', { filters: { createdAfter: wall(Date.now() - MINUTE_MS) } })).toEqual([job]);
		expect(await idsOf('deployment', { filters: { createdAfter: wall(Date.now() + MINUTE_MS) } })).toEqual([]);
	});

	it('names a filter that is no date', async () => {
		expect((await list('deployment', { filters: { createdAfter: 'yesterday-ish' } })).error?.message).toBe('Created After is no date');
	});

	it.each(['deployment', 'self_hosted'] as const)('reads a job of %s whose item tells no time, where the time matters', async (way) => {
		const [old, recent] = [await ended(way), await ended(way)];
		harness.sandbox.ageJob(old, 2 * MINUTE_MS);
		harness.sandbox.configure({ listTimes: 'absent' });
		expect(await idsOf(way)).toEqual([recent, old]);
		expect(await idsOf(way, { filters: { createdAfter: new Date(Date.now() - MINUTE_MS).toISOString() } })).toEqual([recent]);
		expect(await idsOf(way, { filters: { createdBefore: new Date(Date.now() - MINUTE_MS).toISOString() } })).toEqual([old]);
	});

	it('on a service that lists nothing over v2 says so, and what to do', async () => {
		const { error } = await runNode(manageRun(credentialFor(harness.sandbox, 'hosted'), 'job:getAll', { parameters: { returnAll: true } }));
		expect(error).toMatchObject({
			message: 'This service lists no jobs over v2',
			description: expect.stringContaining('Set Interface to v1'),
			httpCode: '501',
		});
	});

	it('says where a list ends although there are more jobs', async () => {
		harness.sandbox.configure({ workers: 0 });
		const { jobs } = harness.connect('self_hosted');
		for (let index = 0; index < 102; index++) await jobs.submit({ graph: colorGraph(++colors) });
		const result = await list('self_hosted', { returnAll: true });
		expect(jsons(result)).toHaveLength(100);
		expect(result.hints).toEqual([expect.stringContaining('newest 100')]);
	});

	it('tells an agent that there is none', async () => {
		const result = await runNode(manageRun(credential('deployment'), 'job:getAll', { asTool: true, parameters: { returnAll: true } }));
		expect(jsons(result)).toEqual([{ jobs: 0, interface: 'v2' }]);
	});
});
