/** Uploads, masks and views: one flat, content-addressed namespace for each account. */
import sharp from 'sharp';
import { startSandbox, type Sandbox } from '../../../sandbox';
import type { ApiGraph } from '../../../sandbox/graphEngine/types';
import { Caller } from '../support/caller';
import { picture } from '../support/graphs';
import { V1, type V1Answer } from './support/v1';

let sandbox: Sandbox;
let v1: V1;
let other: V1;
beforeAll(async () => {
	sandbox = await startSandbox();
	v1 = new V1(sandbox);
	other = new V1(sandbox, sandbox.keys.otherApiKey);
});
afterAll(async () => await sandbox.close());
afterEach(() => {
	sandbox.clearFaults();
	sandbox.configure({ v1View: 'redirect' });
});

type Format = 'png' | 'jpeg' | 'webp';
type Color = { r: number; g: number; b: number; alpha?: number };
const RED: Color = { r: 255, g: 0, b: 0 };
const solid = async (width: number, height: number, background: Color, format: Format = 'png'): Promise<Buffer> =>
	await sharp({ create: { width, height, channels: background.alpha === undefined ? 3 : 4, background } })
		.toFormat(format)
		.toBuffer();
/** A JPEG whose header claims another edge. */
function withSize(jpeg: Buffer, edge: number): Buffer {
	const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
	jpeg.writeUInt16BE(edge, frame + 5);
	jpeg.writeUInt16BE(edge, frame + 7);
	return jpeg;
}
const nameOf = ({ json }: V1Answer): string => (json as { name: string }).name;
const pixelsOf = async (bytes: Buffer): Promise<number[]> => [...(await sharp(bytes).removeAlpha().raw().toBuffer())];
const viewPath = (filename: string, more = ''): string => `/api/view?filename=${filename}${more}`;

describe('upload', () => {
	test('the same bytes get the same name, whatever they were called; folder and overwrite have no effect', async () => {
		const bytes = await solid(2, 2, RED);
		const first = await v1.upload('image', bytes, { type: 'input', overwrite: 'true', subfolder: 'deep/down' }, 'cat.png');
		expect([first.status, first.json]).toEqual([
			200,
			{ name: expect.stringMatching(/^[0-9a-f]{64}\.png$/) as string, subfolder: '', type: 'input' },
		]);
		const second = await v1.upload('image', bytes, { type: 'temp' }, 'dog.jpeg');
		expect(second.json).toEqual({ name: nameOf(first), subfolder: '', type: 'temp' });
		expect(nameOf(await v1.upload('image', await solid(2, 2, RED, 'jpeg'), {}, 'cat.png'))).toMatch(/\.jpg$/);
		expect(await v1.download(nameOf(first), 'input')).toEqual(bytes);
	});

	test('uploaded names are inputs, on v1 and v2', async () => {
		const name = nameOf(await v1.upload('image', await solid(1, 1, RED)));
		const graph: ApiGraph = {
			load: { class_type: 'LoadImage', inputs: { image: name } },
			invert: { class_type: 'ImageInvert', inputs: { image: ['load', 0] } },
			save: { class_type: 'SaveImage', inputs: { images: ['invert', 0], filename_prefix: 'x' } },
		};
		const { outputs } = await v1.finished(graph);
		const [{ filename }] = (outputs as { save: { images: [{ filename: string }] } }).save.images;
		expect(await pixelsOf(await v1.download(filename))).toEqual([0, 255, 255]);
		expect(await new Caller(sandbox, 'hosted').finished(graph)).toMatchObject({ status: 'succeeded' });
		expect((await other.finished(graph)).execution_error).toMatchObject({ node_id: 'load' });
	});

	test.each<[string, () => Promise<Uint8Array>, RegExp]>([
		['what is no image', async () => await Promise.resolve(Buffer.from('text')), /not an image/],
		['an edge beyond 16384 px', async () => await solid(16_385, 1, RED), /16384 pixels an edge/],
		['more than 64 megapixels', async () => withSize(await solid(1, 1, RED, 'jpeg'), 8193), /67108864 pixels/],
		['more than 50 MB', async () => await Promise.resolve(Buffer.alloc(50 * 1024 * 1024 + 1)), /52428800 bytes/],
	])('400 for %s', async (_what, bytes, message) => {
		expect(await v1.upload('image', await bytes())).toMatchObject({
			status: 400,
			json: { code: 'invalid_request', message: expect.stringMatching(message) as string },
		});
	});

	test('400 for an unknown type, a form without an image, and what is no form', async () => {
		expect((await v1.upload('image', await solid(1, 1, RED), { type: 'output' })).status).toBe(400);
		expect((await v1.call('POST', '/api/upload/image', { body: new FormData() })).status).toBe(400);
		expect((await v1.call('POST', '/api/upload/image', { json: {} })).status).toBe(400);
	});
});

