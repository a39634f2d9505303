import sharp from 'sharp';

import { bytesOf, runNode } from '../support/engine';
import { assetRun, downloadRun, fileItem, uploadRun } from '../support/files';
import { credentialFor } from '../support/flavours';
import { invertGraph } from '../support/graphs';
import { finished, jsons, submitRun, waitRun } from '../support/submit';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();

const engine = () => credentialFor(sandbox, 'engine');
const picture = async (background: string) =>
	await sharp({ create: { width: 8, height: 8, channels: 3, background } })
		.png()
		.toBuffer();
const upload = async (content: Buffer, name: string, parameters = {}) =>
	jsons(await runNode(uploadRun(engine(), [fileItem(content, name)], parameters)))[0] ?? {};

const inputFile = (reference: unknown, node = 'Picture') => ({
	parameters: { inputFiles: { values: [{ input: `${node}.image`, reference }] } },
});

/** The first pixel of what a workflow makes of an uploaded image. */
async function pixelOf(graph: object, reference: unknown, node?: string): Promise<number[]> {
	const [job] = jsons(await runNode(submitRun(engine(), graph, inputFile(reference, node) as never)));
	await runNode(waitRun(engine(), [String(job?.job_id)]));
	const { outputs } = await runNode(downloadRun(engine(), [String(job?.job_id)]));
	return [
		...(
			await sharp(await bytesOf(outputs[0]?.[0]))
				.removeAlpha()
				.raw()
				.toBuffer()
		).subarray(0, 3),
	];
}

describe('Upload', () => {
	it('keeps the file’s own name, and its reference works in a workflow', async () => {
		const item = await upload(await picture('red'), 'red.png');
		expect(item).toMatchObject({
			interface: 'engine',
			name: 'red.png',
			subfolder: '',
			type: 'input',
			reference: 'red.png',
			uploaded: true,
			id: null,
			hash: null,
		});
		expect(await pixelOf(invertGraph(), item.reference)).toEqual([0, 255, 255]);
	});

	it('takes Path In Service with folders', async () => {
		const item = await upload(await picture('blue'), 'x.png', { filePath: 'campaign/spring/blue.png' });
		expect(item).toMatchObject({ name: 'blue.png', subfolder: 'campaign/spring', reference: 'campaign/spring/blue.png' });
		expect(await pixelOf(invertGraph(), item.reference)).toEqual([255, 255, 0]);
	});

	it('takes Type, and marks the reference', async () => {
		const item = await upload(await picture('lime'), 'lime.png', { options: { imageType: 'temp' } });
		expect(item).toMatchObject({ type: 'temp', reference: 'lime.png [temp]' });
		expect(await pixelOf(invertGraph(), item.reference)).toEqual([255, 0, 255]);
	});

	it('gives other bytes under the same name a name of their own, unless Overwrite is on', async () => {
		const names = [];
		for (const [color, overwrite] of [
			['white', undefined],
			['black', undefined],
			['black', true],
		] as const) {
			const item = await upload(await picture(color), 'same.png', { options: overwrite === undefined ? {} : { overwrite } });
			names.push(item.name);
		}
		expect(names).toEqual(['same.png', 'same (1).png', 'same.png']);
		expect(await pixelOf(invertGraph(), 'same.png')).toEqual([255, 255, 255]);
	});

	it('takes any file', async () => {
		expect(await upload(Buffer.from('not an image'), 'notes.txt')).toMatchObject({ reference: 'notes.txt', bytes_sent: 12 });
	});

	it('takes no notice of options that v2 alone has', async () => {
		const item = await upload(await picture('gray'), 'gray.png', {
			options: { skipIfAlreadyStored: true, tags: 'a', expiresInMinutes: 5 },
		});
		expect(item).toMatchObject({ reference: 'gray.png' });
		expect(item).not.toHaveProperty('error');
	});

	it('of too large a file says how to raise the limit', async () => {
		sandbox.configure({ engineUploadLimitBytes: 1_000 });
		const { error } = await runNode(uploadRun(engine(), [fileItem(Buffer.alloc(50_000), 'large.bin')]));
		expect(error?.message).toBe('This is more than ComfyUI takes in one request');
		expect(error?.description).toMatch(/--max-upload-size/);
	});
});

describe('Upload Mask', () => {
	const mask = async () =>
		await sharp({ create: { width: 8, height: 8, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0.5 } } })
			.png()
			.toBuffer();

	it.each(['engine', 'bare_engine', 'self_hosted'] as const)('lays the mask over the image of the same item (%s)', async (way) => {
		const image = await upload(await picture('white'), 'portrait.png', { filePath: 'faces/portrait.png' });
		const items = [{ ...fileItem(await mask(), `mask-${way}.png`), json: { reference: image.reference } as never }];
		const result = await runNode(
			assetRun(credentialFor(sandbox, way), 'uploadMask', { items, parameters: { binaryPropertyName: 'data' } }),
		);
		const [item] = jsons(result);
		expect(item).toMatchObject({ interface: 'engine', reference: `mask-${way}.png` });
		const graph = {
			'1': { class_type: 'LoadImageMask', inputs: { image: 'mask.png', channel: 'alpha' } },
			'2': { class_type: 'MaskToImage', inputs: { mask: ['1', 0] } },
			'3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'mask' } },
		};
		const [value] = await pixelOf(graph, item?.reference, '1');
		expect(value).toBeGreaterThan(100);
		expect(value).toBeLessThan(155);
	});
});

it('Upload Mask for an image that is not there says so, and sends nothing', async () => {
	sandbox.resetRecords();
	const items = [{ ...fileItem(await picture('white'), 'mask.png'), json: { reference: 'faces/nobody.png' } as never }];
	const { error } = await runNode(assetRun(engine(), 'uploadMask', { items, parameters: { binaryPropertyName: 'data' } }));
	expect(error?.message).toBe('ComfyUI has no file "faces/nobody.png" that the mask could belong to');
	expect(error?.description).toMatch(/Upload the image first.*Original Image/s);
	expect(sandbox.requests('POST *', 'engine')).toEqual([]);
});

it('Download Outputs fetches what a job of an engine made, with its name', async () => {
	await upload(await picture('red'), 'again.png');
	const jobId = await finished(sandbox, invertGraph('again.png'), engine());
	const { outputs, status } = await runNode(downloadRun(credentialFor(sandbox, 'bare_engine'), [jobId]));
	expect(status).toBe('success');
	expect(outputs[0]?.[0]?.binary?.data).toMatchObject({ mimeType: 'image/png', fileName: expect.stringMatching(/^inverted_.*\.png$/) });
});
