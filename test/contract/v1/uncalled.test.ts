/** L15: the hosted surface has every operation of the official v1 documents, also those that the client does not call. */
import { type Sandbox, startSandbox } from '../../../sandbox';
import { type Answered, checkedCall, OpenApi, type RequestOptions } from '../openApi';
import { failing, picture, slowPicture } from '../graphs';
import { UNKNOWN_ID } from '../service';
import { HostedV1, v1 } from './hosted';

const api = new OpenApi('hosted.yaml');
const UNKNOWN_HASH = `blake3:${'0'.repeat(64)}`;

let sandbox: Sandbox;
let hosted: HostedV1;
const seen = new Map<string, Set<number>>();
beforeAll(async () => {
	sandbox = await startSandbox({ progressIntervalMs: 10 });
	hosted = new HostedV1(sandbox);
});
afterAll(async () => await sandbox.close());

async function call(operationId: string, { headers, ...options }: RequestOptions = {}): Promise<Answered> {
	const key = { 'x-api-key': sandbox.keys.apiKey };
	const answered = await checkedCall(api, operationId, sandbox.urls.hosted, { ...options, headers: { ...key, ...headers } });
	seen.set(operationId, (seen.get(operationId) ?? new Set<number>()).add(answered.status));
	return answered;
}

async function create(name: string, fields: Record<string, string | string[]> = {}, bytes = `bytes of ${name}`): Promise<Answered> {
	const form = new FormData();
	for (const [field, values] of Object.entries(fields)) for (const value of [values].flat()) form.append(field, value);
	form.append('file', new Blob([bytes], { type: 'text/plain' }), name);
	return await call('createAsset', { form });
}

test('creates an asset, finds it by name and tag, changes it and deletes it', async () => {
	const { status, json } = await create('letter.txt', { tags: ['input', 'letters'], user_metadata: '{"page":1}' });
	const size = 'bytes of letter.txt'.length;
	expect([status, json]).toMatchObject([201, { name: 'letter.txt', size, mime_type: 'text/plain', created_new: true, prompt_id: null }]);
	const name = String(json.id);
	expect((await call('listAssets', { query: 'include_tags=letters&name_contains=LETTER&limit=1' })).json).toMatchObject({
		assets: [{ id: name, tags: ['input', 'letters'], user_metadata: { page: 1 } }],
		total: 1,
		has_more: false,
	});
	expect((await call('listAssets', { query: 'include_tags=letters&exclude_tags=input' })).json).toMatchObject({ assets: [], total: 0 });
	expect((await call('changeAsset', { name, json: { name: 'note.txt' } })).json).toMatchObject({ id: name, name: 'note.txt' });
	expect((await call('getAsset', { name })).json).toMatchObject({ name: 'note.txt', asset_hash: json.asset_hash });
	expect((await call('deleteAsset', { name })).status).toBe(204);
	expect((await call('getAsset', { name })).status).toBe(404);
	expect((await call('deleteAsset', { name })).status).toBe(404);
});

test('creates an asset of an id once, and one from the hash of known bytes', async () => {
	const id = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
	expect((await create('once.txt', { id })).status).toBe(201);
	const again = await create('once.txt', { id });
	expect([again.status, again.json]).toMatchObject([200, { id, created_new: false }]);
	const hash = String(again.json.asset_hash);
	expect((await call('headAsset', { name: hash })).status).toBe(200);
	expect((await call('headAsset', { name: UNKNOWN_HASH })).status).toBe(404);
	expect((await call('headAsset', { name: 'md5:0' })).status).toBe(400);
	const minted = await call('createAssetFromHash', { json: { hash, tags: ['input'], name: 'twice.txt' } });
	expect([minted.status, minted.json]).toMatchObject([201, { name: 'twice.txt', asset_hash: hash, tags: ['input'] }]);
	expect((await call('createAssetFromHash', { json: { hash: UNKNOWN_HASH, tags: ['input'] } })).status).toBe(404);
	expect((await call('createAssetFromHash', { json: { hash } })).status).toBe(400);
});

test('adds and removes tags, and counts them', async () => {
	const { json } = await create('tagged.txt', { tags: 'one' });
	const name = String(json.id);
	expect((await call('addTags', { name, json: { tags: ['one', 'two'] } })).json).toEqual({
		...{ added: ['two'], already_present: ['one'], total_tags: ['one', 'two'] },
	});
	expect((await call('countTags', { query: 'include_tags=two' })).json).toEqual({ tag_counts: { one: 1, two: 1 } });
	expect((await call('listTags', { query: 'prefix=tw' })).json).toEqual({ tags: [{ name: 'two', count: 1 }], total: 1, has_more: false });
	expect((await call('removeTags', { name, json: { tags: ['two', 'three'] } })).json).toEqual({
		...{ removed: ['two'], not_present: ['three'], total_tags: ['one'] },
	});
	expect((await call('addTags', { name, json: {} })).status).toBe(400);
	expect((await call('listTags', { query: 'limit=0' })).status).toBe(400);
});

