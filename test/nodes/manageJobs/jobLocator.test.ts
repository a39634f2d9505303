import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { connect } from '../../../client';
import { until } from '../../support/until';
import { type Credential, type NodeRun, nodes, runNode } from '../support/engine';
import { editorContext, TIME_ZONE } from '../support/editor';
import { downloadRun, workflowRun } from '../support/files';
import { credentialFor, type Way } from '../support/flavours';
import { colorGraph } from '../support/graphs';
import { manageRun } from '../support/manage';
import { sharedSandbox } from '../support/sandbox';
import { finished, jsons, submitted, waitRun } from '../support/submit';

const sandbox = sharedSandbox();

let colors = 0x700000;

beforeEach(() => {
	for (const surface of ['hosted', 'deployment', 'self_hosted'] as const) sandbox.forgetJobs(surface);
	sandbox.restartEngine();
});

type Locating = 'comfyWaitForJob' | 'comfyGetWorkflow' | 'comfyDownloadOutputs' | 'comfyManageJobs';

const editor = (credential: Credential, parameters: IDataObject = {}): ILoadOptionsFunctions =>
	editorContext('comfyWaitForJob', parameters, credential);

const search = async (
	credential: Credential,
	filter?: string,
	{ node = 'comfyWaitForJob', ...parameters }: { node?: Locating } & IDataObject = {},
): Promise<INodeListSearchResult> =>
	await nodes[node as Locating].methods.listSearch.searchJobs.call(editor(credential, parameters), filter);
const found = async (...asked: Parameters<typeof search>) => (await search(...asked)).results.map(({ value }) => value);

const finishedColor = async (credential: Credential): Promise<string> => await finished(sandbox, colorGraph(++colors), credential);

describe('the list of jobs in the editor', () => {
	it.each(['self_hosted', 'bare_engine'] as Way[])('shows time, status and the first output node, newest first (%s)', async (way) => {
		const credential = credentialFor(sandbox, way);
		const jobs = [await finishedColor(credential), await finishedColor(credential)];
		const { results } = await search(credential);
		expect(results.map(({ value }) => value)).toEqual(jobs.toReversed());
		expect(await found(credential, `Succeeded ${jobs[0]?.slice(0, 13)}`)).toEqual([jobs[0]]);
		expect(await found(credential, 'no such words')).toEqual([]);
		const node = way === 'self_hosted' ? ' · node 2: color_' : ' · Save';
		for (const { name } of results) {
			expect(name).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d · succeeded/);
			expect(name.replace(/^.* · succeeded/, '')).toMatch(new RegExp(`^${node}`));
		}
	});

	it('shows the time of a job in the time zone of the workflow, if it has one', async () => {
		const credential = credentialFor(sandbox, 'deployment');
		const job = await finishedColor(credential);
		const { createdAt } = sandbox.jobs('deployment').find(({ id }) => id === job) as unknown as { createdAt: number };
		const shown = new Date(createdAt).toLocaleString('sv-SE', { timeZone: TIME_ZONE });
		expect((await search(credential)).results[0]?.name).toContain(shown);
		sandbox.configure({ listTimes: 'absent' });
		expect((await search(credential)).results).toMatchObject([{ name: 'time unknown · succeeded · by Under Test', value: job }]);
	});

	it.each(['jobId', 'workflowJob'])('has the chosen job of %s first, as it was when it was chosen', async (field) => {
		const credential = credentialFor(sandbox, 'deployment');
		const job = await finishedColor(credential);
		const chosen = { mode: 'list', value: job, cachedResultName: 'somewhen · running', cachedResultUrl: 'https://a.example' };
		const entry = { name: chosen.cachedResultName, value: job, url: chosen.cachedResultUrl };
		const { results } = await search(credential, '', { [field]: chosen });
		expect(results.filter(({ value }) => value === job)).toEqual([entry]);
		expect(results[0]).toEqual(entry);
	});

	it('has the jobs of other programs, and those of the account for an operation that does not use v2', async () => {
		const { jobs, close } = connect({ interface: 'engine', baseUrl: sandbox.urls.engine });
		const { job_id: id } = await jobs.submit({ graph: colorGraph(++colors) });
		await close();
		await until(() => sandbox.job(id)?.status === 'succeeded');
		const [entry] = (await search(credentialFor(sandbox, 'bare_engine'))).results;
		expect(entry).toMatchObject({ name: expect.stringMatching(/ · succeeded · Save$/), value: id });
		const ofAccount = await finishedColor(credentialFor(sandbox, 'v1'));
		expect(await found(credentialFor(sandbox, 'hosted'), '', { node: 'comfyManageJobs', resource: 'queue' })).toEqual([ofAccount]);
	});

	it('says that the service lists no jobs, and By ID still works', async () => {
		const credential = credentialFor(sandbox, 'hosted');
		const { results } = await search(credential);
		expect(results).toEqual([
			{ name: expect.stringMatching(/^This service does not list its jobs over v2\. Set Interface to v1/), value: '' },
		]);
		const job = await submitted(sandbox, colorGraph(++colors), credential);
		const wait = (jobId: IDataObject) => runNode(waitRun(credential, [job], { parameters: { jobId: { __rl: true, ...jobId } } }));
		expect((await wait({ mode: 'id', value: job })).status).toBe('success');
		const nothing = wait({ mode: 'list', value: '' });
		// n8n rejects it before the node runs. n8n 1.x does not name the field.
		await expect(nothing).rejects.toThrow(/"Job ID" is required|^The workflow has issues/);
	});
});

const byList = (value: string) => ({ __rl: true, mode: 'list', value, cachedResultName: 'somewhen · succeeded' });
const runs: Array<[string, (credential: Credential, more: Partial<NodeRun>) => NodeRun]> = [
	['Wait', (credential, more) => waitRun(credential, ['none'], more)],
	['Get Workflow', (credential, more) => workflowRun(credential, ['none'], {}, more)],
	['Download', (credential, more) => downloadRun(credential, ['none'], {}, more)],
	['Get', (credential, more) => manageRun(credential, 'job:get', more)],
];

it.each(runs)('a Job ID of %s is chosen from the list, by agents too, by id, or as plain text of older workflows', async (_name, run) => {
	const credential = credentialFor(sandbox, 'deployment');
	const node = run(credential, {}).node as Locating;
	for (const field of nodes[node].description.properties.filter(({ name }) => name === 'jobId')) {
		const isOfTool = field.displayOptions?.show?.['@tool']?.[0] === true;
		const value = isOfTool ? (expect.stringMatching(/^=\{\{ \$fromAI\('job_id', /) as string) : '={{ $json.job_id }}';
		expect(field).toMatchObject({ type: 'resourceLocator', default: { mode: 'id', value } });
		expect(field.modes?.map(({ displayName, typeOptions }) => [displayName, typeOptions?.searchListMethod])).toEqual([
			['From List', 'searchJobs'],
			['By ID', undefined],
		]);
	}
	const job = await finishedColor(credential);
	expect(await found(credential, '', { node })).toEqual([job]);
	for (const more of [
		{ parameters: { jobId: byList(job) } },
		{ parameters: { jobId: byList(job) }, asTool: true },
		{ parameters: { jobId: { __rl: true, mode: 'id', value: `={{ "${job}" }}` } } },
		{ parameters: { jobId: '={{ $json.job }}' }, items: [{ json: { job } }] },
	]) {
		expect(jsons(await runNode(run(credential, more)))).toMatchObject([{ job_id: job }]);
	}
});
