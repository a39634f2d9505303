import sharp from 'sharp';

import { until } from '../../support/until';
import { bytesOf, type Credential, runNode, startNode } from '../support/engine';
import { CONTINUE, downloadRun, fileItem, uploadRun } from '../support/files';
import { credentialFor, interfaceOf, type Way, ways } from '../support/flavours';
import { colorGraph, failingGraph, gatedGraph, invertGraph, slowGraph } from '../support/graphs';
import { runRun } from '../support/run';
import { jsons, waitRun } from '../support/submit';
import { countTurns } from '../../support/turnClock';
import { sharedSandbox } from '../support/sandbox';

countTurns(5);

const sandbox = sharedSandbox();

const WIDTH = 24;
const HEIGHT = 16;
const randomPixels = () => Buffer.from(Array.from({ length: WIDTH * HEIGHT * 3 }, () => Math.floor(Math.random() * 256)));
const pngOf = async (pixels: Buffer) =>
	await sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
		.png()
		.toBuffer();
const pixelsOf = async (png: Buffer) => await sharp(png).removeAlpha().raw().toBuffer();
/** v1 keeps files by their content, and names them so. */
const FILE_NAME = { v2: /^inverted.*\.png$/, v1: /^[0-9a-f]{64}\.png$/, engine: /^inverted.*\.png$/ };
let seed = 31_000;

/** Puts the item's file into the node titled "Picture". */
async function invertedRun(credential: Credential, content: Buffer) {
	const upload = await runNode(uploadRun(credential, [fileItem(content, 'noise.png')]));
	return runRun(credential, invertGraph(), {
		items: upload.outputs[0],
		parameters: { options: { inputValues: '={{ { Picture: { image: $json.reference } } }}' } },
	});
}

const doneKeys: Partial<Record<Way, string[]>> = {};
const stillKeys: Partial<Record<Way, string[]>> = {};