test('opens no connection for an asset that is elsewhere', async () => {
	const url = 'http://127.0.0.1:9/model.safetensors';
	expect((await call('createAsset', { json: { url, name: 'model.safetensors' } })).status).toBe(422);
	expect((await call('getRemoteMetadata', { query: new URLSearchParams({ url }).toString() })).status).toBe(422);
	expect((await call('downloadAsset', { json: { source_url: url } })).status).toBe(422);
});

test('has the old history, newest first and job by job', async () => {
	const [first, second] = [await hosted.run(picture()), await hosted.run(picture())];
	const { history } = (await call('getHistory', { query: 'max_items=1' })).json as { history: unknown[] };
	expect(history).toMatchObject([{ prompt_id: second, prompt: { prompt_id: second }, outputs: { save: {} }, status: { completed: true } }]);
	const { json } = await call('getHistoryOfJob', { name: first });
	expect(json).toMatchObject({
		[first]: { prompt: { outputs_to_execute: ['save'], prompt: { save: {} } }, status: { status_str: 'success' } },
	});
	expect((await call('getHistoryOfJob', { name: UNKNOWN_ID })).status).toBe(404);
});

test('a job has a preview only if it has outputs, and an error has its inputs and outputs', async () => {
	const failed = (await hosted.call('getJob', { name: await hosted.run(failing()) })).json;
	expect(failed).not.toHaveProperty('preview_output');
	expect(failed.execution_error).toMatchObject({ node_id: 'fail', traceback: expect.any(Array), current_inputs: {}, current_outputs: {} });
	const succeeded = (await hosted.call('getJob', { name: await hosted.run(picture()) })).json;
	expect(succeeded.preview_output).toMatchObject({ nodeId: 'save' });
});

test('an entry of the queue is number, job id, graph, output nodes and create time', async () => {
	const name = await hosted.started(slowPicture(1000));
	await hosted.reaches(name, 'executing');
	const { queue_running } = (await hosted.call('getQueue')).json;
	expect(queue_running).toEqual([[expect.any(Number), name, expect.any(Object), ['save'], { create_time: expect.any(Number) }]]);
	await hosted.call('interrupt');
	await hosted.reaches(name);
});

test('offers its catalog without a key', async () => {
	const headers = { 'x-api-key': '' };
	for (const id of ['getWorkflowTemplates', 'getGlobalSubgraphs', 'getModelFolders', 'getFeatures', 'getSystemStats'])
		expect([id, (await call(id, { headers })).status]).toEqual([id, 200]);
	for (const id of ['getGlobalSubgraph', 'getModels', 'getModelPreview'])
		expect([id, (await call(id, { headers, name: ['a', 'b', 'c'] })).status]).toEqual([id, 404]);
});

test('has the files and the status of an account', async () => {
	expect((await call('getUser')).json).toEqual({ status: 'active' });
	const file = 'workflows/a.json';
	expect((await call('writeUserFile', { name: file, json: {} })).json).toMatchObject({ path: file, size: 2 });
	expect((await call('writeUserFile', { name: file, query: 'overwrite=false', json: {} })).status).toBe(409);
	expect((await call('deleteUserFile', { name: file })).status).toBe(204);
	expect((await call('deleteUserFile', { name: file })).status).toBe(404);
	const { name } = (await hosted.upload('uploadImage')).json;
	expect((await call('getMaskLayers', { query: `filename=${String(name)}` })).json).toMatchObject({ mask: name });
	expect((await call('getMaskLayers', { query: 'filename=none.png' })).status).toBe(404);
});

test('no operation of an account answers without its key', async () => {
	for (const { id, path } of api.operations.values()) {
		if (/templates|subgraphs|experiment|features|system_stats/.test(path)) continue;
		expect([id, (await call(id, { name: UNKNOWN_ID, headers: { 'x-api-key': 'wrong' } })).status]).toEqual([id, 401]);
	}
});

test('every documented success occurs, and the two contracts share no operation', () => {
	for (const { id, statuses } of api.operations.values()) {
		if (id === 'createAssetFromHash') continue;
		expect([id, [...(seen.get(id) ?? [])]]).toEqual([id, expect.arrayContaining(statuses.filter((status) => status < 400))]);
	}
	const operations = [...api.operations.values(), ...v1.operations.values()].map(({ method, path }) => `${method} ${path}`);
	expect(new Set(operations).size).toBe(operations.length);
});
