import sharp from 'sharp';

import { until } from '../support/until';
import { bytesOf, runNode, startNode } from './support/engine';
import { downloadRun, fileItem, uploadRun, workflowRun } from './support/files';
import { credentialFor, interfaceOf, type Way, ways } from './support/flavours';
import { failingGraph, invertGraph, slowGraph } from './support/graphs';
import { jsons, submitRun, submitted, waitRun } from './support/submit';
import { sharedSandbox } from './support/sandbox';

const sandbox = sharedSandbox();

const WIDTH = 24;
const HEIGHT = 16;
const randomPixels = () => Buffer.from(Array.from({ length: WIDTH * HEIGHT * 3 }, () => Math.floor(Math.random() * 256)));
const pixelsOf = async (png: Buffer) => await sharp(png).removeAlpha().raw().toBuffer();
/** v1 keeps files by their content, and names them so. */
const FILE_NAME = { v2: /^inverted.*\.png$/, v1: /^[0-9a-f]{64}\.png$/, engine: /^inverted.*\.png$/ };
let seed = 5_000;

const uploadKeys: Partial<Record<Way, string[]>> = {};
const doneKeys: Partial<Record<Way, string[]>> = {};
const outputKeys: Partial<Record<Way, string[]>> = {};

/** The same nodes and settings everywhere; only the credential differs, or the field Interface. */
describe.each(ways)('over %s', (way) => {
	it('upload, submit, wait, get workflow, download: the picture comes back inverted', async () => {
		const credential = credentialFor(sandbox, way);
		const pixels = randomPixels();
		const content = await sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
			.png()
			.toBuffer();

		const upload = await runNode(uploadRun(credential, [fileItem(content, 'noise.png')]));
		expect(jsons(upload)[0]).toMatchObject({ interface: interfaceOf(way), uploaded: true, bytes_sent: content.length });
		const inputFiles = { values: [{ input: 'Picture · image', reference: '={{ $json.reference }}' }] };
		const submit = await runNode(submitRun(credential, invertGraph(), { items: upload.outputs[0], parameters: { inputFiles } }));
		const jobId = String(jsons(submit)[0]?.job_id);

		const wait = await runNode(waitRun(credential, [jobId]));
		expect(wait.status).toBe('success');
		const [done] = jsons(wait);
		expect(done).toMatchObject({
			job_id: jobId,
			interface: interfaceOf(way),
			status: 'succeeded',
			job_error: null,
			outputs: [{ node_id: '3', type: 'image' }],
		});
		expect(done).not.toHaveProperty('error');
		uploadKeys[way] = Object.keys(jsons(upload)[0] ?? {});
		doneKeys[way] = Object.keys(done ?? {});
		outputKeys[way] = Object.keys((done?.outputs as object[])[0] ?? {});

		const workflow = await runNode(workflowRun(credential, [jobId], { outputAs: 'json' }));
		expect(jsons(workflow)[0]).toMatchObject({
			job_id: jobId,
			format: 'api',
			status: 'succeeded',
			workflow: { '2': { class_type: 'ImageInvert' } },
		});

		const download = await runNode(downloadRun(credential, [jobId]));
		const item = download.outputs[0]?.[0];
		expect(item?.json).toMatchObject({ job_id: jobId, interface: interfaceOf(way), output: { node_id: '3', binary_field: 'data' } });
		expect(item?.binary?.data).toMatchObject({ mimeType: 'image/png', fileName: expect.stringMatching(FILE_NAME[interfaceOf(way)]) });
		expect(await pixelsOf(await bytesOf(item))).toEqual(Buffer.from(pixels.map((value) => 255 - value)));
	});

	it('a failing job names its node', async () => {
		const credential = credentialFor(sandbox, way);
		const jobId = await submitted(sandbox, failingGraph(`out of memory ${seed++}`), credential);
		const { status, error } = await runNode(waitRun(credential, [jobId]));
		expect(status).toBe('error');
		expect(error?.message).toMatch(/node 7 \(SandboxFail\): out of memory/);
		expect(error?.description).toMatch(/submit (it|the workflow) again/);
		const job_error = { node_id: '7', class_type: 'SandboxFail', message: expect.stringContaining('out of memory') };
		expect(error?.context).toMatchObject({
			itemIndex: 0,
			data: { job_id: jobId, interface: interfaceOf(way), status: 'failed', job_error },
		});
	});

	it('stopping the wait cancels the job', async () => {
		const credential = credentialFor(sandbox, way);
		const jobId = await submitted(sandbox, slowGraph(2_000, 50, seed++), credential);
		const { result, stop } = startNode(waitRun(credential, [jobId]));
		await until(() => sandbox.job(jobId)?.status === 'running' && sandbox.requests().some(({ path }) => path.includes(jobId)));
		stop();
		await result.catch(() => undefined);
		await until(() => sandbox.job(jobId)?.status === 'canceled');
		const { error } = await runNode(waitRun(credential, [jobId]));
		expect(error?.message).toMatch(/was stopped before it finished|is not known to ComfyUI any more/);
	});
});

it.each(['v1', 'engine', 'bare_engine'] as const)('items have the same fields over %s as over v2', (way) => {
	for (const keys of [uploadKeys, doneKeys, outputKeys]) {
		expect(keys.hosted?.length).toBeGreaterThan(5);
		expect((keys.hosted ?? []).filter((key) => !keys[way]?.includes(key))).toEqual([]);
	}
});
