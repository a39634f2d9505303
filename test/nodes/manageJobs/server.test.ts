import type { IDataObject } from 'n8n-workflow';

import { until } from '../../support/until';
import { editorContext } from '../support/editor';
import { type NodeRun, nodes, runNode } from '../support/engine';
import { CONTINUE } from '../support/files';
import { credentialFor, type Way } from '../support/flavours';
import { colorGraph, slowGraph } from '../support/graphs';
import { manageRun } from '../support/manage';
import { sharedSandbox } from '../support/sandbox';
import { finished, jsons, submitted } from '../support/submit';

const sandbox = sharedSandbox({ workers: 1 });
const GIB = 1024 ** 3;

beforeEach(() => {
	sandbox.restartEngine();
	sandbox.ledger.frees.length = 0;
});

type ServerOperation = 'clearHistory' | 'freeMemory' | 'getAllModels' | 'getInfo';

/** `self_hosted` is the API proxy with *ComfyUI Address*. */
const manage = async (operation: ServerOperation, parameters: IDataObject = {}, way: Way = 'bare_engine', more: Partial<NodeRun> = {}) =>
	await runNode(manageRun(credentialFor(sandbox, way), `server:${operation}`, { parameters, ...more }));

const ENGINES: Way[] = ['bare_engine', 'self_hosted'];
const OPERATIONS: ServerOperation[] = ['clearHistory', 'freeMemory', 'getAllModels', 'getInfo'];
const chosen = (value: string): IDataObject => ({ historyJobs: 'chosen', jobId: { __rl: true, mode: 'id', value } });
const folder = (value: string): IDataObject => ({ folder: { __rl: true, mode: 'name', value } });

describe.each(OPERATIONS)('%s', (operation) => {
	const parameters = operation === 'clearHistory' ? { historyJobs: 'all' } : {};

	it.each<Way>(['v1', 'deployment'])('says that %s does not offer it, and sends nothing', async (way) => {
		const { error } = await manage(operation, parameters, way);
		expect(error?.message).toMatch(/^This service cannot .*: only a ComfyUI of your own can$/);
		expect(error?.description).toBe(
			'Nothing was sent. At the top of the node, choose the Comfy Self-Hosted API credential of your ComfyUI.\nCode: NEEDS_OWN_COMFYUI.',
		);
		expect(sandbox.requests()).toEqual([]);
	});
});

describe('Server in Options, if the credential has one server', () => {
	const getInfo = async (server: unknown, way: Way = 'bare_engine') =>
		await manage('getInfo', { options: { server } as IDataObject }, way, { items: [{ json: {} }] });

	it.each(ENGINES)('accepts each way to write the address, and returns the same item as without it (%s)', async (way) => {
		const { host } = new URL(sandbox.urls.engine);
		for (const server of ['', `http://${host}`, `http://${host}/`, ` ${host} `, `http://${host}/api/queue`]) {
			const [item, ...others] = jsons(await getInfo(server, way));
			expect(others).toEqual([]);
			expect(item).toMatchObject({ interface: 'engine', comfyui_version: '0.3.64' });
			expect(item).not.toHaveProperty('server');
		}
	});

	it.each(['http://gpu2:8188', 'not an address'])('sends nothing if it is another address: %s', async (server) => {
		const { error } = await getInfo(server);
		expect(error?.message).toBe(`The credential has one server, and its address is not "${server}"`);
		expect(error?.description).toMatch(/^Nothing was sent\. Leave Server in Options empty to use http:\S+\. .*Several ComfyUIs/);
		expect(sandbox.requests('GET /api/queue')).toEqual([]);
	});
});

it.each(ENGINES)('Get Information outputs versions, devices, memory and queue length (%s)', async (way) => {
	const credential = credentialFor(sandbox, 'bare_engine');
	const running = await submitted(sandbox, slowGraph(20, 100, 1), credential);
	await until(() => sandbox.job(running)?.status === 'running');
	await submitted(sandbox, slowGraph(1, 1, 2), credential);
	const [item] = jsons(await manage('getInfo', {}, way));
	expect(item).toEqual({
		interface: 'engine',
		comfyui_version: '0.3.64',
		python_version: '3.12.3',
		pytorch_version: '2.8.0',
		os: 'sandbox',
		ram_total: 24 * GIB,
		ram_free: expect.any(Number),
		start_arguments: ['main.py', '--listen'],
		devices: [{ name: 'cpu', type: 'cpu', index: null, vram_total: 24 * GIB, vram_free: expect.any(Number) }],
		running: 1,
		queued: 1,
	});
});

describe('Free Memory', () => {
	it.each(ENGINES)('unloads the models at once if no job runs, and outputs the memory before and after (%s)', async (way) => {
		await finished(sandbox, colorGraph(1), credentialFor(sandbox, 'bare_engine'));
		expect(jsons(await manage('freeMemory', {}, way))).toEqual([
			{
				interface: 'engine',
				freed: 'now',
				is_final: null,
				running: 0,
				queued: 0,
				before: { vram_free: 22 * GIB, ram_free: 22 * GIB },
				after: { vram_free: 24 * GIB, ram_free: 24 * GIB },
			},
		]);
		expect(sandbox.ledger.frees).toMatchObject([{ models: true, caches: false }]);
	});

	it('says that the memory is freed after the running job, leaves the job alone, and frees what each item says', async () => {
		const id = await submitted(sandbox, slowGraph(20, 100, 4), credentialFor(sandbox, 'bare_engine'));
		await until(() => sandbox.job(id)?.status === 'running');
		const parameters = { free: '={{ ["modelsAndCaches", "models"][$itemIndex] }}', options: { concurrency: 1 } };
		const later = { freed: 'after_current_job', running: 1 };
		expect(jsons(await manage('freeMemory', parameters, 'bare_engine', { items: [{}, {}] }))).toMatchObject([later, later]);
		expect(sandbox.ledger.frees).toMatchObject([
			{ models: true, caches: true },
			{ models: true, caches: false },
		]);
		await until(() => sandbox.job(id)?.status === 'succeeded');
	});

	it('says that a ComfyUI without this function must be updated', async () => {
		sandbox.configure({ engineFree: 'absent' });
		const { error } = await manage('freeMemory');
		expect(error?.message).toBe('This ComfyUI cannot free memory, because it does not have this function');
		expect(error?.description).toMatch(/^Update ComfyUI\./);
	});
});

