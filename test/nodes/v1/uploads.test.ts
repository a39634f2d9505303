import sharp from 'sharp';

import { bytesOf, type Credential, type InputItem, runNode } from '../support/engine';
import { assetRun, CONTINUE, downloadRun, fileItem, uploadRun } from '../support/files';
import { credentialFor } from '../support/flavours';
import { jsons, submitRun, waitRun } from '../support/submit';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();

const v1 = (changes = {}) => credentialFor(sandbox, 'v1', changes);
const picture = async (background: string | { r: number; g: number; b: number; alpha: number }) =>
	await sharp({ create: { width: 8, height: 8, channels: 4, background } })
		.png()
		.toBuffer();

describe('Upload over v1', () => {
	it('outputs the same words, with v2’s fields null and the plain name as reference', async () => {
		const content = await picture('red');
		const [item] = jsons(
			await runNode(uploadRun(v1(), [fileItem(content, 'red.png')], { options: { imageType: 'temp', overwrite: true } })),
		);
		expect(item).toMatchObject({
			interface: 'v1',
			uploaded: true,
			bytes_sent: content.length,
			id: null,
			hash: null,
			created_at: null,
			type: 'temp',
		});
		expect(item?.reference).toBe(item?.name);
		expect(sandbox.requests('POST /api/upload/image')).toHaveLength(1);
	});

	it('takes no notice of options that v2 alone has', async () => {
		const options = { skipIfAlreadyStored: true, tags: 'a, b', expiresInMinutes: 5 };
		const { status } = await runNode(uploadRun(v1(), [fileItem(await picture('blue'))], { options }));
		expect(status).toBe('success');
		expect(sandbox.requests().map(({ path }) => path)).toEqual(['/api/upload/image']);
	});

	it('options that v1 alone has do nothing over v2', async () => {
		const options = { imageType: 'temp', overwrite: true };
		const [item] = jsons(await runNode(uploadRun(credentialFor(sandbox), [fileItem(await picture('green'))], { options })));
		expect(item).toMatchObject({ interface: 'v2', reference: { __type: 'core/ASSET' } });
	});

	it('a file that is no image is refused in the service’s words', async () => {
		const { error } = await runNode(uploadRun(v1(), [fileItem(Buffer.from('no image'), 'notes.txt', 'text/plain')]));
		expect(error?.message).toMatch(/could not use the request: The file is not an image/);
	});
});

describe('Upload Mask', () => {
	const mask = async (json: InputItem['json'] = {}): Promise<InputItem> => ({
		json,
		...fileItem(await picture({ r: 0, g: 0, b: 0, alpha: 0.5 }), 'mask.png'),
	});
	const maskRun = async (credential: Credential, item: InputItem, parameters = {}, more = {}) =>
		await runNode(
			assetRun(credential, 'uploadMask', { items: [item], parameters: { binaryPropertyName: 'data', ...parameters }, ...more }),
		);

	it('uploads for the image of the same item, always over v1, and is used in a workflow', async () => {
		const image = jsons(await runNode(uploadRun(v1(), [fileItem(await picture('white'))])))[0];
		const [item] = jsons(await maskRun(credentialFor(sandbox), await mask({ reference: image?.reference })));
		expect(item).toMatchObject({ interface: 'v1', uploaded: true, reference: item?.name, metadata: { is_mask: true } });

		const graph = {
			'1': { class_type: 'LoadImageMask', inputs: { image: 'mask.png', channel: 'alpha' } },
			'2': { class_type: 'MaskToImage', inputs: { mask: ['1', 0] } },
			'3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'mask' } },
		};
		const inputFiles = { values: [{ input: '1.image', reference: item?.reference }] };
		const jobId = String(jsons(await runNode(submitRun(v1(), graph, { parameters: { inputFiles } })))[0]?.job_id);
		await runNode(waitRun(v1(), [jobId]));
		const download = await runNode(downloadRun(v1(), [jobId]));
		const { data } = await sharp(await bytesOf(download.outputs[0]?.[0]))
			.raw()
			.toBuffer({ resolveWithObject: true });
		// ComfyUI's masks are the picture's transparency.
		expect(data[0]).toBeGreaterThan(100);
		expect(data[0]).toBeLessThan(155);
	});

	it.each([
		['a name', (name: string) => name],
		['an object', (name: string) => ({ filename: name, subfolder: '', type: 'input' })],
		['its JSON text', (name: string) => JSON.stringify({ filename: name })],
	])('takes the original as %s', async (_, shape) => {
		const image = jsons(await runNode(uploadRun(v1(), [fileItem(await picture('gray'))])))[0];
		const { status } = await maskRun(v1(), await mask({ original: shape(String(image?.name)) }), { original: '={{ $json.original }}' });
		expect(status).toBe('success');
	});

	it.each([
		['nothing', '={{ $json.reference }}', /Original Image is empty/, /\$json\.reference/],
		['v2’s reference', '={{ { __type: "core/ASSET", info: { id: "x" } } }}', /Original Image does not name an image/, /over v1/],
		['half a JSON text', '{"filename": ', /Original Image does not name an image/, /filename/],
	])('refuses %s before anything is sent', async (_, original, message, advice) => {
		const { error } = await maskRun(v1(), await mask(), { original });
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(advice);
		expect(error?.description).toMatch(/Nothing was sent/);
		expect(sandbox.requests()).toEqual([]);
	});

	it('for an image that the service does not have is refused in its words', async () => {
		const { error } = await maskRun(v1(), await mask(), { original: 'no-such.png' });
		expect(error?.message).toMatch(/could not use the request: original_ref names no stored file/);
	});

	it('with Self-Hosted goes to the engine, and Continue On Fail goes on', async () => {
		const selfHosted = credentialFor(sandbox, 'self_hosted');
		const continued = await maskRun(selfHosted, await mask({ reference: '' }), {}, CONTINUE);
		expect(jsons(continued)).toMatchObject([{ error: 'Original Image is empty' }]);
		await runNode(uploadRun({ ...selfHosted, interface: 'engine' }, [fileItem(await picture('white'), 'white.png')]));
		expect(jsons(await maskRun(selfHosted, await mask(), { original: 'white.png' }))).toMatchObject([
			{ interface: 'engine', reference: 'mask.png' },
		]);
		expect(new Set(sandbox.requests().map(({ surface }) => surface))).toEqual(new Set(['engine']));
	});
});
