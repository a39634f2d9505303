import type { IDataObject } from 'n8n-workflow';

import { until } from '../../support/until';
import { runNode } from '../support/engine';
import { CONTINUE } from '../support/files';
import { credentialFor, interfaceOf, type Way } from '../support/flavours';
import { COLOR_OF_ITEM, colorGraph, failingGraph, gatedGraph, newColorItems, slowGraph } from '../support/graphs';
import { manageRun } from '../support/manage';
import { sharedSandbox } from '../support/sandbox';
import { jsons, submitRun, submitted } from '../support/submit';

const sandbox = sharedSandbox();

const MINUTE_MS = 60_000;

/** The services that list jobs. `engine_list` is an engine with its own list of jobs. */
type ListingWay = Exclude<Way, 'hosted' | 'self_hosted_token' | 'engine'> | 'engine_list';
const ways: ListingWay[] = ['deployment', 'self_hosted', 'v1', 'bare_engine', 'engine_list'];
const credential = (way: ListingWay) => credentialFor(sandbox, way === 'engine_list' ? 'bare_engine' : way);
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
async function ended(way: ListingWay, graph = colorGraph(++colors)): Promise<string> {
	const id = await submitted(sandbox, graph, credential(way));
	await until(() => ['succeeded', 'failed'].includes(sandbox.job(id)?.status ?? ''));
	return id;
}

async function submitMany(way: ListingWay, count: number): Promise<void> {
	const parameters = { options: { ...COLOR_OF_ITEM, concurrency: 20 } };
	const result = await runNode(submitRun(credential(way), colorGraph(0), { items: newColorItems(count), parameters }));
	expect(result.error).toBeUndefined();
}

beforeEach(() => {
	for (const surface of ['hosted', 'deployment', 'self_hosted'] as const) sandbox.forgetJobs(surface);
	sandbox.restartEngine();
});

const SHAPE = 'job_id interface status service_status created_at started_at completed_at outputs job_error first_output_node'.split(' ');

describe.each(ways)('Get Many over %s', (way) => {
	beforeEach(() => sandbox.configure({ engineJobRoutes: way === 'engine_list' }));

	it('lists the requested number of jobs, newest first, with the same fields', async () => {
		const ids = [await ended(way), await ended(way, failingGraph()), await ended(way)];
		const items = jsons(await list(way));
		expect(items.map(({ job_id, status }) => [job_id, status])).toEqual(
			ids.map((id, index) => [id, index === 1 ? 'failed' : 'succeeded']).toReversed(),
		);
		for (const item of items) {
			expect(Object.keys(item)).toEqual(expect.arrayContaining(SHAPE));
			expect(item).toMatchObject({ interface: interfaceFor(way), service_status: expect.stringMatching(/./) });
			expect(item.created_at ?? item.started_at).toMatch(/^\d{4}-/);
		}
		expect(await idsOf(way, { limit: 2.5 })).toEqual(ids.toReversed().slice(0, 2));
		expect(await idsOf(way, { returnAll: true })).toEqual(ids.toReversed());
	});

	it('filters by status', async () => {
		const [, failed] = [await ended(way), await ended(way, failingGraph())];
		sandbox.configure({ workers: 0 });
		const waiting = await submitted(sandbox, colorGraph(++colors), credential(way));
		expect(await idsOf(way, { filters: { status: ['failed'] } })).toEqual([failed]);
		expect(await idsOf(way, { filters: { status: ['failed', 'queued'] } })).toEqual([waiting, failed]);
		expect(await idsOf(way, { filters: { status: ['succeeded', 'failed'] }, limit: 1 })).toEqual([failed]);
		expect(await idsOf(way, { filters: { status: ['expired'] } })).toEqual([]);
	});

	it('filters by the time a job was made', async () => {
		const first = await ended(way);
		const madeAt = Date.now();
		if (interfaceFor(way) === 'engine') await until(() => Date.now() > madeAt + 2);
		else sandbox.ageJob(first, 2 * MINUTE_MS);
		const between = interfaceFor(way) === 'engine' ? madeAt + 1 : madeAt - MINUTE_MS;
		const second = await ended(way);
		const moment = new Date(between).toISOString();
		expect(await idsOf(way, { filters: { createdAfter: moment } })).toEqual([second]);
		expect(await idsOf(way, { filters: { createdBefore: moment } })).toEqual([first]);
		expect(await idsOf(way, { filters: { createdAfter: moment, createdBefore: moment } })).toEqual([]);
	});
});

