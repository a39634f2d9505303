import { type INodeExecutionData, NodeHelpers } from 'n8n-workflow';

import { settings as runSettings } from '../../../nodes/ComfyRunWorkflow/settings';
import { STILL_RUNNING_OUTPUT } from '../../../nodes/shared/jobs/wait';
import { type NodeResult, nodes, runNode } from '../support/engine';
import { downloadRun } from '../support/files';
import { credentialFor, interfaceOf, ways } from '../support/flavours';
import { colorGraph, failingGraph, gatedGraph, slowGatedGraph } from '../support/graphs';
import { manageRun } from '../support/manage';
import { laterRun } from '../support/retried';
import { runRun } from '../support/run';
import { waitRun } from '../support/submit';
import { countTurns } from '../../support/turnClock';
import { until } from '../../support/until';
import { sharedSandbox } from '../support/sandbox';

countTurns(5);

const sandbox = sharedSandbox();

let color = 52_000;
const asTool = true;

const textGraph = (text: string) => ({
	'5': { class_type: 'SaveText', _meta: { title: 'Caption' }, inputs: { text, filename_prefix: `caption-${color++}` } },
});

/** What the model reads: the items of the first output, as n8n writes them. */
const told = ({ outputs, error }: NodeResult): string => {
	expect(error).toBeUndefined();
	return JSON.stringify((outputs[0] ?? []).map(({ json }) => json));
};

const onlyItem = ({ outputs, error }: NodeResult): INodeExecutionData => {
	expect(error).toBeUndefined();
	expect(outputs[0]).toHaveLength(1);
	expect(outputs[1] ?? []).toEqual([]);
	return outputs[0]?.[0] as INodeExecutionData;
};

describe.each(ways)('as a tool, over %s', (way) => {
	const credential = () => credentialFor(sandbox, way);

	it('reports an image in a few words and a text in full, without file, base64 or signed link', async () => {
		const graph = { ...colorGraph(color++), ...textGraph('a fox asleep in the snow') };
		const result = await runNode(runRun(credential(), graph, { asTool }));
		const { json, binary } = onlyItem(result);
		expect(binary).toBeUndefined();
		expect(json).toMatchObject({
			job_id: expect.any(String),
			interface: interfaceOf(way),
			status: 'succeeded',
			next: expect.stringContaining('deliver them with this job_id'),
		});
		const image = { node_id: '2', name: expect.stringMatching(/\.png$/), type: 'image', content_type: 'image/png' };
		const text = { node_id: '5', type: 'text', text: 'a fox asleep in the snow' };
		expect(json.outputs).toMatchObject(way.startsWith('self_hosted') ? [image] : [image, text]);
		expect(told(result)).not.toMatch(/base64|Signature|X-Goog/);
		expect(told(result).length).toBeLessThan(1_500);
		expect(result.stored).not.toContain('"binary":{');
	});
});

describe.each(['hosted', 'v1', 'self_hosted', 'engine'] as const)('a job that still runs after Max Wait, over %s', (way) => {
	const credential = () => credentialFor(sandbox, way);

	it('is reported with its ID and what to do with it, and Wait and Get report the rest', async () => {
		sandbox.configure({ gateOpen: false });
		const result = await runNode(runRun(credential(), gatedGraph(color++), { asTool, parameters: { options: { maxWaitMinutes: 0.005 } } }));
		const { json } = onlyItem(result);
		expect(json).toMatchObject({
			status: expect.stringMatching(/queued|running/),
			next: expect.stringMatching(/Check it again later with this job_id.*Do not run the workflow again/),
		});
		const jobId = String(json.job_id);
		const asked = onlyItem(await runNode(downloadRun(credential(), [jobId], {}, { asTool })));
		expect(asked.json).toMatchObject({ job_id: jobId, next: expect.stringContaining('Check it again later') });
		sandbox.configure({ gateOpen: true });
		const waited = onlyItem(await runNode(waitRun(credential(), [jobId], { asTool })));
		expect(waited.json).toMatchObject({ job_id: jobId, status: 'succeeded', outputs: [{ node_id: '3', type: 'image' }] });
		const looked = await runNode(manageRun(credential(), 'job:get', { asTool, parameters: { jobId } }));
		expect(onlyItem(looked).json).toEqual(waited.json);
		const downloaded = onlyItem(await runNode(downloadRun(credential(), [jobId], {}, { asTool })));
		expect(downloaded.json).toEqual(waited.json);
		expect(downloaded.binary).toBeUndefined();
	});
});

it.each(['hosted', 'self_hosted', 'engine'] as const)(
	'a job that still runs after Max Wait is reported with its progress, in Still Running and to the model of an agent (%s)',
	async (way) => {
		sandbox.configure({ gateOpen: false, engineConcurrency: 2 });
		const run = () =>
			runRun(credentialFor(sandbox, way), slowGatedGraph(4, 20, color++), {
				connected: STILL_RUNNING_OUTPUT,
				parameters: { options: { maxWaitMinutes: 0.05 } },
			});
		const running = { status: 'running', queued_seconds: expect.any(Number) };
		const { outputs } = await runNode(run());
		expect(outputs[STILL_RUNNING_OUTPUT]).toMatchObject([{ json: { ...running, progress: { value: expect.any(Number) } } }]);
		const told = onlyItem(await runNode({ ...run(), asTool }));
		expect(told.json).toMatchObject({ ...running, progress: expect.any(Number) });
		sandbox.configure({ gateOpen: true });
		await until(() => sandbox.job(String(told.json.job_id))?.status === 'succeeded');
	},
);

