import type { IDataObject } from 'n8n-workflow';

import { bytesOf, type Credential, type InputItem, runNode } from '../support/engine';
import { assetRun, downloadRun, fileItem, uploadRun } from '../support/files';
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
	it('keeps its name, or takes the path and the type of each item, and each reference works in a workflow', async () => {
		const named = { name: 'red.png', subfolder: '', type: 'input', reference: 'red.png', uploaded: true, id: null, hash: null };
		const cases: Array<[color: string, json: IDataObject, expected: object, pixel: number[]]> = [
			['red', {}, { interface: 'engine', ...named }, [0, 255, 255]],
			[
				'blue',
				{ filePath: 'campaign/spring/blue.png' },
				{ name: 'blue.png', subfolder: 'campaign/spring', reference: 'campaign/spring/blue.png' },
				[255, 255, 0],
			],
			['lime', { imageType: 'temp' }, { type: 'temp', reference: 'lime.png [temp]' }, [255, 0, 255]],
		];
		const items = await Promise.all(cases.map(async ([color, json]) => ({ ...fileItem(await solidPicture(color), `${color}.png`), json })));
		const parameters = { filePath: '={{ $json.filePath ?? "" }}', options: { imageType: '={{ $json.imageType }}' } };
		const uploaded = jsons(await runNode(uploadRun(engine(), items, parameters)));
		for (const [index, [, , expected, pixel]] of cases.entries()) {
			expect(uploaded[index]).toMatchObject(expected);
			expect(await pixelOf(engine(), invertGraph(), uploaded[index]?.reference)).toEqual(pixel);
		}
	});

	it('gives other bytes under the same name a name of their own, unless Overwrite is on', async () => {
		const names = [];
		for (const [color, options] of [['white', {}] as const, ['black', {}] as const, ['black', { overwrite: true }] as const])
			names.push((await upload(engine(), await solidPicture(color), 'same.png', { options })).name);
		expect(names).toEqual(['same.png', 'same (1).png', 'same.png']);
		expect(await pixelOf(engine(), invertGraph(), 'same.png')).toEqual([255, 255, 255]);
	});
});

it('Upload over v1 returns the same fields, with those of v2 null and the plain name as reference', async () => {
	const content = await solidPicture('red');
	const item = await upload(v1(), content, 'red.png', { options: { imageType: 'temp', overwrite: true } });
	const own = { interface: 'v1', type: 'temp', reference: item.name };
	expect(item).toMatchObject({ ...own, uploaded: true, bytes_sent: content.length, id: null, hash: null, created_at: null });
	expect(sandbox.requests('POST /api/upload/image')).toHaveLength(1);
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
		['engine', 'engine', 'engine'],
		['self_hosted', 'engine', 'engine'],
		['hosted', 'v1', 'v1'],
	] as const)('lays each mask over the image of its item, for a workflow to use (%s)', async (way, runsOver, expected) => {
		const place = credentialFor(sandbox, runsOver);
		const graph = {
			'1': { class_type: 'LoadImageMask', inputs: { image: 'mask.png', channel: 'alpha' } },
			'2': { class_type: 'MaskToImage', inputs: { mask: ['1', 0] } },
			'3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'mask' } },
		};
		const items = [];
		for (const [name, alpha] of [
			['one', 0.5],
			['other', 0.9],
		] as const) {
			const image = await upload(place, await solidPicture('white'), `${name}-portrait.png`, { filePath: `faces/${name}.png` });
			const content = await solidPicture({ r: 0, g: 0, b: 0, alpha });
			items.push({ ...fileItem(content, `${name}-${way}.png`), json: { reference: image.reference } as IDataObject });
		}
		const masks = jsons(
			await runNode(assetRun(credentialFor(sandbox, way), 'uploadMask', { items, parameters: { binaryPropertyName: 'data' } })),
		);
		expect(masks).toMatchObject([
			{ interface: expected, uploaded: true },
			{ interface: expected, uploaded: true },
		]);
		for (const [index, [from, to]] of [
			[100, 155],
			[0, 60],
		].entries()) {
			expect(masks[index]?.reference).toBe(masks[index]?.name);
			// ComfyUI uses the transparency of the image as the mask.
			const [value] = await pixelOf(place, graph, masks[index]?.reference, '1');
			expect(value).toBeGreaterThan(from!);
			expect(value).toBeLessThan(to!);
		}
	});

	it('sends nothing for an image that the engine does not have, and says so', async () => {
		const { error } = await maskRun(engine(), await mask({ reference: 'faces/nobody.png' }));
		expect(error?.message).toBe('ComfyUI does not have the original image "faces/nobody.png" of the mask');
		expect(error?.description).toMatch(/Upload the image first.*Original Image/s);
		expect(sandbox.requests('POST *', 'engine')).toEqual([]);
	});

	it.each([
		['a name', (name: string) => name],
		['an object', (name: string) => ({ filename: name, subfolder: 5, type: '' })],
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
		['an empty name', '={{ { filename: " " } }}', /Original Image is not the reference of an image/, /filename/],
	])('refuses %s before anything is sent', async (_, original, message, advice) => {
		const { error } = await maskRun(v1(), await mask(), { original });
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(advice);
		expect(error?.description).toMatch(/Nothing was sent/);
		expect(sandbox.requests()).toEqual([]);
	});
});
