/** The options *Image Format* and *Image Quality*. */
import type { IDataObject } from 'n8n-workflow';
import sharp from 'sharp';

import type { Sandbox } from '../../../sandbox';
import { bytesOf, type Credential, type NodeResult, runNode } from '../support/engine';
import { downloadRun } from '../support/files';
import { credentialFor, isOfEngine, ways } from '../support/flavours';
import { colorGraph } from '../support/graphs';
import { everyKindGraph } from '../support/media';
import { runRun } from '../support/run';
import { finished, jsons } from '../support/submit';
import { sharedSandbox } from '../support/sandbox';

const [sandbox, other] = [sharedSandbox({ workers: 1 }), sharedSandbox({ workers: 1 })];
let color = 40_000;

const VIEW = 'GET /api/view';
const queriesOf = (server: Sandbox) => server.requests(VIEW).map(({ query }) => new URLSearchParams(query));
const conversionsOf = (server: Sandbox) => queriesOf(server).flatMap((query) => query.get('preview') ?? []);

const engineOf = (server: Sandbox, changes: IDataObject = {}) => credentialFor(server, 'bare_engine', changes);
const download = async (jobIds: string[], options: IDataObject, credential: Credential = engineOf(sandbox), more: IDataObject = {}) =>
	await runNode(downloadRun(credential, jobIds, { options, ...more }));
const newJob = async (server = sandbox) => await finished(server, colorGraph((color += 1)), engineOf(server));
const outputOf = ({ outputs }: NodeResult, index = 0) => outputs[0]?.[index]?.json.output as IDataObject;
const imageOf = async ({ outputs }: NodeResult, index = 0, field = 'data') => {
	const bytes = await bytesOf(outputs[0]?.[index], field);
	const { format, width, hasAlpha } = await sharp(bytes).metadata();
	return { bytes, format, width, hasAlpha };
};

/** Runs a job, and puts these bytes in place of its image. */
async function jobWithFile(bytes: Uint8Array): Promise<string> {
	const jobId = await newJob();
	const { outputs } = await download([jobId], {});
	const form = new FormData();
	form.set('image', new Blob([new Uint8Array(bytes)]), String((outputs[0]?.[0]?.json.output as IDataObject).name));
	form.set('type', 'output');
	form.set('overwrite', 'true');
	expect((await fetch(`${sandbox.urls.engine}/api/upload/image`, { method: 'POST', body: form })).ok).toBe(true);
	sandbox.resetRecords();
	return jobId;
}

const canvas = (channels: 3 | 4) =>
	sharp({ create: { width: 24, height: 16, channels, background: { r: 200, g: 30, b: 90, alpha: 0.5 } } });
/** A PNG with this chunk before its pixels. Nothing checks its checksum. */
function withChunk(png: Buffer, name: string, data: Buffer): Buffer {
	const at = png.indexOf('IDAT') - 4;
	const head = Buffer.alloc(8);
	head.writeUInt32BE(data.length);
	head.write(name, 4, 'latin1');
	return Buffer.concat([png.subarray(0, at), head, data, Buffer.alloc(4), png.subarray(at)]);
}