/** The same node and settings everywhere; only the credential differs, or the option Interface. */
describe.each(ways)('over %s', (way) => {
	it('one node: the picture comes back inverted, and its item tells all about it', async () => {
		const pixels = randomPixels();
		const result = await runNode(await invertedRun(credentialFor(sandbox, way), await pngOf(pixels)));
		expect(result.error).toBeUndefined();
		const [item, ...others] = result.outputs[0] ?? [];
		expect(others).toEqual([]);
		const content = await bytesOf(item);
		expect(await pixelsOf(content)).toEqual(Buffer.from(pixels.map((value) => 255 - value)));
		expect(item?.json).toMatchObject({
			name: expect.stringMatching(FILE_NAME[interfaceOf(way)]),
			type: 'image',
			content_type: 'image/png',
			size_bytes: content.length,
			node_id: '3',
			node_title: 'SaveImage',
			seed: null,
			seeds: {},
			job_id: expect.any(String),
			interface: interfaceOf(way),
			status: 'succeeded',
			service_status: expect.any(String),
			binary_field: 'data',
		});
		expect(item?.json).not.toHaveProperty('error');
		expect(item?.json.idempotency_key).toEqual(way === 'v1' ? undefined : expect.any(String));
		expect(item?.binary?.data).toMatchObject({ mimeType: 'image/png', fileName: expect.stringMatching(FILE_NAME[interfaceOf(way)]) });
		expect(item?.pairedItem).toEqual({ item: 0 });
		doneKeys[way] = Object.keys(item?.json ?? {});
	});

	it('what still runs after Max Wait leaves by the second output, with all that Comfy Wait For Job needs', async () => {
		sandbox.configure({ gateOpen: false });
		const result = await runNode(
			runRun(credentialFor(sandbox, way), gatedGraph(seed++), { parameters: { options: { maxWaitMinutes: 0.005 } } }),
		);
		sandbox.configure({ gateOpen: true });
		expect(result.error).toBeUndefined();
		expect(result.outputs[0] ?? []).toEqual([]);
		const [still] = jsons(result, 1);
		expect(still).toMatchObject({ job_id: expect.any(String), interface: interfaceOf(way), seed: seed - 1, seeds: { '2.seed': seed - 1 } });
		expect(['queued', 'running']).toContain(still?.status);
		stillKeys[way] = Object.keys(still ?? {});
	});

	it('a failing job names its node, and fails the item with the id of the job', async () => {
		const { status, error } = await runNode(runRun(credentialFor(sandbox, way), failingGraph(`out of memory ${seed++}`)));
		expect(status).toBe('error');
		expect(error?.message).toMatch(/node 7 \(SandboxFail\): out of memory/);
		expect(error?.description).toMatch(/submit (it|the workflow) again/);
		const job_error = { node_id: '7', class_type: 'SandboxFail', message: expect.stringContaining('out of memory') };
		expect(error?.context).toMatchObject({
			itemIndex: 0,
			data: { job_id: expect.any(String), interface: interfaceOf(way), status: 'failed', job_error },
		});
		expect(error?.message).toContain(String((error?.context.data as { job_id: string }).job_id));
	});

	it('one bad item harms no other: with Continue On Fail its item carries the id of its job', async () => {
		const graphs = [colorGraph(seed++), failingGraph(`no luck ${seed++}`), colorGraph(seed++)];
		const items = graphs.map((graph) => ({ json: { graph: JSON.stringify(graph) } }));
		const result = await runNode(runRun(credentialFor(sandbox, way), '={{ $json.graph }}', { items, ...CONTINUE }));
		expect(result.error).toBeUndefined();
		const all = result.outputs[0] ?? [];
		expect(all.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2].map((item) => ({ item })));
		expect(all.map(({ json }) => json.status)).toEqual(['succeeded', 'failed', 'succeeded']);
		expect(all[1]?.json).toMatchObject({ job_id: expect.any(String), error: expect.stringContaining('no luck'), seeds: {} });
		expect(all.map(({ binary }) => Object.keys(binary ?? {}))).toEqual([['data'], [], ['data']]);
	});

	it('a stop cancels the job', async () => {
		const started = Date.now();
		const { result, stop } = startNode(runRun(credentialFor(sandbox, way), slowGraph(2_000, 50, seed++)));
		const own = () => sandbox.ledger.runs.find(({ at }) => at >= started)?.jobId;
		await until(() => own() !== undefined && sandbox.job(String(own()))?.status === 'running');
		stop();
		await result.catch(() => undefined);
		await until(() => sandbox.job(String(own()))?.status === 'canceled');
	});
});

it.each(['v1', 'engine', 'bare_engine'] as const)('items have the same fields over %s as over v2', (way) => {
	for (const keys of [doneKeys, stillKeys]) {
		expect(keys.hosted?.length).toBeGreaterThan(10);
		expect((keys.hosted ?? []).filter((key) => !keys[way]?.includes(key))).toEqual(way === 'v1' ? ['idempotency_key'] : []);
	}
});

it('after Still Running, the seeds go on through Wait For Job and Download Outputs: no service keeps them', async () => {
	const credential = credentialFor(sandbox);
	sandbox.configure({ gateOpen: false });
	const still = await runNode(runRun(credential, gatedGraph(77), { parameters: { options: { maxWaitMinutes: 0.002 } } }));
	sandbox.configure({ gateOpen: true });
	const items = still.outputs[1]?.map(({ json }) => ({ json }));
	const wait = await runNode(waitRun(credential, [], { items }));
	expect(jsons(wait)[0]).toMatchObject({ status: 'succeeded', seed: 77, seeds: { '2.seed': 77 } });
	const download = await runNode(downloadRun(credential, [], {}, { items: wait.outputs[0] }));
	expect(jsons(download)[0]).toMatchObject({ job_id: jsons(wait)[0]?.job_id, seed: 77, seeds: { '2.seed': 77 }, output: { node_id: '3' } });
	const ofAnother = [{ json: { ...jsons(wait)[0], job_id: 'another' } }];
	const other = await runNode(downloadRun(credential, [], { jobId: String(jsons(wait)[0]?.job_id) }, { items: ofAnother }));
	expect(jsons(other)[0]).not.toHaveProperty('seeds');
});
