import type { IDataObject } from 'n8n-workflow';

import { runFaster } from '../../support/fastClock';
import { textToImage } from '../../support/graphs/templates';
import { until } from '../../support/until';
import { hurryClock } from '../support/clock';
import { type NodeRun, runNode } from '../support/engine';
import { CONTINUE } from '../support/files';
import { editorFile } from '../support/editorFiles';
import { credentialFor, interfaceOf, type Way, ways } from '../support/flavours';
import { colorGraph, failingGraph, slowGraph } from '../support/graphs';
import { manageRun } from '../support/manage';
import { sharedSandbox } from '../support/sandbox';
import { finished, jsons, submitted, waitRun } from '../support/submit';

const sandbox = sharedSandbox();

afterEach(() => {
	// Interrupting is for the operation of that name alone.
	expect(sandbox.requests('POST /api/interrupt', 'hosted')).toEqual([]);
});

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
let seed = 20_000;

describe.each(ways)('over %s', (way) => {
	const credential = () => credentialFor(sandbox, way);
	const run = async (operation: 'get' | 'cancel', jobIds: string[], more = {}) =>
		await runNode(manageRun(credential(), `job:${operation}`, { items: jobIds.map((job_id) => ({ json: { job_id } })), ...more }));

	it('Get outputs an ended job, whether it succeeded or failed, and Cancel says that it had ended and changes nothing', async () => {
		const ended = await finished(sandbox, colorGraph(seed++), credential());
		const failed = await submitted(sandbox, failingGraph(`canvas ${seed++}`), credential());
		await runNode(waitRun(credential(), [failed], CONTINUE));
		const result = await run('get', [ended, failed]);
		expect(result.status).toBe('success');
		expect(jsons(result)).toMatchObject([
			{ job_id: ended, interface: interfaceOf(way), status: 'succeeded', job_error: null, outputs: [{ node_id: '2' }] },
			{ job_id: failed, status: 'failed', job_error: { node_id: '7' } },
		]);
		expect(result.outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
		const canceled = await run('cancel', [ended]);
		expect(jsons(canceled)).toMatchObject([{ job_id: ended, status: 'succeeded', cancel_confirmed: false }]);
		expect(canceled.hints).toEqual([expect.stringMatching(/had ended before/)]);
	});

	it('Cancel stops a waiting and a running job, and confirms it', async () => {
		const running = await submitted(sandbox, slowGraph(2_000, 50, seed++), credential());
		await until(() => sandbox.job(running)?.status === 'running');
		sandbox.configure({ workers: 1 });
		const waiting = await submitted(sandbox, slowGraph(2_000, 50, seed++), credential());
		const result = await run('cancel', [waiting, running]);
		// A self-hosted proxy calls a job expired that never ran; which of the two is stopped first is open.
		const stopped = expect.stringMatching(way.startsWith('self_hosted') ? /^(canceled|expired)$/ : /^canceled$/) as string;
		expect(jsons(result)).toMatchObject([waiting, running].map((job_id) => ({ job_id, status: stopped, cancel_confirmed: true })));
		expect(result.hints).toEqual([]);
		for (const id of [waiting, running]) expect(sandbox.job(id)?.status).toMatch(/^(canceled|expired)$/);
	});

	it.each(['get', 'cancel'] as const)('%s of an unknown job says what to check, and Continue On Fail keeps its id', async (operation) => {
		const { error } = await run(operation, [UNKNOWN]);
		expect(error?.message).toMatch(/knows no such/);
		const continued = await run(operation, [UNKNOWN, ''], CONTINUE);
		expect(jsons(continued)).toMatchObject([
			{ job_id: UNKNOWN, error: expect.stringMatching(/knows no such/) },
			{ error: 'Job ID is empty' },
		]);
	});
});

describe('where the ComfyUI behind the proxy has no route to cancel by', () => {
	runFaster(5);

	it('Cancel says that the job has not stopped', async () => {
		sandbox.configure({ engineCancels: false });
		const credential = credentialFor(sandbox, 'self_hosted');
		const jobId = await submitted(sandbox, slowGraph(3_000, 50, seed++), credential);
		await until(() => sandbox.job(jobId)?.status === 'running');
		const result = await runNode(manageRun(credential, 'job:cancel', { parameters: { jobId } }));
		expect(jsons(result)).toMatchObject([{ job_id: jobId, status: 'running', cancel_confirmed: false }]);
		expect(result.hints).toEqual([expect.stringMatching(/was told to stop, but has not stopped yet \(status "running"\)/)]);
		sandbox.configure({ engineCancels: true });
		await runNode(manageRun(credential, 'job:cancel', { parameters: { jobId } }));
	});
});

it('Cancel over v1 says so when only queued jobs can be canceled, and that Interrupt would stop every job', async () => {
	sandbox.configure({ v1QueueDelete: 'pending_only' });
	const jobId = await submitted(sandbox, slowGraph(3_000, 50, seed++), credentialFor(sandbox, 'v1'));
	await until(() => sandbox.job(jobId)?.status === 'running');
	hurryClock();
	const result = await runNode(manageRun(credentialFor(sandbox, 'v1'), 'job:cancel', { parameters: { jobId } }));
	jest.restoreAllMocks();
	expect(jsons(result)).toMatchObject([{ job_id: jobId, status: 'running', cancel_confirmed: false }]);
	expect(result.hints).toEqual([expect.stringMatching(/waiting jobs only; the operation Interrupt .* every running job of the account/)]);
	await runNode(manageRun(credentialFor(sandbox), 'job:cancel', { parameters: { jobId } }));
});

describe('Get Many of node definitions', () => {
	const read = async (parameters = {}, way: Way = 'hosted') =>
		await runNode(manageRun(credentialFor(sandbox, way), 'nodeDefinition:getAll', { parameters }));

	it('outputs all classes by default, simplified, in one request', async () => {
		const items = jsons(await read());
		expect(items.length).toBeGreaterThan(10);
		for (const item of items) {
			expect(Object.keys(item)).toEqual(['class_name', 'display_name', 'category', 'description', 'is_output', 'inputs', 'outputs']);
		}
		expect(sandbox.requests().map(({ path }) => path)).toEqual(['/api/object_info']);
	});

	it.each(['hosted', 'bare_engine'] as const)('outputs chosen classes in the order asked for, with types and limits (%s)', async (way) => {
		const items = jsons(await read({ classes: 'SaveImage, EmptyImage' }, way));
		expect(items.map(({ class_name }) => class_name)).toEqual(['SaveImage', 'EmptyImage']);
		expect(items[0]).toMatchObject({ is_output: true, outputs: [] });
		expect(items[1]?.inputs).toContainEqual(
			expect.objectContaining({ name: 'width', type: 'INT', required: true, min: expect.any(Number), max: expect.any(Number) }),
		);
		expect(items[1]?.outputs).toMatchObject([{ type: 'IMAGE' }]);
		// An engine is asked for each class alone.
		if (way === 'bare_engine') expect(sandbox.requests('GET /api/object_info', 'engine')).toEqual([]);
	});

	it('outputs them raw if requested', async () => {
		const [item] = jsons(await read({ classes: 'EmptyImage', simplify: false }));
		expect(item).toMatchObject({ class_name: 'EmptyImage', input: { required: { width: expect.any(Array) } }, output: ['IMAGE'] });
	});

	it.each<[string, Way, RegExp]>([
		['emptyimage', 'hosted', /EmptyImage/],
		['Load Image', 'hosted', /LoadImage/],
		['SvaeImage', 'hosted', /SaveImage/],
		['svaeimage', 'bare_engine', /SaveImage/],
		['zzqqxxyyvv', 'hosted', /Leave Classes empty/],
	])('names what is near an unknown class, or how to see all (%s, %s)', async (name, way, near) => {
		const { error } = await read({ classes: `EmptyImage, ${name}` }, way);
		expect(error?.message).toBe(`The service has no node class "${name}"`);
		expect(error?.description).toMatch(near);
		expect(error?.description).toMatch(/under Classes|Leave Classes/);
	});

	it.each(['self_hosted', 'self_hosted_token'] as const)('asks the engine with Self-Hosted (%s)', async (way) => {
		const result = await read({}, way);
		expect(result.error).toBeUndefined();
		expect(jsons(result).length).toBeGreaterThan(10);
		expect(new Set(sandbox.requests().map(({ surface }) => surface))).toEqual(new Set(['engine']));
	});
});

it('Get Many of node definitions simplifies both shapes of choices, optional inputs and incomplete definitions', async () => {
	const K = {
		input: {
			required: { sampler: [['euler', 'ddim'], { default: 'euler' }], model: ['MODEL'] },
			optional: { mode: ['COMBO', { options: ['a', 'b'], tooltip: 'which' }] },
			hidden: { prompt: 'PROMPT' },
		},
		output: ['LATENT', ['a', 'b']],
		output_name: ['latent'],
	};
	const odd = { empty: {}, words: { input: null, output: 'x' }, values: { input: { required: { a: 'text', b: null } } } };
	sandbox.inject({ on: 'GET /api/object_info', answer: { status: 200, json: { K, ...odd } } });
	const [simple, ...others] = jsons(await runNode(manageRun(credentialFor(sandbox), 'nodeDefinition:getAll')));
	expect(simple).toMatchObject({ class_name: 'K', display_name: 'K', category: '', description: '', is_output: false });
	expect(simple?.inputs).toEqual([
		{ name: 'sampler', type: 'COMBO', required: true, default: 'euler', options: ['euler', 'ddim'] },
		{ name: 'model', type: 'MODEL', required: true },
		{ name: 'mode', type: 'COMBO', required: false, options: ['a', 'b'] },
	]);
	expect(simple?.outputs).toEqual([
		{ name: 'latent', type: 'LATENT' },
		{ name: 'COMBO', type: 'COMBO' },
	]);
	expect(others.map(({ class_name }) => class_name)).toEqual(Object.keys(odd));
});

describe('Get Many of saved workflows', () => {
	/** Newest first. */
	const SAVED_ON = {
		'portraits/red fox.app.json': '2026-11-03',
		'portraits/old/cat.json': '2026-11-02',
		'plain.json': '2026-11-01',
		'portraits of foxes/dog.json': '2026-10-02',
	};
	beforeAll(async () => {
		for (const surface of ['engine', 'hosted'] as const) {
			for (const [path, day] of Object.entries(SAVED_ON))
				sandbox.saveWorkflow(path, { nodes: [] }, { surface, modifiedAt: Date.parse(`${day}T10:00:00.000Z`) });
		}
	});

	const read = async (parameters = {}, way: Way = 'bare_engine') =>
		await runNode(manageRun(credentialFor(sandbox, way), 'workflow:getAll', { parameters }));
	const paths = async (...asked: Parameters<typeof read>): Promise<unknown[]> => jsons(await read(...asked)).map(({ path }) => path);
	const ALL = Object.keys(SAVED_ON);

	it.each(['bare_engine', 'self_hosted', 'v1', 'hosted'] as Way[])('outputs each saved workflow, newest first (%s)', async (way) => {
		const items = jsons(await read({}, way));
		expect(items[0]).toEqual({
			name: 'red fox',
			folder: 'portraits',
			path: 'portraits/red fox.app.json',
			is_app: true,
			is_template: false,
			size_bytes: 12,
			modified_at: '2026-11-03T10:00:00.000Z',
		});
		expect(items.map(({ path }) => path)).toEqual(ALL);
	});

	it.each([
		[{ limit: 2 }, ALL.slice(0, 2)],
		[{ limit: 2, returnAll: true }, ALL],
		[{ filters: { appsOnly: true } }, [ALL[0]]],
		[{ filters: { appsOnly: false } }, ALL],
		[{ filters: { folder: 'portraits' } }, ALL.slice(0, 2)],
		[{ filters: { folder: '/portraits/old/' } }, [ALL[1]]],
		[{ filters: { text: 'FOX red' } }, [ALL[0]]],
		[{ filters: { text: 'fox' }, limit: 1 }, [ALL[0]]],
		[{ filters: { text: 'nothing like it' } }, []],
	])('are those that %j asks for', async (parameters, wanted) => {
		expect(await paths(parameters)).toEqual(wanted);
	});

	it('lists templates after them if requested', async () => {
		const items = jsons(await read({ options: { includeTemplates: true } }));
		expect(items.map(({ path }) => path).slice(0, 4)).toEqual(ALL);
		expect(items[4]).toEqual({
			name: 'Plain Colour',
			folder: 'Getting Started',
			path: 'template:sandbox_plain_colour',
			is_app: false,
			is_template: true,
			size_bytes: null,
			modified_at: null,
			description: 'One picture of one colour',
		});
		expect(items).toHaveLength(8);
	});

	it('does not request the large index of templates otherwise', async () => {
		await read();
		expect(sandbox.requests('GET /api/userdata')).toHaveLength(1);
		expect([...sandbox.requests('GET /templates/*'), ...sandbox.requests('GET /api/workflow_templates')]).toEqual([]);
	});

	it.each([
		['a deployment', 'deployment' as Way, {}, /keeps no saved workflows/],
		['v1 that keeps none', 'v1' as Way, { v1Userdata: 'absent' as const }, /keeps no saved workflows/],
		['several users', 'bare_engine' as Way, { engineUsers: { ann_1: 'Ann' } }, /--multi-user/],
		['an engine that is too old', 'bare_engine' as Way, { engineUserdata: 'absent' as const }, /keeps no saved workflows/],
	])('%s is reported in words', async (_, way, behaviour, words) => {
		sandbox.configure(behaviour);
		const { error } = await read({}, way);
		sandbox.configure({ v1Userdata: 'there', engineUsers: null, engineUserdata: 'full' });
		expect(error?.message).toMatch(words);
		expect(error?.description).not.toBe('');
	});
});

const check = async (parameters: IDataObject, way: Way = 'engine', more: Partial<NodeRun> = {}) =>
	await runNode(manageRun(credentialFor(sandbox, way), 'workflow:check', { ...more, parameters }));
const json = (workflow: unknown): IDataObject => ({ workflowSource: 'json', workflow: JSON.stringify(workflow) });
const paths = (): string[] => sandbox.requests().map(({ method, path }) => `${method} ${path}`);

const RUNS = {
	can_run: true,
	summary: 'The workflow can run here.',
	missing_classes: [],
	missing_models: [],
	missing_files: [],
	other_faults: [],
	notes: [],
};

describe('a workflow that can run', () => {
	it.each<Way>(['engine', 'bare_engine', 'self_hosted', 'self_hosted_token', 'v1', 'hosted'])(
		'is reported as that (%s), and nothing is submitted',
		async (way) => {
			expect(jsons(await check(json(colorGraph(1)), way))).toEqual([RUNS]);
			expect(jsons(await check(json(editorFile(3)), way))).toEqual([RUNS]);
			expect(paths().filter((path) => path.startsWith('POST'))).toEqual([]);
		},
	);

	it('needs only the definitions of its classes, once for a batch', async () => {
		const items = [{ json: {} }, { json: {} }, { json: {} }];
		const result = await check({ ...json(colorGraph(1)), options: { concurrency: 1 } }, 'engine', { items });
		expect(jsons(result)).toEqual([RUNS, RUNS, RUNS]);
		expect(paths().sort()).toEqual(['GET /api/object_info/EmptyImage', 'GET /api/object_info/SaveImage']);
	});
});

it('everything that is missing is reported with what to do', async () => {
	const graph = {
		...textToImage,
		'1': { class_type: 'LoadImage', inputs: { image: 'gone.png' } },
		'2': { class_type: 'PreviewImage', inputs: { images: ['1', 0] } },
		'3': { class_type: 'KSampler', inputs: { ...textToImage['3']?.inputs, steps: 0, sampler_name: 'eulr' } },
		'8': { class_type: 'VHS_VideoCombine', inputs: { images: ['3', 0] } },
	};
	const [item] = jsons(await check(json(graph)));
	expect(item).toMatchObject({
		can_run: false,
		summary:
			'The workflow cannot run here: this ComfyUI lacks 1 node class, 1 model and 1 input file, and 2 other things stand in its way.',
		missing_classes: [
			{
				class_name: 'VHS_VideoCombine',
				pack: 'ComfyUI-VideoHelperSuite',
				pack_is_guess: true,
				cause: 'custom_nodes',
				nodes: [{ node_id: '8' }],
				advice: expect.stringContaining('Install the custom nodes ComfyUI-VideoHelperSuite, which probably contain it'),
			},
		],
		missing_models: [
			{
				name: 'dream.safetensors',
				folder: 'models/checkpoints',
				url: null,
				nodes: [{ node_id: '4', title: 'Load Checkpoint', input: 'ckpt_name' }],
				advice: 'Put it into ComfyUI’s folder models/checkpoints, or choose a file that ComfyUI has.',
			},
		],
		missing_files: [
			{
				name: 'gone.png',
				folder: 'input',
				nodes: [{ node_id: '1', input: 'image' }],
				advice: expect.stringContaining('Comfy Upload Asset'),
			},
		],
		other_faults: [
			'Node 3 (KSampler), steps: 0 is out of range; ComfyUI takes 1 to 10000.',
			expect.stringMatching(
				/^Node 3 \(KSampler\), sampler_name: "eulr" is not among what ComfyUI offers there\. It offers, by names like it: "euler"/,
			),
		],
		notes: [],
	});
	expect(JSON.stringify(item)).not.toMatch(/undefined|\[object/);
});

it('an editor file names its packs and the addresses of its models', async () => {
	const url = 'https://example.test/foxes.safetensors';
	const models = [{ name: 'foxes.safetensors', url, directory: 'checkpoints' }];
	const input = { name: 'model', type: 'MODEL', link: 2 };
	const output = { name: 'MODEL', type: 'MODEL', links: [2] };
	const own = (id: number, type: string, more: object) => ({ id, type, inputs: [], outputs: [], widgets_values: [], ...more });
	const more = [
		own(13, 'FrobScale', { title: 'Scale', inputs: [input], properties: { aux_id: 'acme/ComfyUI-Frob' } }),
		own(14, 'CheckpointLoaderSimple', { outputs: [output], properties: { models }, widgets_values: ['foxes.safetensors'] }),
	];
	const { nodes, links, ...file } = editorFile(3) as { nodes: object[]; links: unknown[] };
	const [item] = jsons(await check(json({ ...file, nodes: [...nodes, ...more], links: [...links, [2, 14, 0, 13, 0, 'MODEL']] })));
	const advice = expect.stringContaining('url says where the workflow’s author had it from') as string;
	expect(item).toMatchObject({
		missing_classes: [{ class_name: 'FrobScale', pack: 'acme/ComfyUI-Frob', pack_is_guess: false }],
		missing_models: [{ name: 'foxes.safetensors', folder: 'models/checkpoints', url, advice }],
		other_faults: [],
	});
});

it('a workflow is checked from each other source as well: saved in ComfyUI, and a job', async () => {
	sandbox.saveWorkflow('to-check.json', editorFile(3), { surface: 'engine' });
	const saved = { workflowSource: 'saved', savedWorkflow: { mode: 'name', value: 'to-check' } };
	expect(jsons(await check(saved))).toEqual([{ workflow_name: 'to-check', ...RUNS }]);
	const jobId = await submitted(sandbox, colorGraph(4), credentialFor(sandbox, 'engine'));
	expect(jsons(await check({ workflowSource: 'job', workflowJob: { mode: 'id', value: jobId } }))).toEqual([RUNS]);
});

it('the next item asks again after an item failed', async () => {
	sandbox.inject({ on: 'GET /api/object_info/:class', answer: { status: 403 } });
	const items = [{ json: {} }, { json: {} }];
	const options = { concurrency: 1 };
	const [first, second] = jsons(await check({ ...json(colorGraph(1)), options }, 'engine', { ...CONTINUE, items }));
	expect(first).toHaveProperty('error');
	expect(second).toEqual(RUNS);
});

it.each<[string, unknown, Way, RegExp]>([
	['a deployment does not report its nodes', colorGraph(1), 'deployment', /does not tell what its nodes take[\s\S]*deployment/],
	['an object is no workflow', { a: 1 }, 'engine', /Workflow is not in API format/],
	['a node of an editor file has no type', { nodes: [{ id: 1 }], links: [] }, 'engine', /node 1 has no type/],
])('a message says so when %s', async (_, workflow, way, words) => {
	const { error } = await check(json(workflow), way);
	expect(`${error?.message} ${error?.description}`).toMatch(words);
});