it.each([
	['comfyManageJobs', 10],
	['comfyRunRouterModel', 6],
] as const)('each operation of %s has its own tool description', (name, least) => {
	const { description } = nodes[name];
	const asVariant = { ...description, name: `${description.name}Tool` };
	const filledIn = description.properties
		.filter((property) => property.name === 'operation')
		.flatMap(({ options = [], displayOptions }) =>
			options.map((option) => {
				const [resource = ''] = (displayOptions?.show?.resource ?? []) as string[];
				const operation = 'value' in option ? String(option.value) : '';
				return NodeHelpers.getNodeParameters(description.properties, { resource, operation }, true, false, null, asVariant);
			}),
		);
	const words = filledIn.map((parameters) => parameters?.toolDescription);
	expect(words.length).toBeGreaterThan(least);
	expect(new Set(words).size).toBe(words.length);
	expect(words).not.toContain(undefined);
});

it('Run Workflow waits an hour in a flow and five minutes as a tool, unless Max Wait says otherwise', () => {
	const waitOf = (isTool: boolean, options = {}) =>
		runSettings(<T>(name: string, fallback?: T) => (({ options, workflowSource: 'json' })[name] ?? fallback) as T, isTool).wait.maxWaitMs /
		60_000;
	expect([waitOf(false), waitOf(true), waitOf(true, { maxWaitMinutes: 2 })]).toEqual([60, 5, 2]);
});

it.each([
	['a long one is shortened, with its length told', 'word '.repeat(2_000), /(word ){500}.*… \(10,000 characters in total\)/],
	[
		'a picture in it is left out',
		`{"image":"data:image/png;base64,${Buffer.alloc(3_000, 'pixels').toString('base64')}"}`,
		/4,000 characters of encoded data/,
	],
	['of one beyond all measure the beginning is read', 'word '.repeat(40_000), /… \(the beginning of a long text\)/],
])('in texts %s', async (_name, text, shown) => {
	const result = await runNode(runRun(credentialFor(sandbox), textGraph(text), { asTool }));
	expect(told(result)).toMatch(shown);
	expect(told(result).length).toBeLessThan(4_500);
});

describe('a job that did not succeed', () => {
	const WORDS = /^Job [0-9a-f-]{36} stopped at node 7.*CUDA out of memory/;

	it('newer agents get the message of an error, which holds what happened, the job and what to do', async () => {
		const { error } = await runNode(runRun(credentialFor(sandbox), failingGraph(), { asTool, settings: { rewireOutputLogTo: 'ai_tool' } }));
		expect(error?.message).toMatch(WORDS);
		expect(error?.message).toMatch(/Use smaller images.*\nIf you call the tool again with other fields, it creates a new job/s);
		expect(error?.message).not.toMatch(/Traceback|execution/);
		expect(error?.message.length).toBeLessThan(800);
	});

	it('a model gets the message of the node, not the full answer of the service', async () => {
		const graph = { '1': { class_type: 'NoSuchNode', inputs: { text: 'x'.repeat(5_000) } } };
		for (const settings of [{}, { rewireOutputLogTo: 'ai_tool' as const }]) {
			const { outputs, error } = await runNode(runRun(credentialFor(sandbox), graph, { asTool, settings }));
			const answer = error?.message ?? JSON.stringify(outputs[0]?.[0]?.json);
			expect(answer).toContain('NoSuchNode');
			expect(answer).not.toContain('error_facts');
			expect(answer.length).toBeLessThan(1_500);
		}
	});
});

describe('paying once, however often an agent calls', () => {
	const submissions = () => sandbox.requests('POST /api/v2/jobs').length;

	it('the same call after an interrupted wait waits for the existing job, and a call after that makes another', async () => {
		sandbox.inject({ on: 'GET /api/v2/jobs/:id', times: Infinity, answer: { status: 403, code: 'forbidden' } });
		const run = runRun(credentialFor(sandbox), colorGraph(color++), { asTool });
		const first = await runNode(run);
		const jobId = onlyItem(first).json.job_id;
		expect(onlyItem(first).json).toMatchObject({ error: expect.any(String), job_id: expect.any(String) });
		sandbox.clearFaults();
		const second = await runNode({ ...run, contextData: laterRun(first) });
		expect(onlyItem(second).json).toMatchObject({ job_id: jobId, status: 'succeeded' });
		expect(submissions()).toBe(1);
		const third = await runNode({ ...run, contextData: laterRun(second) });
		expect(onlyItem(third).json.job_id).not.toBe(jobId);
	});
});
