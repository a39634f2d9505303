import { slowGraph } from '../support/graphs';
import { useEngine } from './support/engine';

const engine = useEngine();
beforeEach(() => {
	engine.sandbox.configure({ engineModels: null, engineModelDetails: 'there', engineFree: 'there', engineUsers: null });
	engine.sandbox.ledger.frees.length = 0;
});

const open = () => engine.connect().maintenance;

it('reports versions, memory, devices and the command line', async () => {
	await expect(open().info()).resolves.toEqual({
		comfyui_version: '0.3.64',
		python_version: '3.12.3',
		pytorch_version: '2.8.0',
		os: 'sandbox',
		ram_total: 24 * 1024 ** 3,
		ram_free: 24 * 1024 ** 3,
		devices: [{ name: 'cpu', type: 'cpu', index: null, vram_total: 24 * 1024 ** 3, vram_free: 24 * 1024 ** 3 }],
		start_arguments: ['main.py', '--listen'],
	});
	engine.sandbox.configure({ enginePromptIds: 'own' });
	await expect(open().info()).resolves.toMatchObject({ comfyui_version: null });
});

it('reports null for what an older engine does not report', async () => {
	const connection = engine.connect();
	engine.sandbox.inject({ on: 'GET /api/system_stats', answer: { status: 200, body: JSON.stringify({ system: { os: 'nt' } }) }, times: 1 });
	await expect(connection.maintenance.info()).resolves.toEqual({
		comfyui_version: null,
		python_version: null,
		pytorch_version: null,
		os: 'nt',
		ram_total: null,
		ram_free: null,
		devices: [],
		start_arguments: null,
	});
});

describe('the memory', () => {
	it('is freed at once if no job runs', async () => {
		await engine.ended((await engine.submit()).job_id);
		const maintenance = open();
		const { ram_free: before } = await maintenance.info();
		await maintenance.freeMemory({ caches: false });
		const { ram_free: after } = await maintenance.info();
		expect(Number(after)).toBeGreaterThan(Number(before));
		expect(engine.sandbox.ledger.frees).toMatchObject([{ models: true, caches: false, unfinishedJobs: 0 }]);
	});

	it('is freed when the running job ends', async () => {
		const { jobs, maintenance } = engine.connect();
		const { job_id } = await jobs.submit({ graph: slowGraph(10, 20) });
		await engine.running(job_id);
		await maintenance.freeMemory({ caches: true });
		const { ram_free: during, ram_total: total } = await maintenance.info();
		expect(Number(during)).toBeLessThan(Number(total));
		await engine.ended(job_id);
		await expect(maintenance.info()).resolves.toMatchObject({ ram_free: total });
		expect(engine.sandbox.ledger.frees).toMatchObject([{ models: true, caches: true, unfinishedJobs: 1 }]);
	});

	it('cannot be freed on an engine without the route', async () => {
		engine.sandbox.configure({ engineFree: 'absent' });
		await expect(open().freeMemory({ caches: false })).rejects.toMatchObject({ status: 405 });
	});

	it('is requested again if the engine is busy', async () => {
		engine.sandbox.inject({ on: 'POST /api/free', answer: { status: 503 }, times: 1 });
		await open().freeMemory({ caches: false });
		expect(engine.sandbox.ledger.frees).toHaveLength(1);
	});
});

describe('models', () => {
	it('come with their size and time, from the folders that hold models', async () => {
		const maintenance = open();
		const folders = await maintenance.modelFolders();
		expect(folders).toEqual(expect.arrayContaining(['checkpoints', 'loras']));
		expect(folders).not.toContain('configs');
		await expect(maintenance.models('loras')).resolves.toEqual([
			{ name: 'ink/brush.safetensors', size_bytes: 2 * 1024 ** 3, modified_at: '2025-10-09T08:53:20.500Z' },
			{ name: 'pixel_art.safetensors', size_bytes: 2 * 1024 ** 3, modified_at: '2025-10-09T08:53:21.500Z' },
		]);
		await expect(maintenance.models('vae')).resolves.toEqual([]);
	});

	it('come by name alone from an older engine', async () => {
		engine.sandbox.configure({ engineModelDetails: 'absent' });
		await expect(open().models('loras')).resolves.toEqual([
			{ name: 'ink/brush.safetensors', size_bytes: null, modified_at: null },
			{ name: 'pixel_art.safetensors', size_bytes: null, modified_at: null },
		]);
	});

	it.each(['there', 'absent'] as const)('of an unknown folder are undefined (details %s)', async (engineModelDetails) => {
		engine.sandbox.configure({ engineModelDetails });
		await expect(open().models('unknown')).resolves.toBeUndefined();
	});

	it('are listed once if two folders hold the same name', async () => {
		const file = { name: 'a.safetensors', size: 1, modified: 0 };
		engine.sandbox.inject({
			on: 'GET /api/experiment/models/:folder',
			answer: { status: 200, body: JSON.stringify([file, { ...file, pathIndex: 1 }, { size: 2 }]) },
		});
		await expect(open().models('loras')).resolves.toEqual([
			{ name: 'a.safetensors', size_bytes: 1, modified_at: '1970-01-01T00:00:00.000Z' },
		]);
	});

	it('are refused if the answer is no list', async () => {
		engine.sandbox.inject({ on: 'GET /api/experiment/models/:folder', answer: { status: 200, body: '{}' }, times: 1 });
		await expect(open().models('loras')).rejects.toMatchObject({ facts: { reason: 'unexpected' } });
	});

	it('of 10,000 files are read with one request', async () => {
		engine.sandbox.configure({ engineModels: { loras: Array.from({ length: 10_000 }, (_, index) => `style_${index}.safetensors`) } });
		await expect(open().models('loras')).resolves.toHaveLength(10_000);
		expect(engine.requests('GET /api/experiment/models/:folder')).toHaveLength(1);
	});
});

it('removes the named jobs from the history, or all', async () => {
	const [first, second, third] = [await engine.submit(), await engine.submit(), await engine.submit()].map(({ job_id }) => job_id);
	for (const id of [first, second, third]) await engine.ended(String(id));
	const { maintenance, records } = engine.connect();
	const ids = async () => (await records.recent(10)).map(({ job }) => job.job_id);
	await maintenance.clearHistory([String(second)]);
	expect((await ids()).sort()).toEqual([first, third].sort());
	await maintenance.clearHistory('all');
	await expect(ids()).resolves.toEqual([]);
});

it('lists the users of an engine that has several', async () => {
	await expect(open().users()).resolves.toBeUndefined();
	engine.sandbox.configure({ engineUsers: { ann_1: 'Ann' } });
	await expect(open().users()).resolves.toEqual({ ann_1: 'Ann' });
});