describe('an image', () => {
	it('of each of two items has its own format and quality, and neither workflow nor prompt', async () => {
		const options = { imageFormat: '={{ ["webp", "jpeg"][$itemIndex] }}', imageQuality: '={{ [80, 10][$itemIndex] }}' };
		const result = await download([await newJob(), await newJob()], options);
		expect(result.error).toBeUndefined();
		expect(conversionsOf(sandbox).sort()).toEqual(['jpeg;10', 'webp;80']);
		for (const [index, format] of (['webp', 'jpeg'] as const).entries()) {
			const image = await imageOf(result, index);
			expect(image).toMatchObject({ format, width: 8 });
			expect(image.bytes.toString('latin1')).not.toContain('class_type');
			const extension = format === 'jpeg' ? 'jpg' : 'webp';
			const { name, file_name: fileName, ...facts } = outputOf(result, index);
			expect(fileName).toBe(String(name).replace('.png', `.${extension}`));
			expect(facts).toMatchObject({
				content_type: `image/${format}`,
				converted_from: 'image/png',
				size_bytes: image.bytes.length,
				reference: `${String(name)} [output]`,
			});
			expect(facts).not.toHaveProperty('not_converted');
			const { pairedItem, binary } = result.outputs[0]?.[index] ?? {};
			expect(binary?.data).toMatchObject({ fileName, mimeType: `image/${format}`, fileExtension: extension });
			expect(pairedItem).toEqual({ item: index });
		}
		expect(result.hints).toEqual([]);
	});

	it('stays as it is by default and as Original', async () => {
		const jobs = [await newJob(), await newJob()];
		for (const options of [{}, { imageFormat: 'original', imageQuality: 5 }]) {
			const result = await download(jobs, options);
			for (const index of [0, 1]) {
				expect((await imageOf(result, index)).format).toBe('png');
				expect(outputOf(result, index)).not.toHaveProperty('converted_from');
			}
		}
		expect(conversionsOf(sandbox)).toEqual([]);
	});

	it('is converted by the server of a pool that has it, with the sign-in of that server', async () => {
		other.configure({ engineAuthorization: 'Bearer of-the-other' });
		const ownSignIn = { values: [{ address: other.urls.engine, bearerToken: 'of-the-other' }] };
		const credential = engineOf(sandbox, { hasMoreServers: true, serversWithSignIn: ownSignIn });
		const items = [1, 2, 3, 4].map(() => ({ json: { color: (color += 1) } }));
		const options = { imageFormat: 'webp', inputValues: '={{ { "1": { color: $json.color } } }}' };
		const result = await runNode(runRun(credential, colorGraph(0), { items, parameters: { options } }));
		expect(result.error).toBeUndefined();
		expect(jsons(result).map(({ content_type }) => content_type)).toEqual(items.map(() => 'image/webp'));
		for (const index of items.keys()) expect((await imageOf(result, index)).format).toBe('webp');
		for (const server of [sandbox, other]) {
			const jobs = jsons(result).filter((json) => json.server === server.urls.engine);
			expect(jobs.length).toBeGreaterThan(0);
			expect(conversionsOf(server)).toEqual(jobs.map(() => 'webp;90'));
		}
	});

	it('is converted for each of two files of one name in different folders', async () => {
		const { '2': saver, ...graph } = colorGraph((color += 1));
		const saverIn = (folder: string, images: string) => ({
			class_type: 'SaveImage',
			inputs: { ...saver?.inputs, images: [images, 0], filename_prefix: `${folder}/x` },
		});
		const two = {
			...graph,
			'5': { ...graph['1'], inputs: { ...graph['1']?.inputs, width: 16 } },
			'2': saverIn('a', '1'),
			'3': saverIn('b', '5'),
		};
		const jobId = await finished(sandbox, two as ReturnType<typeof colorGraph>, engineOf(sandbox));
		const result = await download([jobId], { imageFormat: 'webp' }, undefined, { outputMode: 'singleItem' });
		const outputs = jsons(result)[0]?.outputs as IDataObject[];
		expect(outputs.map(({ file_name, binary_field }) => [file_name, binary_field])).toEqual([
			['x_00001_.webp', 'data_0'],
			['x_00001_.webp', 'data_1'],
		]);
		expect([(await imageOf(result, 0, 'data_0')).width, (await imageOf(result, 0, 'data_1')).width]).toEqual([8, 16]);
	});

	it('with a long workflow before its pixels is converted, and its original is not read to the end', async () => {
		const long = withChunk(await canvas(3).png().toBuffer(), 'tEXt', Buffer.alloc(700_000, 'x'));
		const large = Buffer.concat([long, Buffer.alloc(20_000_000)]);
		const jobs = [await jobWithFile(long), await jobWithFile(large)];
		const result = await download(jobs, { imageFormat: 'webp', concurrency: 1 });
		expect(await imageOf(result)).toMatchObject({ format: 'webp', width: 24 });
		expect(await imageOf(result, 1)).toMatchObject({ format: 'webp', width: 24 });
		for (const { responseBytes } of sandbox.requests(VIEW)) expect(responseBytes).toBeLessThan(large.length);
	});

	it('keeps its transparency as WebP', async () => {
		const jobs = [await jobWithFile(await canvas(4).png().toBuffer()), await newJob()];
		const result = await download(jobs, { imageFormat: 'webp' });
		expect(await imageOf(result)).toMatchObject({ format: 'webp', hasAlpha: true });
		expect((await imageOf(result, 1)).format).toBe('webp');
		expect(result.hints).toEqual([]);
	});

	it.each<[options: IDataObject, laterOptions: IDataObject, format: string]>([
		[{}, { imageFormat: 'webp' }, 'webp'],
		[{ imageFormat: 'webp' }, {}, 'png'],
	])('of a forgotten job, whose item has the outputs (run with %j, downloaded with %j), is %s', async (options, laterOptions, format) => {
		const run = { parameters: { options: { ...options, outputMode: 'singleItem' } } };
		const { outputs } = await runNode(runRun(engineOf(sandbox), colorGraph((color += 1)), run));
		const item = { json: outputs[0]?.[0]?.json as IDataObject };
		sandbox.restartEngine();
		const result = await runNode({ ...downloadRun(engineOf(sandbox), [], { options: laterOptions }), items: [item, item] });
		expect(result.error).toBeUndefined();
		const image = await imageOf(result, 1);
		expect(image.format).toBe(format);
		const { file_name: fileName, ...output } = outputOf(result, 1);
		expect(output).toMatchObject({ content_type: `image/${format}`, size_bytes: image.bytes.length });
		expect(String(fileName).endsWith(`.${format}`)).toBe(true);
		expect(output.converted_from).toBe(format === 'webp' ? 'image/png' : undefined);
	});
});