describe('Clear History', () => {
	const engine = () => credentialFor(sandbox, 'bare_engine');
	const stillThere = async (id: string) => (await runNode(manageRun(engine(), 'job:get', { parameters: { jobId: id } }))).status;

	it.each(ENGINES)('removes the chosen jobs and names the ones that it did not find (%s)', async (way) => {
		const ids = [];
		for (const color of [1, 2, 3]) ids.push(await finished(sandbox, colorGraph(color), engine()));
		const [first, second, third] = ids;
		expect(jsons(await manage('clearHistory', chosen(`${first}, unknown, ${third}`), way))).toEqual([
			{
				interface: 'engine',
				jobs_before: 2,
				jobs_after: 0,
				cleared_job_ids: [first, third],
				not_found_job_ids: ['unknown'],
				is_truncated: false,
			},
		]);
		expect(await stillThere(String(second))).toBe('success');
	});

	it('clears nothing if the Job ID of an item is empty, and continues with the other items', async () => {
		const id = await finished(sandbox, colorGraph(1), engine());
		const parameters = { historyJobs: 'chosen', jobId: '={{ $json.job_id }}' };
		const result = await manage('clearHistory', parameters, 'bare_engine', { items: [{}, { json: { job_id: id } }], ...CONTINUE });
		expect(jsons(result)).toMatchObject([{ error: 'Job ID is empty' }, { cleared_job_ids: [id] }]);
		expect(result.outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	});
});

describe('Get Many Models', () => {
	const models = async (...given: Parameters<typeof manage> extends [unknown, ...infer Rest] ? Rest : never) =>
		jsons(await manage('getAllModels', ...given));
	const BRUSH = {
		name: 'ink/brush.safetensors',
		folder: 'loras',
		size_bytes: 2 * GIB,
		modified_at: '2025-10-09T08:53:20.500Z',
	};

	it.each(ENGINES)('outputs the models of a folder with size and time (%s)', async (way) => {
		expect(await models(folder('loras'), way)).toEqual([BRUSH, expect.objectContaining({ name: 'pixel_art.safetensors' })]);
	});

	it('outputs the models that each item asks for: of all folders, with all words, up to the limit', async () => {
		const asked = [{ returnAll: true }, { text: 'LORAS brush' }, { limit: 1 }, { text: 'nothing like it' }, { folder: 'upscale_models' }];
		const parameters = {
			returnAll: '={{ $json.returnAll ?? false }}',
			limit: '={{ $json.limit ?? 50 }}',
			filters: { text: '={{ $json.text ?? "" }}' },
			...folder('={{ $json.folder ?? "" }}'),
		};
		const items = asked.map((json) => ({ json }));
		const { outputs } = await manage('getAllModels', parameters, 'bare_engine', { items });
		const of = (index: number) => (outputs[0] ?? []).filter(({ pairedItem }) => (pairedItem as { item: number }).item === index);
		expect([...new Set(of(0).map(({ json }) => json.folder))]).toEqual(['checkpoints', 'loras', 'upscale_models']);
		expect(of(1).map(({ json }) => json)).toEqual([BRUSH]);
		expect([of(2).length, of(3).length]).toEqual([1, 0]);
		expect(new Set(of(4).map(({ json }) => json.folder))).toEqual(new Set(['upscale_models']));
		const none = { items: [{ json: { text: 'nothing like it' } }], asTool: true };
		expect(await models(parameters, 'bare_engine', none)).toEqual([{ models: 0, interface: 'engine' }]);
	});

	it.each([
		['lora', /Similar folders: loras\.$/m],
		['zzzzzzzzzzzzzz', /ComfyUI has these folders: checkpoints, loras, /],
	])('names the folders that exist instead of "%s"', async (name, advice) => {
		const { error } = await manage('getAllModels', folder(name));
		expect(error?.message).toBe(`ComfyUI has no folder of models with the name "${name}"`);
		expect(error?.description).toMatch(advice);
	});

	it.each<[way: Way, filter: string, changes: IDataObject, names: unknown]>([
		['bare_engine', '', {}, ['checkpoints', 'controlnet', 'diffusion_models', 'loras', 'text_encoders', 'upscale_models', 'vae']],
		['self_hosted', 'LOR', {}, ['loras']],
		['bare_engine', 'nothing like it', {}, []],
		['v1', '', {}, [expect.stringMatching(/^Only a ComfyUI of your own has folders of models\./)]],
		['bare_engine', '', { baseUrl: 'http://127.0.0.1:9' }, [expect.stringMatching(/the connection was refused/)]],
	])('list the folders in the editor, or say why there are none (%s, filter "%s", %j)', async (way, filter, changes, names) => {
		const parameters = { resource: 'server', operation: 'getAllModels', folder: { mode: 'list', value: '' } };
		const editor = editorContext('comfyManageJobs', parameters, credentialFor(sandbox, way, changes));
		const { results } = await nodes.comfyManageJobs.methods.listSearch.searchModelFolders.call(editor, filter);
		expect(results.map(({ name }) => name)).toEqual(names);
	});
});
