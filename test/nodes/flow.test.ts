import sharp from 'sharp';

import { startSandbox } from '../../sandbox';
import type { Sandbox } from '../../sandbox/types';
import { bytesOf, runNode } from './support/engine';
import { credentialFor, surfaces } from './support/flavours';
import { invertGraph } from './support/graphs';
import { jsons, submitRun, waitRun } from './support/submit';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox();
});
afterAll(async () => await sandbox.close());

const WIDTH = 24;
const HEIGHT = 16;
const randomPixels = () => Buffer.from(Array.from({ length: WIDTH * HEIGHT * 3 }, () => Math.floor(Math.random() * 256)));
const pixelsOf = async (png: Buffer) => await sharp(png).removeAlpha().raw().toBuffer();

/** The main job, as a user builds it: the same nodes and settings on every surface, only the credential differs. */
it.each(surfaces)('upload, submit, wait, get workflow, download: the picture comes back inverted (%s)', async (surface) => {
	const credential = credentialFor(sandbox, surface);
	const pixels = randomPixels();
	const content = await sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } }).png().toBuffer();

	const upload = await runNode({
		node: 'comfyUploadAsset',
		credential,
		parameters: { operation: 'upload', binaryPropertyName: 'data', filePath: '', options: {} },
		items: [{ files: { data: { content, fileName: 'noise.png', mimeType: 'image/png' } } }],
	});
	const inputFiles = { values: [{ node: 'Picture', input: 'image', reference: '={{ $json.reference }}' }] };
	const submit = await runNode(submitRun(credential, invertGraph(), { items: upload.outputs[0], parameters: { inputFiles } }));
	const jobId = String(jsons(submit)[0]?.job_id);

	const wait = await runNode(waitRun(credential, [jobId]));
	expect(wait.status).toBe('success');

	const workflow = await runNode({ node: 'comfyGetWorkflow', credential, parameters: { jobId, outputAs: 'json', options: {} } });
	expect(jsons(workflow)[0]).toMatchObject({ job_id: jobId, format: 'api', status: 'succeeded', workflow: { '2': { class_type: 'ImageInvert' } } });

	const download = await runNode({
		node: 'comfyDownloadOutputs',
		credential,
		parameters: { jobId, outputMode: 'itemPerOutput', binaryPropertyName: 'data', filters: {}, options: {} },
	});
	const item = download.outputs[0]?.[0];
	expect(item?.json).toMatchObject({ job_id: jobId, output: { node_id: '3', binary_field: 'data' } });
	expect(item?.binary?.data).toMatchObject({ mimeType: 'image/png', fileName: expect.stringMatching(/^inverted.*\.png$/) });
	expect(await pixelsOf(await bytesOf(item))).toEqual(Buffer.from(pixels.map((value) => 255 - value)));
});
