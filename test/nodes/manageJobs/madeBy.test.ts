import type { IDataObject } from 'n8n-workflow';

import { connect } from '../../../client';
import { accessTo } from '../../client/support/sandbox';
import { until } from '../../support/until';
import { NODE_NAME, type NodeResult, runNode } from '../support/engine';
import { credentialFor, interfaceOf, type Way } from '../support/flavours';
import { colorGraph } from '../support/graphs';
import { manageRun } from '../support/manage';
import { runRun } from '../support/run';
import { jsons, submitRun } from '../support/submit';
import { freshSandbox } from '../support/sandbox';

const sandbox = freshSandbox();

/** `engine_list` is an engine with its own list of jobs. */
type KeepingWay = 'deployment' | 'self_hosted' | 'bare_engine' | 'engine_list';
const ways: KeepingWay[] = ['deployment', 'self_hosted', 'bare_engine', 'engine_list'];
const credential = (way: Way | 'engine_list') => credentialFor(sandbox, way === 'engine_list' ? 'bare_engine' : way);

const SHOP = { id: 'shop-1', name: 'Shop pictures' };
const OTHER = { id: 'other-2', name: 'Something else' };
const list = async (way: Way | 'engine_list', { filters = {}, ...more }: IDataObject = {}, asTool = false): Promise<NodeResult> =>
	await runNode(
		manageRun(credential(way), 'job:getAll', {
			asTool,
			ofWorkflow: SHOP,
			parameters: { returnAll: false, limit: 50, ...more, filters: filters as IDataObject },
		}),
	);
const FIELDS_FOR_AGENTS = 'completed_at created_at interface job_id made_by service_status status'.split(' ');
const MINE = { filters: { madeByThisWorkflow: true } };

let colors = 0x900000;
const MARKER = 'marker-5b2e7';
/** Three items whose data only the ComfyUI workflow may contain. */
const items = () => Array.from({ length: 3 }, () => ({ json: { graph: JSON.stringify(colorGraph(++colors)), secret: MARKER } }));
async function submitted(way: Way | 'engine_list', ofWorkflow: typeof SHOP, executionId?: string): Promise<string[]> {
	const result = await runNode(submitRun(credential(way), '={{ $json.graph }}', { items: items(), ofWorkflow, executionId }));
	expect(result.error).toBeUndefined();
	return jsons(result).map(({ job_id }) => String(job_id));
}
const allEnded = async (): Promise<void> => await until(() => sandbox.jobs().every(({ status }) => status === 'succeeded'));

