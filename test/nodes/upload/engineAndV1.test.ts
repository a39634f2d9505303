import type { IDataObject } from 'n8n-workflow';

import { bytesOf, type Credential, type InputItem, runNode } from '../support/engine';
import { assetRun, CONTINUE, downloadRun, fileItem, uploadRun } from '../support/files';
import { credentialFor } from '../support/flavours';
import { invertGraph } from '../support/graphs';
import { pixelsOf, solidPicture } from '../support/pictures';
import { sharedSandbox } from '../support/sandbox';
import { jsons, submitRun, waitRun } from '../support/submit';

const sandbox = sharedSandbox();

const engine = () => credentialFor(sandbox, 'engine');
const v1 = () => credentialFor(sandbox, 'v1');
const upload = async (credential: Credential, content: Buffer, name: string, parameters = {}) =>
	jsons(await runNode(uploadRun(credential, [fileItem(content, name)], parameters)))[0] ?? {};

/** Returns the first pixel of the image that a workflow makes from an uploaded image. */
async function pixelOf(credential: Credential, graph: object, reference: unknown, node = 'Picture'): Promise<number[]> {
	const inputFiles = { values: [{ input: `${node}.image`, reference }] } as IDataObject;
	const [job] = jsons(await runNode(submitRun(credential, graph, { parameters: { inputFiles } })));
	await runNode(waitRun(credential, [String(job?.job_id)]));
	const { outputs } = await runNode(downloadRun(credential, [String(job?.job_id)]));
	return [...(await pixelsOf(await bytesOf(outputs[0]?.[0]))).subarray(0, 3)];
}

describe('Upload to an engine', () => {
	const named = { name: 'red.png', subfolder: '', type: 'input', reference: 'red.png', uploaded: true, id: null, hash: null };
	const inFolder = { name: 'blue.png', subfolder: 'campaign/spring', reference: 'campaign/spring/blue.png' };

	it.each([
		['keeps the file’s own name', 'red', 'red.png', {}, { interface: 'engine', ...named }, [0, 255, 255]],
		['takes Path In Service with folders', 'blue', 'x.png', { filePath: 'campaign/spring/blue.png' }, inFolder, [255, 255, 0]],
		[
			'takes Type and marks the reference',
			'lime',
			'lime.png',
			{ options: { imageType: 'temp' } },
			{ type: 'temp', reference: 'lime.png [temp]' },
			[255, 0, 255],
		],
	])('%s, and its reference works in a workflow', async (_, color, name, parameters, expected, pixel) => {
		const item = await upload(engine(), await solidPicture(color), name, parameters);
		expect(item).toMatchObject(expected);
		expect(await pixelOf(engine(), invertGraph(), item.reference)).toEqual(pixel);
	});

	it('gives other bytes under the same name a name of their own, unless Overwrite is on', async () => {
		const names = [];
		for (const [color, options] of [['white', {}] as const, ['black', {}] as const, ['black', { overwrite: true }] as const])
			names.push((await upload(engine(), await solidPicture(color), 'same.png', { options })).name);
		expect(names).toEqual(['same.png', 'same (1).png', 'same.png']);
		expect(await pixelOf(engine(), invertGraph(), 'same.png')).toEqual([255, 255, 255]);
	});

	it('takes any file', async () => {
		expect(await upload(engine(), Buffer.from('not an image'), 'notes.txt')).toMatchObject({ reference: 'notes.txt', bytes_sent: 12 });
	});
});

describe('Upload over v1', () => {
	it('returns the same fields, with those of v2 null and the plain name as reference', async () => {
		const content = await solidPicture('red');
		const item = await upload(v1(), content, 'red.png', { options: { imageType: 'temp', overwrite: true } });
		const own = { interface: 'v1', type: 'temp', reference: item.name };
		expect(item).toMatchObject({ ...own, uploaded: true, bytes_sent: content.length, id: null, hash: null, created_at: null });
		expect(sandbox.requests('POST /api/upload/image')).toHaveLength(1);
	});

	it('reports a file that is no image in the words of the service', async () => {
		const { error } = await runNode(uploadRun(v1(), [fileItem(Buffer.from('no image'), 'notes.txt', 'text/plain')]));
		expect(error?.message).toMatch(/rejected the request: The file is not an image/);
	});
});

const OF_V2 = { skipIfAlreadyStored: true, tags: 'a, b', expiresInMinutes: 5 };
it.each([
	['engine', OF_V2, { interface: 'engine', reference: 'gray.png' }],
	['v1', OF_V2, { interface: 'v1' }],
	['hosted', { imageType: 'temp', overwrite: true }, { interface: 'v2', reference: { __type: 'core/ASSET' } }],
] as const)('Upload over %s ignores the options that another interface alone has', async (way, options, expected) => {
	const item = await upload(credentialFor(sandbox, way), await solidPicture('gray'), 'gray.png', { options });
	expect(item).toMatchObject(expected);
	expect(item).not.toHaveProperty('error');
	if (way !== 'hosted') expect(sandbox.requests('POST *').map(({ path }) => path)).toEqual(['/api/upload/image']);
	if (way === 'v1') expect(sandbox.requests()).toHaveLength(1);
});