describe('a file keeps its format', () => {
	const keeps = async (bytes: Uint8Array, imageFormat: string, reason: RegExp) => {
		const jobs = [await jobWithFile(bytes), await newJob()];
		const result = await download(jobs, { imageFormat });
		expect(result.error).toBeUndefined();
		expect((await bytesOf(result.outputs[0]?.[0])).equals(bytes)).toBe(true);
		expect(outputOf(result)).toMatchObject({ content_type: 'image/png', not_converted: expect.stringMatching(reason) });
		expect(outputOf(result)).not.toHaveProperty('converted_from');
		expect(String(outputOf(result).file_name)).toMatch(/\.png$/);
		expect(outputOf(result, 1)).toMatchObject({ content_type: `image/${imageFormat}` });
		expect(outputOf(result, 1)).not.toHaveProperty('not_converted');
		expect(result.hints).toEqual([expect.stringMatching(/^Some images keep their format: .*not_converted/)]);
	};

	it.each<[what: string, bytes: () => Promise<Buffer>]>([
		['with an alpha channel', async () => await canvas(4).png().toBuffer()],
		['with a transparent color', async () => withChunk(await canvas(3).png().toBuffer(), 'tRNS', Buffer.alloc(6))],
		[
			'with a transparent color behind long metadata',
			async () => withChunk(withChunk(await canvas(3).png().toBuffer(), 'tEXt', Buffer.alloc(50_000, 'x')), 'tRNS', Buffer.alloc(6)),
		],
		['with gray and alpha', async () => await canvas(4).toColourspace('b-w').png().toBuffer()],
	])('as a JPEG if it is a PNG %s', async (_, bytes) => {
		await keeps(await bytes(), 'jpeg', /^JPEG has no transparency\. .*WebP/);
		expect(conversionsOf(sandbox)).toEqual(['jpeg;90']);
	});

	it.each<[what: string, bytes: () => Promise<Buffer>]>([
		['an animated PNG', async () => withChunk(await canvas(3).png().toBuffer(), 'acTL', Buffer.alloc(8))],
		['a GIF', async () => await canvas(3).gif().toBuffer()],
		['a PNG whose metadata does not end', async () => withChunk(await canvas(3).png().toBuffer(), 'tEXt', Buffer.alloc(2_000_000, 'x'))],
	])('if it is %s', async (_, bytes) => {
		await keeps(await bytes(), 'webp', /animation would keep only one frame/);
		expect(conversionsOf(sandbox)).toEqual(['webp;90']);
	});

	it('if it is an animated WebP and a JPEG is wanted', async () => {
		const raw = { width: 8, height: 16, channels: 3 as const, pageHeight: 8 };
		const frames = Buffer.alloc(8 * 16 * 3).fill(255, 0, 8 * 8 * 3);
		await keeps(
			await sharp(frames, { raw })
				.webp({ lossless: true, delay: [50, 50] })
				.toBuffer(),
			'jpeg',
			/only one frame/,
		);
	});

	it.each([true, false])('as a JPEG if it is a WebP with transparency (lossless: %s)', async (lossless) => {
		await keeps(await canvas(4).webp({ lossless }).toBuffer(), 'jpeg', /^JPEG has no transparency/);
	});

	it('if it is a TIFF, whose transparency is unknown', async () => {
		await keeps(await canvas(3).tiff().toBuffer(), 'webp', /only PNG, JPEG and WebP/);
	});

	it('if ComfyUI cannot convert it, and is asked once', async () => {
		const png = await canvas(3).png().toBuffer();
		const broken = Buffer.concat([png.subarray(0, png.indexOf('IDAT') + 4), Buffer.alloc(40, 7), Buffer.from('IEND')]);
		await keeps(broken, 'webp', /^ComfyUI could not convert the file$/);
		expect(conversionsOf(sandbox)).toEqual(['webp;90', 'webp;90']);
	});

	it('if the server ignores the format', async () => {
		const png = await canvas(3).png().toBuffer();
		const jobId = await newJob();
		sandbox.resetRecords();
		sandbox.inject({ on: VIEW, skip: 1, answer: { status: 200, headers: { 'content-type': 'image/png' }, body: png } });
		const result = await download([jobId], { imageFormat: 'webp' });
		expect(await imageOf(result)).toMatchObject({ format: 'png', width: 8 });
		expect(outputOf(result).not_converted).toBe('ComfyUI could not convert the file');
	});

	it('if it has that format already', async () => {
		const webp = await canvas(4).webp().toBuffer();
		const jobId = await jobWithFile(webp);
		const result = await download([jobId], { imageFormat: 'webp' });
		expect((await bytesOf(result.outputs[0]?.[0])).equals(webp)).toBe(true);
		expect(conversionsOf(sandbox)).toEqual([]);
		expect(result.hints).toEqual([]);
	});

	it('if it is no image', async () => {
		const jobId = await finished(sandbox, everyKindGraph((color += 1)), engineOf(sandbox));
		const result = await download([jobId], { imageFormat: 'jpeg' });
		const types = jsons(result).map((json) => (json.output as IDataObject).content_type);
		expect(types.filter((type) => type === 'image/jpeg')).toHaveLength(1);
		expect(types).toEqual(expect.arrayContaining(['video/mp4', 'audio/wav', 'text/plain', 'model/gltf-binary']));
		expect(conversionsOf(sandbox)).toHaveLength(1);
		expect(result.hints).toEqual([]);
	});

	it.each(ways.filter((way) => !isOfEngine(way)))('over %s, where one hint for two items says so', async (way) => {
		const credential = credentialFor(sandbox, way);
		const jobs = [
			await finished(sandbox, colorGraph((color += 1)), credential),
			await finished(sandbox, colorGraph((color += 1)), credential),
		];
		const result = await download(jobs, { imageFormat: 'webp' }, credential);
		expect((await imageOf(result, 1)).format).toBe('png');
		expect(result.hints).toEqual([expect.stringMatching(/^Image Format has no effect/)]);
		expect(outputOf(result)).not.toHaveProperty('not_converted');
	});
});