describe('masks', () => {
	test('a mask names its original, and hides a part of it in a composite', async () => {
		const original = nameOf(await v1.upload('image', await solid(2, 1, RED)));
		const half = await sharp(Buffer.from([255, 255, 255, 0, 0, 0]), { raw: { width: 2, height: 1, channels: 3 } })
			.png()
			.toBuffer();
		const answer = await v1.upload('mask', half, {
			type: 'input',
			subfolder: 'clipspace',
			original_ref: JSON.stringify({ filename: original, subfolder: '', type: 'input' }),
		});
		const name = nameOf(answer);
		expect([answer.status, answer.json]).toEqual([
			200,
			{
				name,
				subfolder: '',
				type: 'input',
				metadata: { is_mask: true, original_hash: original.replace('.png', ''), mask_type: 'mask', related_files: { mask: name } },
			},
		]);
		const { outputs } = await v1.finished({
			load: { class_type: 'LoadImage', inputs: { image: original } },
			mask: { class_type: 'LoadImageMask', inputs: { image: name, channel: 'red' } },
			blue: { class_type: 'EmptyImage', inputs: { width: 2, height: 1, batch_size: 1, color: 0x0000ff } },
			both: {
				class_type: 'ImageCompositeMasked',
				inputs: { destination: ['load', 0], source: ['blue', 0], x: 0, y: 0, resize_source: false, mask: ['mask', 0] },
			},
			save: { class_type: 'SaveImage', inputs: { images: ['both', 0], filename_prefix: 'x' } },
		});
		const [{ filename }] = (outputs as { save: { images: [{ filename: string }] } }).save.images;
		expect(await pixelsOf(await v1.download(filename))).toEqual([0, 0, 255, 255, 0, 0]);
	});

	test('a composite beyond the edge is cut; a small source can be stretched', async () => {
		const composite = (inputs: Record<string, unknown>): ApiGraph => ({
			black: { class_type: 'EmptyImage', inputs: { width: 2, height: 2, batch_size: 1, color: 0 } },
			blue: { class_type: 'EmptyImage', inputs: { width: 2, height: 3, batch_size: 1, color: 0x0000ff } },
			dot: { class_type: 'EmptyImage', inputs: { width: 1, height: 1, batch_size: 1, color: 0x0000ff } },
			both: { class_type: 'ImageCompositeMasked', inputs: { destination: ['black', 0], source: ['blue', 0], y: 0, ...inputs } },
			save: { class_type: 'SaveImage', inputs: { images: ['both', 0], filename_prefix: 'x' } },
		});
		const pixels = async (inputs: Record<string, unknown>): Promise<number[]> => {
			const { outputs } = await v1.finished(composite(inputs));
			return await pixelsOf(await v1.download((outputs as { save: { images: [{ filename: string }] } }).save.images[0].filename));
		};
		const [black, blue] = [
			[0, 0, 0],
			[0, 0, 255],
		];
		expect(await pixels({ x: 1, resize_source: false })).toEqual([black, blue, black, blue].flat());
		expect(await pixels({ source: ['dot', 0], x: 0, resize_source: false })).toEqual([blue, black, black, black].flat());
		expect(await pixels({ source: ['dot', 0], x: 0, resize_source: true })).toEqual([blue, blue, blue, blue].flat());
	});

	test.each([
		['none', undefined, /required/],
		['what is no JSON', 'cat.png', /JSON object/],
		['one without a filename', '{"subfolder":""}', /JSON object/],
		['a file that was never stored', '{"filename":"never.png"}', /no stored file: never\.png/],
	])('original_ref, %s: 400', async (_what, originalRef, message) => {
		const answer = await v1.upload('mask', await solid(1, 1, RED), originalRef === undefined ? {} : { original_ref: originalRef });
		expect(answer).toMatchObject({ status: 400, json: { message: expect.stringMatching(message) as string } });
	});
});