describe('Upload Mask', () => {
	const mask = async (json: object = {}, name = 'mask.png'): Promise<InputItem> => ({
		json: json as IDataObject,
		...fileItem(await solidPicture({ r: 0, g: 0, b: 0, alpha: 0.5 }), name),
	});
	const maskRun = async (credential: Credential, item: InputItem, parameters = {}, more = {}) =>
		await runNode(
			assetRun(credential, 'uploadMask', { items: [item], parameters: { binaryPropertyName: 'data', ...parameters }, ...more }),
		);

	it.each([
		['engine', 'engine', { interface: 'engine', reference: 'mask-engine.png' }],
		['bare_engine', 'engine', { interface: 'engine', reference: 'mask-bare_engine.png' }],
		['self_hosted', 'engine', { interface: 'engine', reference: 'mask-self_hosted.png' }],
		['hosted', 'v1', { interface: 'v1', uploaded: true, metadata: { is_mask: true } }],
	] as const)('lays the mask over the image of the same item, for a workflow to use (%s)', async (way, runsOver, expected) => {
		const place = credentialFor(sandbox, runsOver);
		const image = await upload(place, await solidPicture('white'), 'portrait.png', { filePath: 'faces/portrait.png' });
		const [item] = jsons(await maskRun(credentialFor(sandbox, way), await mask({ reference: image.reference }, `mask-${way}.png`)));
		expect(item).toMatchObject(expected);
		expect(item?.reference).toBe(item?.name);
		const graph = {
			'1': { class_type: 'LoadImageMask', inputs: { image: 'mask.png', channel: 'alpha' } },
			'2': { class_type: 'MaskToImage', inputs: { mask: ['1', 0] } },
			'3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'mask' } },
		};
		// ComfyUI uses the transparency of the image as the mask.
		const [value] = await pixelOf(place, graph, item?.reference, '1');
		expect(value).toBeGreaterThan(100);
		expect(value).toBeLessThan(155);
	});

	it('sends nothing for an image that the engine does not have, and says so', async () => {
		const { error } = await maskRun(engine(), await mask({ reference: 'faces/nobody.png' }));
		expect(error?.message).toBe('ComfyUI does not have the original image "faces/nobody.png" of the mask');
		expect(error?.description).toMatch(/Upload the image first.*Original Image/s);
		expect(sandbox.requests('POST *', 'engine')).toEqual([]);
	});

	it('reports an image that the service does not have in its words', async () => {
		const { error } = await maskRun(v1(), await mask(), { original: 'no-such.png' });
		expect(error?.message).toMatch(/rejected the request: original_ref names no stored file/);
	});

	it.each([
		['a name', (name: string) => name],
		['an object', (name: string) => ({ filename: name, subfolder: '', type: 'input' })],
		['its JSON text', (name: string) => JSON.stringify({ filename: name })],
	])('takes the original as %s', async (_, shape) => {
		const image = await upload(v1(), await solidPicture('gray'), 'cat.png');
		const { status } = await maskRun(v1(), await mask({ original: shape(String(image.name)) }), { original: '={{ $json.original }}' });
		expect(status).toBe('success');
	});

	it.each([
		['nothing', '={{ $json.reference }}', /Original Image is empty/, /\$json\.reference/],
		['v2’s reference', '={{ { __type: "core/ASSET", info: { id: "x" } } }}', /Original Image is not the reference of an image/, /over v1/],
		['half a JSON text', '{"filename": ', /Original Image is not the reference of an image/, /filename/],
	])('refuses %s before anything is sent', async (_, original, message, advice) => {
		const { error } = await maskRun(v1(), await mask(), { original });
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(advice);
		expect(error?.description).toMatch(/Nothing was sent/);
		expect(sandbox.requests()).toEqual([]);
	});

	it('goes to the engine with Self-Hosted, and continues after a failure with Continue On Fail', async () => {
		const selfHosted = credentialFor(sandbox, 'self_hosted');
		const continued = await maskRun(selfHosted, await mask({ reference: '' }), {}, CONTINUE);
		expect(jsons(continued)).toMatchObject([{ error: 'Original Image is empty' }]);
		await upload({ ...selfHosted, interface: 'engine' }, await solidPicture('white'), 'white.png');
		expect(jsons(await maskRun(selfHosted, await mask(), { original: 'white.png' }))).toMatchObject([
			{ interface: 'engine', reference: 'mask.png' },
		]);
		expect(new Set(sandbox.requests().map(({ surface }) => surface))).toEqual(new Set(['engine']));
	});
});