it('a conversion that fails for a moment is tried again', async () => {
	const jobs = [await newJob(), await newJob()];
	sandbox.inject({ on: VIEW, skip: 1, answer: { status: 503 } });
	const result = await download(jobs, { imageFormat: 'webp', concurrency: 1 });
	expect([(await imageOf(result)).format, (await imageOf(result, 1)).format]).toEqual(['webp', 'webp']);
	expect(conversionsOf(sandbox)).toHaveLength(3);
});

describe('before anything is downloaded', () => {
	it.each([0, 101, 50.5, 'much', '', null])('the quality %j is rejected with the index of its item', async (quality) => {
		const jobs = [await newJob(), await newJob()];
		sandbox.resetRecords();
		const options = { imageFormat: 'webp', imageQuality: `={{ $itemIndex === 0 ? 90 : ${JSON.stringify(quality)} }}` };
		const result = await download(jobs, options);
		expect(result.error?.message).toBe('Image Quality is not a whole number from 1 to 100');
		expect(result.error?.context).toMatchObject({ itemIndex: 1 });
	});

	it('an unknown format is rejected', async () => {
		const result = await download([await newJob()], { imageFormat: 'gif' });
		expect(result.error?.message).toBe('Image Format "gif" does not exist');
		expect(result.error?.description).toContain('original, webp, jpeg');
	});
});
