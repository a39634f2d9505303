import { useEngine } from './support/engine';

const engine = useEngine();
beforeEach(() => {
	engine.sandbox.configure({ engineModels: null, engineModelDetails: 'there', engineFree: 'there', engineUsers: null });
	engine.sandbox.ledger.frees.length = 0;
});

const open = () => engine.connect().maintenance;

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

it('frees the memory again if the engine was busy, with caches only if requested', async () => {
	engine.sandbox.inject({ on: 'POST /api/free', answer: { status: 503 }, times: 1 });
	for (const caches of [false, true]) await open().freeMemory({ caches });
	expect(engine.sandbox.ledger.frees).toMatchObject([
		{ models: true, caches: false },
		{ models: true, caches: true },
	]);
});

it('reports that an engine without the route cannot free its memory', async () => {
	engine.sandbox.configure({ engineFree: 'absent' });
	await expect(open().freeMemory({ caches: false })).rejects.toMatchObject({ status: 405 });
});

it.each(['there', 'absent'] as const)(
	'lists folders and models, of an older engine by name alone (details %s)',
	async (engineModelDetails) => {
		engine.sandbox.configure({ engineModelDetails });
		const maintenance = open();
		const folders = await maintenance.modelFolders();
		expect(folders).toEqual(expect.arrayContaining(['checkpoints', 'loras']));
		expect(folders).not.toContain('configs');
		const isDetailed = engineModelDetails === 'there';
		const facts = (time: string) => ({ size_bytes: isDetailed ? 2 * 1024 ** 3 : null, modified_at: isDetailed ? time : null });
		await expect(maintenance.models('loras')).resolves.toEqual([
			{ name: 'ink/brush.safetensors', ...facts('2025-10-09T08:53:20.500Z') },
			{ name: 'pixel_art.safetensors', ...facts('2025-10-09T08:53:21.500Z') },
		]);
		await expect(maintenance.models('unknown')).resolves.toBeUndefined();
	},
);

it('lists the users of an engine that has several', async () => {
	await expect(open().users()).resolves.toBeUndefined();
	const engineUsers = { ann_1: 'Ann', bob_2: 'Bob' };
	engine.sandbox.configure({ engineUsers });
	await expect(open().users()).resolves.toEqual(engineUsers);
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

it('removes the two named jobs from the history, or all', async () => {
	const jobIds = [await engine.submit(), await engine.submit(), await engine.submit()].map(({ job_id }) => job_id);
	for (const id of jobIds) await engine.ended(id);
	const { maintenance, records } = engine.connect();
	const ids = async () => (await records.recent(10)).map(({ job }) => job.job_id);
	await maintenance.clearHistory(jobIds.slice(1));
	await expect(ids()).resolves.toEqual(jobIds.slice(0, 1));
	await maintenance.clearHistory('all');
	await expect(ids()).resolves.toEqual([]);
});