describe.each(ways)('the origin of a job, over %s', (way) => {
	beforeEach(() => sandbox.configure({ engineJobRoutes: way === 'engine_list' }));

	it('is reported by Get Many and Get with workflow, execution, node and item, also to an agent, and holds nothing of an item', async () => {
		const ids = await submitted(way, SHOP, '4711');
		await allEnded();
		const workflow = { workflow_id: 'shop-1', workflow_name: 'Shop pictures' };
		const madeBy = (item: number) => ({ ...workflow, execution_id: '4711', node: NODE_NAME, item });
		const found = new Map(jsons(await list(way)).map(({ job_id, made_by }) => [job_id, made_by]));
		expect(ids.map((id) => found.get(id))).toEqual([madeBy(0), madeBy(1), madeBy(2)]);
		const [job] = jsons(await runNode(manageRun(credential(way), 'job:get', { parameters: { jobId: ids[1]! } })));
		expect(job).toMatchObject({ job_id: ids[1], made_by: madeBy(1) });
		const [first] = jsons(await list(way, MINE, true));
		expect(Object.keys(first ?? {}).sort()).toEqual(FIELDS_FOR_AGENTS);
		expect(first?.made_by).toMatchObject({ workflow_name: 'Shop pictures', execution_id: '4711', node: NODE_NAME });
		const bodies = sandbox
			.requests()
			.filter(({ method, path }) => method === 'POST' && /\/(jobs|prompt)$/.test(path))
			.map(({ bodyText }) => bodyText);
		expect(bodies).toHaveLength(3);
		for (const body of bodies) {
			expect(body).toContain('Shop pictures');
			expect(body).not.toContain(MARKER);
		}
	});

	it('limits Get Many to this n8n workflow', async () => {
		const ran = jsons(await runNode(runRun(credential(way), colorGraph(++colors), { ofWorkflow: SHOP })));
		const mine = [...(await submitted(way, SHOP)), ...ran.map(({ job_id }) => String(job_id))];
		await submitted(way, OTHER);
		await allEnded();
		const result = await list(way, MINE);
		expect(new Set(jsons(result).map(({ job_id }) => job_id))).toEqual(new Set(mine));
		expect(jsons(result)).toHaveLength(4);
		expect(result.hints).toEqual([]);
		expect(jsons(await list(way, { filters: { madeByThisWorkflow: false } }))).toHaveLength(7);
		expect(jsons(await list(way, { filters: { ...MINE.filters, status: ['failed'] } }))).toEqual([]);
		expect(jsons(await list(way, { ...MINE, limit: 2 }))).toHaveLength(2);
	});

	it('is null for jobs of other clients, and Get Many says why there may be no match', async () => {
		const { jobs, close } = connect({ interface: interfaceOf(way === 'engine_list' ? 'bare_engine' : way), ...addressOf(way) });
		for (let index = 0; index < 2; index++) await jobs.submit({ graph: colorGraph(++colors) });
		await close();
		await allEnded();
		expect(jsons(await list(way))).toMatchObject([{ made_by: null }, { made_by: null }]);
		const result = await list(way, MINE);
		expect(result).toMatchObject({ status: 'success', outputs: [[]] });
		// A deployment filters the list itself, and finds no job.
		const words =
			/^None of the 2 jobs in the list contains the n8n workflow that created it\. .* Remove the filter Made By This n8n Workflow/;
		const said = [expect.stringMatching(words) as string];
		expect(result.hints).toEqual(way === 'deployment' ? [] : said);
		const [note] = jsons(await list(way, MINE, true));
		expect(note).toMatchObject(way === 'deployment' ? { jobs: 0 } : { jobs: 0, note: said[0] });
	});
});

/** As another program submits it. */
const addressOf = (way: KeepingWay): { baseUrl: string; token?: string } =>
	way === 'deployment' || way === 'self_hosted' ? accessTo(sandbox, way) : { baseUrl: sandbox.urls.engine };

describe('the filter says so when there is no origin to filter by', () => {
	it.each(['hosted', 'v1'] as const)('%s: without a request, because the service does not keep it', async (way) => {
		await submitted(way, SHOP);
		sandbox.resetRecords();
		const { error } = await list(way, MINE);
		expect(error).toMatchObject({
			message: 'This service does not store which n8n workflow created a job',
			description: expect.stringContaining('Remove the filter Made By This n8n Workflow, and filter by Created After and Status instead.'),
		});
		expect(error?.description?.includes('set Interface to v1')).toBe(way === 'hosted');
		expect(sandbox.requests()).toEqual([]);
	});

	it('before a request if the n8n workflow has no ID, because it is not saved', async () => {
		const unsaved = manageRun(credential('deployment'), 'job:getAll', { ofWorkflow: { id: '', name: 'New' }, parameters: MINE });
		expect((await runNode(unsaved)).error).toMatchObject({
			message: 'This n8n workflow has no ID yet, because it is not saved',
			description: expect.stringContaining('Save the workflow'),
		});
		expect(sandbox.requests()).toEqual([]);
	});

	it('for a deployment that rejected labels', async () => {
		sandbox.configure({ labels: 'refused' });
		await submitted('deployment', SHOP);
		expect((await list('deployment', MINE)).error?.message).toBe('This service does not store which n8n workflow created a job');
		expect(jsons(await list('deployment'))).toMatchObject([{ made_by: null }, { made_by: null }, { made_by: null }]);
	});
});