describe('Get Many', () => {
	it('uses the limit and the filters of each item, and a filter that is not a date fails its own item', async () => {
		const ids = [await ended('deployment'), await ended('deployment', failingGraph()), await ended('deployment')];
		const items = [{ limit: 1 }, { status: ['failed'], limit: 50 }, { createdAfter: 'yesterday-ish', limit: 50 }, { limit: 2 }];
		const result = await runNode(
			manageRun(credential('deployment'), 'job:getAll', {
				...CONTINUE,
				items: items.map((json) => ({ json })),
				parameters: {
					returnAll: false,
					limit: '={{ $json.limit }}',
					filters: { status: '={{ $json.status ?? [] }}', createdAfter: '={{ $json.createdAfter ?? "" }}' },
				},
			}),
		);
		expect(result.outputs[0]?.map(({ json, pairedItem }) => [json.job_id ?? json.error, (pairedItem as { item: number }).item])).toEqual([
			[ids[2], 0],
			[ids[1], 1],
			['Created After is not a date', 2],
			[ids[2], 3],
			[ids[1], 3],
		]);
	});

	it('reads a time without a zone in the time zone of the workflow, and a job without a time in the list', async () => {
		const [old, recent] = [await ended('deployment'), await ended('deployment')];
		sandbox.ageJob(old, 2 * MINUTE_MS);
		const zone = process.env.GENERIC_TIMEZONE ?? 'America/New_York';
		const wall = (milliseconds: number) => new Date(milliseconds).toLocaleString('sv-SE', { timeZone: zone }).replace(' ', 'T');
		for (const listTimes of ['told', 'absent'] as const) {
			sandbox.configure({ listTimes });
			expect(await idsOf('deployment')).toEqual([recent, old]);
			expect(await idsOf('deployment', { filters: { createdAfter: wall(Date.now() - MINUTE_MS) } })).toEqual([recent]);
			expect(await idsOf('deployment', { filters: { createdBefore: wall(Date.now() - MINUTE_MS) } })).toEqual([old]);
			expect(await idsOf('deployment', { filters: { createdAfter: wall(Date.now() + MINUTE_MS) } })).toEqual([]);
		}
	});

	it('says what to do when the service lists no jobs over v2', async () => {
		const { error } = await runNode(manageRun(credentialFor(sandbox, 'hosted'), 'job:getAll', { parameters: { returnAll: true } }));
		expect(error).toMatchObject({
			message: 'This service does not list its jobs over v2',
			description: expect.stringContaining('Set Interface to v1'),
			httpCode: '501',
		});
	});

	it('reads the second page, as far as the limit needs it', async () => {
		sandbox.configure({ workers: 0 });
		await submitMany('deployment', 103);
		const all = await idsOf('deployment', { returnAll: true });
		expect([all.length, new Set(all).size]).toEqual([103, 103]);
		expect(await idsOf('deployment', { limit: 101 })).toEqual(all.slice(0, 101));
		expect(await idsOf('deployment', { limit: 102, filters: { status: ['queued'] } })).toEqual(all.slice(0, 102));
	});

	it('says when a list ends although there are more jobs', async () => {
		sandbox.configure({ workers: 0 });
		await submitMany('self_hosted', 102);
		const result = await list('self_hosted', { returnAll: true });
		expect(jsons(result)).toHaveLength(100);
		expect(result.hints).toEqual([expect.stringContaining('newest 100')]);
	});

	it('tells an agent that there are no jobs', async () => {
		const result = await runNode(manageRun(credential('deployment'), 'job:getAll', { asTool: true, parameters: { returnAll: true } }));
		expect(jsons(result)).toEqual([{ jobs: 0, interface: 'v2' }]);
	});
});

describe('Get Many of a ComfyUI with and without a job list', () => {
	const items = async (way: ListingWay, parameters: IDataObject = {}): Promise<IDataObject[]> => {
		sandbox.configure({ engineJobRoutes: way === 'engine_list' });
		return jsons(await list(way, parameters));
	};

	it.each<IDataObject>([
		{ returnAll: true },
		{ limit: 2 },
		{ returnAll: true, filters: { status: ['failed', 'queued'] } },
		{ limit: 1, filters: { status: ['succeeded'] } },
		{ limit: 2, filters: { status: ['canceled', 'expired'], madeByThisWorkflow: true } },
		{ returnAll: true, filters: { createdAfter: '={{ $now.minus({ minutes: 1 }) }}', status: ['running', 'queued'] } },
		{ returnAll: true, filters: { createdAfter: '={{ $now.plus({ minutes: 1 }) }}' } },
	])('returns the same items, all with their outputs and their origin: %j', async (parameters) => {
		sandbox.configure({ engineJobRoutes: true });
		for (const graph of [colorGraph(++colors), failingGraph(), colorGraph(++colors), failingGraph()]) {
			const at = Date.now();
			await until(() => Date.now() > at);
			await ended('engine_list', graph);
		}
		sandbox.configure({ gateOpen: false });
		for (let index = 0; index < 3; index++) await submitted(sandbox, gatedGraph(++colors), credential('engine_list'));
		await until(() => sandbox.jobs().some(({ status }) => status === 'running'));
		const byHistory = await items('bare_engine', parameters);
		sandbox.resetRecords();
		expect(await items('engine_list', parameters)).toEqual(byHistory);
		const statuses = (parameters.filters as IDataObject | undefined)?.status as string[] | undefined;
		const asked = sandbox.requests('GET /api/jobs', 'engine').map(({ query }) => query);
		expect(asked.length).toBeGreaterThan(0);
		for (const query of asked) expect(query.includes('status=')).toBe(statuses !== undefined);
	});
});

it('every operation shows the same service status of a running job on an engine', async () => {
	const engine = credentialFor(sandbox, 'bare_engine');
	const job = await submitted(sandbox, slowGraph(600, 100, 9), engine);
	await until(() => sandbox.job(job)?.status === 'running');
	for (const engineJobRoutes of [false, true]) {
		sandbox.configure({ engineJobRoutes });
		for (const what of ['job:get', 'job:getAll', 'queue:get'] as const) {
			const items = jsons(await runNode(manageRun(engine, what, { parameters: { jobId: job } })));
			expect(items).toMatchObject([{ job_id: job, service_status: 'in_progress' }]);
		}
	}
	await runNode(manageRun(engine, 'job:cancel', { parameters: { jobId: job } }));
});
