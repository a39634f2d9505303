import { useEngine } from './support/engine';

const engine = useEngine();
beforeEach(() => {
	engine.sandbox.configure({ engineModelDetails: 'there' });
	engine.sandbox.ledger.frees.length = 0;
});

const open = () => engine.connect().maintenance;

it('reports null for what an older engine does not report', async () => {
	engine.sandbox.inject({ on: 'GET /api/system_stats', answer: { status: 200, body: JSON.stringify({ system: { os: 'nt' } }) }, times: 1 });
	await expect(open().info()).resolves.toEqual({
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

it('frees the memory again if the engine was busy, with caches only if requested', async () => {
	engine.sandbox.inject({ on: 'POST /api/free', answer: { status: 503 }, times: 1 });
	for (const caches of [false, true]) await open().freeMemory({ caches });
	expect(engine.sandbox.ledger.frees).toMatchObject([
		{ models: true, caches: false },
		{ models: true, caches: true },
	]);
});

it('lists the models of an older engine by name alone', async () => {
	engine.sandbox.configure({ engineModelDetails: 'absent' });
	const maintenance = open();
	expect(await maintenance.modelFolders()).not.toContain('configs');
	const facts = { size_bytes: null, modified_at: null };
	await expect(maintenance.models('loras')).resolves.toEqual([
		{ name: 'ink/brush.safetensors', ...facts },
		{ name: 'pixel_art.safetensors', ...facts },
	]);
	await expect(maintenance.models('unknown')).resolves.toBeUndefined();
});

it('lists a model once if two folders hold the same name', async () => {
	const file = { name: 'a.safetensors', size: 1, modified: 0 };
	const json = [file, { ...file, pathIndex: 1 }, { size: 2 }, { ...file, name: 'b.safetensors' }];
	engine.sandbox.inject({ on: 'GET /api/experiment/models/:folder', answer: { status: 200, json } });
	const facts = { size_bytes: 1, modified_at: '1970-01-01T00:00:00.000Z' };
	await expect(open().models('loras')).resolves.toEqual(['a', 'b'].map((name) => ({ name: `${name}.safetensors`, ...facts })));
});

it('refuses models in an answer that is no list', async () => {
	engine.sandbox.inject({ on: 'GET /api/experiment/models/:folder', answer: { status: 200, body: '{}' }, times: 1 });
	await expect(open().models('loras')).rejects.toMatchObject({ facts: { reason: 'unexpected' } });
});
