import { createHash } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import type { FaultRule } from '../../../sandbox';
import { bytesOf, runNode } from '../support/engine';
import { downloadRun } from '../support/files';
import { credentialFor, interfaceOf, type Way, ways } from '../support/flavours';
import { colorGraph } from '../support/graphs';
import { everyKindGraph, fileGraph, KINDS, MEDIA } from '../support/media';
import { sharedSandbox } from '../support/sandbox';
import { finished, jsons } from '../support/submit';

const sandbox = sharedSandbox();

let everyKind: string;
beforeAll(async () => {
	everyKind = await finished(sandbox, everyKindGraph(1));
});

const hosted = () => credentialFor(sandbox);
const download = async (jobId: string, parameters: IDataObject = {}) => await runNode(downloadRun(hosted(), [jobId], parameters));
const outputOf = (json: IDataObject | undefined) => json?.output as IDataObject;
const nodeIdsOf = (json: IDataObject) =>
	json.output ? [outputOf(json).node_id] : (json.outputs as IDataObject[]).map(({ node_id }) => node_id);

/** The bytes as the service hands them to anybody with the right key. */
async function served(url: unknown, token?: string): Promise<Buffer> {
	const response = await fetch(String(url), token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
	expect(response.ok).toBe(true);
	return Buffer.from(await response.arrayBuffer());
}

describe('every kind of output', () => {
	it('comes with the service’s bytes, its name and its MIME type', async () => {
		const { status, outputs } = await download(everyKind);
		expect(status).toBe('success');
		expect(outputs[0]).toHaveLength(KINDS.length);
		for (const [index, kind] of KINDS.entries()) {
			const item = outputs[0]?.[index];
			const { mimeType, extension } = MEDIA[kind];
			expect(item?.json).toMatchObject({ job_id: everyKind, interface: 'v2', status: 'succeeded', service_status: 'succeeded' });
			expect(outputOf(item?.json)).toMatchObject({ node_id: String(11 + index), type: kind, content_type: mimeType, binary_field: 'data' });
			expect(item?.binary?.data).toMatchObject({ mimeType, fileExtension: extension, fileName: outputOf(item?.json).name });
			expect(outputOf(item?.json).file_name).toBe(outputOf(item?.json).name);
			expect(item?.json).not.toHaveProperty('error');
			expect(item?.pairedItem).toEqual({ item: 0 });
			const bytes = await bytesOf(item);
			expect(bytes.byteLength).toBe(outputOf(item?.json).size_bytes);
			expect(bytes).toEqual(await served(outputOf(item?.json).url));
		}
	});

	it.each(ways.filter((way) => way !== 'hosted'))('comes over %s as well', async (way) => {
		const credential = credentialFor(sandbox, way);
		const jobId = await finished(sandbox, everyKindGraph(2), credential);
		const { outputs } = await runNode(downloadRun(credential, [jobId]));
		const isSelfHosted = way.startsWith('self_hosted');
		const kinds = KINDS.filter((kind) => !isSelfHosted || !['file', 'text'].includes(kind));
		const byNode = (outputs[0] ?? []).map(({ json, binary }) => [outputOf(json).node_id, binary?.data?.mimeType]).sort();
		expect(byNode).toEqual(kinds.map((kind) => [String(11 + KINDS.indexOf(kind)), MEDIA[kind].mimeType]));
		if (interfaceOf(way) !== 'v2') return;
		expect(outputs[0]?.map(({ json }) => outputOf(json).node_id)).toEqual(byNode.map(([node]) => node));
		for (const item of outputs[0] ?? []) {
			const { url, size_bytes, hash } = outputOf(item.json);
			if (isSelfHosted) expect({ size_bytes, hash }).toEqual({ size_bytes: (await bytesOf(item)).length, hash: null });
			expect(await bytesOf(item)).toEqual(await served(url, way === 'self_hosted_token' ? sandbox.keys.bearer : undefined));
		}
	});

	it.each(['redirect', 'inline'] as const)('comes over v1 without the key going to the storage (%s)', async (v1View) => {
		sandbox.configure({ v1View });
		const credential = credentialFor(sandbox, 'v1');
		const jobId = await finished(sandbox, colorGraph(9), credential);
		expect((await runNode(downloadRun(credential, [jobId]))).status).toBe('success');
		expect(sandbox.requests('GET /api/view').map(({ headers }) => headers['x-api-key'])).toEqual([sandbox.keys.apiKey]);
		const stored = sandbox.requests('GET *', 'storage');
		expect(stored).toHaveLength(v1View === 'redirect' ? 1 : 0);
		for (const { headers } of stored) expect([headers['x-api-key'], headers.authorization]).toEqual([undefined, undefined]);
	});

	it('of an unknown word is saved as a file', async () => {
		const jobId = await finished(sandbox, fileGraph('cloud.ply', { kind: 'point_cloud', content_type: 'application/x-ply', text: 'ply' }));
		const { outputs } = await download(jobId);
		expect(outputOf(outputs[0]?.[0]?.json).type).toBe('point_cloud');
		expect(outputs[0]?.[0]?.binary?.data).toMatchObject({ fileName: 'cloud.ply', mimeType: 'application/x-ply' });
		expect(String(await bytesOf(outputs[0]?.[0]))).toBe('ply');
		expect(jsons(await download(jobId, { filters: { types: ['file'] } })).flatMap(nodeIdsOf)).toEqual(['1']);
	});
});

it.each([
	['../../etc/passwd', 'text/plain', 'passwd.txt'],
	['a:b*c?.txt', 'text/plain', 'a_b_c_.txt'],
	['..', 'application/json', 'output-1.json'],
	['one', 'text/csv', 'one.csv'],
])('the name %j is saved under a safe name', async (name, content_type, expected) => {
	const { outputs } = await download(await finished(sandbox, fileGraph(name, { content_type })));
	const [item] = outputs[0] ?? [];
	expect(item?.binary?.data).toMatchObject({ fileName: expected, mimeType: content_type });
	expect(item?.binary?.data).not.toHaveProperty('directory');
	expect(outputOf(item?.json)).toMatchObject({ name, file_name: expected });
});

describe('filters', () => {
	it('and the form of the output are those of each item, and the items keep their order', async () => {
		const other = await finished(sandbox, colorGraph(5));
		const cases: Array<[json: IDataObject, expected: string[]]> = [
			[{ nodeIds: '12' }, ['12']],
			[{ nodeIds: '16, 11' }, ['11', '16']],
			[{ types: ['audio', 'latent'], outputMode: 'singleItem', field: 'sound' }, ['13', '16']],
			[{ types: ['file'], field: 'mesh' }, ['15']],
			[{ job_id: other }, ['2']],
			[{ names: '*.png' }, ['11']],
			[{ names: 'KIND_V*, *.glb' }, ['12', '15']],
			[{ names: '*.p?g' }, []],
			[{ names: 'kind' }, []],
			[{ types: ['image'], names: '*.mp4' }, []],
			[{}, ['11', '12', '13', '14', '15', '16']],
		];
		const run = downloadRun(hosted(), [], {
			outputMode: '={{ $json.outputMode ?? "itemPerOutput" }}',
			binaryPropertyName: '={{ $json.field ?? "data" }}',
			filters: { nodeIds: '={{ $json.nodeIds }}', types: '={{ $json.types }}', names: '={{ $json.names }}' },
		});
		const items = cases.map(([json]) => ({ json: { job_id: everyKind, ...json } }));
		const { outputs } = await runNode({ ...run, items });
		const of = (item: number) => (outputs[0] ?? []).filter(({ pairedItem }) => (pairedItem as { item: number }).item === item);
		for (const [index, [, expected]] of cases.entries()) expect(of(index).flatMap(({ json }) => nodeIdsOf(json))).toEqual(expected);
		const order = (outputs[0] ?? []).map(({ pairedItem }) => (pairedItem as { item: number }).item);
		expect(order).toEqual(order.toSorted((one, two) => one - two));
		const [single, ...others] = of(2);
		expect(others).toEqual([]);
		expect(single?.json.outputs).toMatchObject([{ binary_field: 'sound_0' }, { binary_field: 'sound_1' }]);
		expect(Object.keys(single?.binary ?? {})).toEqual(['sound_0', 'sound_1']);
		expect(of(3).map(({ json, binary }) => [outputOf(json).binary_field, Object.keys(binary ?? {})])).toEqual([['mesh', ['mesh']]]);
		expect(of(4)[0]?.json.job_id).toBe(other);
	});

	it('download nothing of what they leave out', async () => {
		await download(everyKind, { filters: { types: ['text'] } });
		expect(sandbox.requests('GET /blobs/:id', 'storage')).toHaveLength(1);
	});
});

it.each(['itemPerOutput', 'singleItem'])(
	'nothing to save is one item with outputs: [] where the filters match nothing, or the job made nothing (%s)',
	async (outputMode) => {
		for (const [jobId, filters, not_delivered] of [
			[
				everyKind,
				{ names: 'no such' },
				[{ node_id: null, node: null, reason: 'filtered', message: expect.stringMatching(/None of the 6/) }],
			],
			[sandbox.seeds.pinnedJob, {}, [expect.objectContaining({ reason: 'nothing_reported' })]],
		] as const) {
			expect((await download(jobId, { outputMode, filters })).outputs[0]).toEqual([
				{
					json: { job_id: jobId, interface: 'v2', status: 'succeeded', service_status: 'succeeded', not_delivered, outputs: [] },
					pairedItem: { item: 0 },
				},
			]);
		}
	},
);

it('files of one job come a few at a time, in the job’s order', async () => {
	sandbox.inject({ on: 'GET /blobs/:id', surface: 'storage', times: Infinity, fault: { kind: 'delay', ms: 500 } });
	const result = await download(everyKind);
	expect(sandbox.peak('GET /blobs/:id', 'storage')).toBe(4);
	expect(jsons(result).map((json) => outputOf(json).type)).toEqual([...KINDS]);
});

// Outputs of v1 and of engines have no ids of their own, and nodes may give their files one name.
it.each<[Way, FaultRule]>([
	['hosted', { on: 'GET /blobs/:id', fault: { kind: 'expired_link' } }],
	['v1', { on: 'GET /api/view', answer: { status: 410 } }],
	['bare_engine', { on: 'GET /api/view', answer: { status: 410 } }],
])('whichever link expires, each of several files with equal names and nodes is the right one (%s)', async (way, expired) => {
	const credential = credentialFor(sandbox, way);
	const canvas = (color: number) => ({ class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color } });
	const graph = {
		'1': canvas(0xff0000),
		'2': canvas(0x00ff00),
		'3': canvas(0x0000ff),
		'4': { class_type: 'ImageBatch', inputs: { image1: ['1', 0], image2: ['2', 0] } },
		'5': { class_type: 'SaveImage', inputs: { images: ['4', 0], filename_prefix: 'one/same' } },
		'6': { class_type: 'SaveImage', inputs: { images: ['3', 0], filename_prefix: 'two/same' } },
	};
	const jobId = await finished(sandbox, graph, credential);
	const hashes = async () => {
		const { error, outputs } = await runNode(downloadRun(credential, [jobId]));
		expect(error).toBeUndefined();
		return await Promise.all(
			(outputs[0] ?? []).map(async (item) =>
				createHash('sha256')
					.update(await bytesOf(item))
					.digest('hex'),
			),
		);
	};
	const right = await hashes();
	expect(new Set(right).size).toBe(3);
	for (const skip of right.keys()) {
		sandbox.inject({ ...expired, skip });
		expect(await hashes()).toEqual(right);
	}
});