describe('view', () => {
	let filename = '';
	beforeAll(async () => {
		const { outputs } = await v1.finished(picture(0x102030));
		filename = (outputs as { save: { images: [{ filename: string }] } }).save.images[0].filename;
	});

	test.each(['&subfolder=&type=output', '&type=temp', '&subfolder=elsewhere&type=input', ''])(
		'a redirect to storage that needs no key, with %j',
		async (more) => {
			const { status, headers } = await v1.call('GET', viewPath(filename, more));
			const location = headers.get('location') ?? '';
			expect([status, location.startsWith(sandbox.urls.storage)]).toEqual([302, true]);
			const stored = await fetch(location);
			expect([stored.status, stored.headers.get('content-type')]).toEqual([200, 'image/png']);
			expect((await fetch(location, { headers: { 'x-api-key': sandbox.keys.apiKey } })).status).toBe(400);
		},
	);

	test('the same picture made by two jobs has one name', async () => {
		const { outputs } = await v1.finished(picture(0x102030));
		expect(outputs).toMatchObject({ save: { images: [{ filename }] } });
	});

	test('inline: the bytes at once, in parts on request', async () => {
		const whole = await v1.download(filename);
		sandbox.configure({ v1View: 'inline' });
		const inline = await v1.call('GET', viewPath(filename));
		expect([inline.status, inline.headers.get('content-type'), inline.bytes]).toEqual([200, 'image/png', whole]);
		const part = await v1.call('GET', viewPath(filename), { headers: { range: 'bytes=1-3' } });
		expect([part.status, part.text]).toEqual([206, 'PNG']);
		expect((await v1.call('GET', viewPath(filename), { headers: { range: 'bytes=999999-' } })).status).toBe(416);
	});

	test('a channel comes as a PNG, with no redirect', async () => {
		const name = nameOf(await v1.upload('image', await solid(1, 1, { ...RED, alpha: 0 })));
		const channel = async (which: string): Promise<unknown> => {
			const { status, headers, bytes } = await v1.call('GET', viewPath(name, `&channel=${which}`));
			const { channels } = await sharp(bytes).metadata();
			return [status, headers.get('content-type'), channels, [...(await sharp(bytes).raw().toBuffer())]];
		};
		expect(await channel('rgb')).toEqual([200, 'image/png', 3, [255, 0, 0]]);
		expect(await channel('rgba')).toEqual([200, 'image/png', 4, [255, 0, 0, 0]]);
		expect(await channel('a')).toEqual([200, 'image/png', 1, [0, 0, 0]]);
		expect((await v1.call('GET', viewPath(name, '&channel=infrared'))).status).toBe(400);
		const { outputs } = await v1.finished({ text: { class_type: 'SaveText', inputs: { text: 'x', filename_prefix: 't' } } });
		const text = (outputs as { text: { text: [{ filename: string }] } }).text.text[0].filename;
		expect((await v1.call('GET', viewPath(text, '&channel=rgb'))).status).toBe(400);
	});

	test('404 for what nobody stored, for another account, and after retention; 400 without a name', async () => {
		expect(await v1.call('GET', viewPath('never.png'))).toMatchObject({ status: 404, json: { code: 'not_found' } });
		expect((await other.call('GET', viewPath(filename))).status).toBe(404);
		expect((await v1.call('GET', '/api/view')).status).toBe(400);
		const job = await v1.finished(picture(0x405060));
		const { filename: expiring } = (job.outputs as { save: { images: [{ filename: string }] } }).save.images[0];
		sandbox.expireJob(String(job.id));
		expect((await v1.call('GET', viewPath(expiring))).status).toBe(404);
	});

	test('expired_link: the link has expired when it comes', async () => {
		sandbox.inject({ on: 'GET /api/view', fault: { kind: 'expired_link' } });
		const { headers } = await v1.call('GET', viewPath(filename));
		expect((await fetch(headers.get('location') ?? '')).status).toBe(400);
	});
});
