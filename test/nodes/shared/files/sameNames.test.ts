/** Items with several files that have the same names, where n8n stores files on disk: then the node remembers them by n8n's ids. */
import '../../binaryModes/diskMode';

import sharp from 'sharp';

import type { ApiGraph } from '../../../../client';
import { serve, type TestServer } from '../../../client/support/server';
import { bytesOf, type InputItem, runNode } from '../../support/engine';
import { credentialFor } from '../../support/flavours';
import { freshPicture } from '../../support/inputImages';
import { sharedPool } from '../../support/pool';
import { runRun } from '../../support/run';
import { sharedSandbox } from '../../support/sandbox';

const sandbox = sharedSandbox();
const pool = sharedPool();
let pictures: Buffer[] = [];
/** Serves each picture at its own address. */
let web: TestServer;
beforeAll(async () => {
	web = await serve(({ url }, response) => void response.end(pictures[Number(url.split('/')[1])]));
});
afterAll(async () => await web.close());

/** Saves each of two pictures. */
const twoPictures = (prefix: string): ApiGraph => ({
	'1': { class_type: 'LoadImage', inputs: { image: 'one.png' } },
	'2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: prefix } },
	'3': { class_type: 'LoadImage', inputs: { image: 'other.png' } },
	'4': { class_type: 'SaveImage', inputs: { images: ['3', 0], filename_prefix: prefix } },
});

const pixelOf = async (image: Buffer): Promise<number[]> => [...(await sharp(image).removeAlpha().raw().toBuffer()).subarray(0, 3)];

it.each([
	['deployment', 'binary'],
	['engine', 'binary'],
	['engine', 'url'],
	['pool', 'binary'],
	['pool', 'url'],
] as const)('two items with a workflow and two pictures each get the results of their own files (%s, %s)', async (way, source) => {
	pictures = await Promise.all(Array.from({ length: 4 }, freshPicture));
	const items = ['a', 'b'].map((prefix, index): InputItem => {
		const graph = Buffer.from(JSON.stringify(twoPictures(prefix)));
		const [one, other] = pictures.slice(2 * index).map((content) => ({ content, fileName: 'photo.png' }));
		return {
			json: { one: `${web.origin}/${2 * index}/photo.png`, other: `${web.origin}/${2 * index + 1}/photo.png` },
			files: { graph: { content: graph, fileName: 'workflow.json', mimeType: 'application/json' }, one: one!, other: other! },
		};
	});
	const row = (input: string, field: string) => ({
		input: { mode: 'name', value: input },
		from: source,
		binaryPropertyName: field,
		url: `={{ $json.${field} }}`,
	});
	const parameters = {
		workflowSource: 'file',
		workflowBinaryField: 'graph',
		files: { values: [row('1.image', 'one'), row('3.image', 'other')] },
	};
	const result = await runNode(runRun(way === 'pool' ? pool.credential() : credentialFor(sandbox, way), '', { items, parameters }));
	expect(result.error).toBeUndefined();
	const delivered = result.outputs[0] ?? [];
	expect(delivered.map(({ json, pairedItem }) => [pairedItem, json.node_id, String(json.name).slice(0, 1)])).toEqual([
		[{ item: 0 }, '2', 'a'],
		[{ item: 0 }, '4', 'a'],
		[{ item: 1 }, '2', 'b'],
		[{ item: 1 }, '4', 'b'],
	]);
	const pixels = await Promise.all(delivered.map(async (item) => await pixelOf(await bytesOf(item))));
	expect(pixels).toEqual(await Promise.all(pictures.map(pixelOf)));
});

it('a file of one URL is checked for the kind of each of two inputs that take it', async () => {
	pictures = [await freshPicture()];
	const graph = { ...twoPictures('both'), '3': { class_type: 'LoadAudio', inputs: { audio: 'other.wav' } } };
	const row = (input: string) => ({ input: { mode: 'name', value: input }, from: 'url', url: `${web.origin}/0/photo.png` });
	const parameters = { files: { values: [row('1.image'), row('3.audio')] } };
	const { error } = await runNode(runRun(credentialFor(sandbox, 'engine'), graph, { parameters }));
	expect(error?.message).toMatch(/^File 2 \(3\.audio\)/);
	expect(sandbox.requests('POST /api/prompt')).toEqual([]);
});
