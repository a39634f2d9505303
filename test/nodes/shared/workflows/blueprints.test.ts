import type { IDataObject } from 'n8n-workflow';
import sharp from 'sharp';

import { bytesOf, type NodeRun, runNode } from '../../support/engine';
import { fileItem } from '../../support/files';
import { credentialFor } from '../../support/flavours';
import { runRun } from '../../support/run';
import { sharedSandbox } from '../../support/sandbox';

const [sandbox, other] = [sharedSandbox(), sharedSandbox()];

const OF_ENGINE = 'blueprint:Colour Picture';
const OF_PACK = 'blueprint:sandbox-colours/Saved Colour';
const FILE_ROUTE = 'GET /api/global_subgraphs/:id';

const bare = (changes: IDataObject = {}) => credentialFor(sandbox, 'bare_engine', changes);
const chosen = (value: string) => ({ workflowSource: 'saved', savedWorkflow: { __rl: true, mode: 'list', value } });
const run = async (value: string, more: Partial<NodeRun> = {}, credential = bare()) =>
	await runNode(runRun(credential, undefined, { ...more, parameters: { ...chosen(value), ...more.parameters } }));
const row = (input: string, value: string): IDataObject => ({
	inputs: { values: [{ input: { __rl: true, mode: 'name', value: input }, value }] },
});

let saved: string[] = [];
const publish = (path: string, file: unknown): void => {
	saved.push(path);
	sandbox.saveWorkflow(path, file, { folder: 'subgraphs' });
};
afterEach(() => {
	for (const path of saved) sandbox.deleteWorkflow(path, { folder: 'subgraphs' });
	saved = [];
});

interface BlueprintFile {
	nodes: Array<IDataObject & { type: string; inputs: IDataObject[]; outputs: IDataObject[] }>;
	definitions: { subgraphs: Array<Record<'inputs' | 'outputs' | 'nodes' | 'links', IDataObject[]>> };
}

interface SentPrompt {
	extra_data: { extra_pnginfo: { workflow: { nodes: Array<{ type: string; widgets_values: unknown[] }> } } };
}

/** Returns a new copy of the file as its server sends it. */
async function readColourPicture(): Promise<BlueprintFile> {
	const url = `${sandbox.urls.engine}/api/global_subgraphs`;
	const list = (await (await fetch(url)).json()) as Record<string, { name: string }>;
	const [id = ''] = Object.entries(list).find(([, { name }]) => name === 'Colour Picture') ?? [];
	const { data } = (await (await fetch(`${url}/${id}`)).json()) as { data: string };
	return JSON.parse(data) as BlueprintFile;
}

/** Returns the blueprint with outputs of these types, which nothing inside is linked to. */
function withOutputs(file: BlueprintFile, ...types: string[]): BlueprintFile {
	const outputs = types.map((type) => ({ name: type, type, links: null }));
	return { ...file, nodes: file.nodes.map((node) => ({ ...node, outputs })) };
}

/** Returns the blueprint with an image input, which it inverts and puts out. */
function withImageInput(file: BlueprintFile, { shape }: { shape?: number } = {}): BlueprintFile {
	const [node] = file.nodes;
	const [definition] = file.definitions.subgraphs;
	const name = 'picture';
	node?.inputs.push({ name, type: 'IMAGE', link: null });
	definition?.inputs.push({ id: 'f0', name, type: 'IMAGE', linkIds: [9], ...(shape !== undefined && { shape }) });
	const inputs = [{ name: 'image', type: 'IMAGE', link: 9 }];
	definition?.nodes.push({ id: 5, type: 'ImageInvert', mode: 0, inputs, outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [10] }] });
	const link = (id: number, from: number, fromSlot: number, to: number) =>
		({ id, origin_id: from, origin_slot: fromSlot, target_id: to, target_slot: 0, type: 'IMAGE' }) as IDataObject;
	const links = definition?.links.filter(({ target_id }) => target_id !== -20) ?? [];
	Object.assign(definition ?? {}, { links: [...links, link(9, -10, 2, 5), link(10, 5, 0, -20)] });
	Object.assign(definition?.outputs[0] ?? {}, { linkIds: [10] });
	return file;
}

describe('a blueprint', () => {
	it('runs with a node that saves its output, with the values of each item, and the editor’s file contains both', async () => {
		const items = [{ json: { color: 5 } }, { json: { color: 6 } }];
		const { outputs, error } = await run(OF_ENGINE, { items, parameters: row('7:1.color', '={{ $json.color }}') });
		expect(error).toBeUndefined();
		expect(outputs[0]).toHaveLength(2);
		for (const [index, item] of (outputs[0] ?? []).entries()) {
			expect(item.json).toMatchObject({ workflow_name: 'Colour Picture', type: 'image', node_id: '8' });
			expect(item.json.conversion_notes).toEqual([
				'Node 8 "Save Image (IMAGE)" (SaveImage): the blueprint has no node for its output IMAGE, so this node was added. Check this node in ComfyUI.',
			]);
			expect(item.pairedItem).toEqual({ item: index });
			const job = sandbox.job(String(item.json.job_id));
			expect(job?.graph).toEqual({
				'7:1': {
					class_type: 'EmptyImage',
					inputs: { width: 32, height: 16, batch_size: 1, color: 5 + index },
					_meta: { title: 'Empty Image' },
				},
				'8': {
					class_type: 'SaveImage',
					inputs: { filename_prefix: 'ComfyUI', images: ['7:1', 0] },
					_meta: { title: 'Save Image (IMAGE)' },
				},
			});
		}
	});

	it('of a pack runs with its own node', async () => {
		const { outputs, error } = await run(OF_PACK);
		expect(error).toBeUndefined();
		expect(outputs[0]).toHaveLength(1);
		expect(outputs[0]?.[0]?.json).toMatchObject({ workflow_name: 'sandbox-colours/Saved Colour', node_id: '7:2' });
		expect(outputs[0]?.[0]?.json).not.toHaveProperty('conversion_notes');
	});

	it('is embedded in the outputs with the added node and the values of each item', async () => {
		const items = [{ json: { color: 7 } }, { json: { color: 8 } }];
		await run(OF_ENGINE, { items, parameters: row('7:1.color', '={{ $json.color }}') });
		const sent = sandbox.requests('POST /api/prompt').map(({ bodyText }) => JSON.parse(bodyText) as SentPrompt);
		const files = sent.map(({ extra_data: { extra_pnginfo: info } }) => info.workflow);
		expect(files.map(({ nodes }) => nodes.map(({ type, widgets_values }) => [type.slice(0, 8), widgets_values]))).toEqual(
			[7, 8].map((color) => [
				['0d9e2d5c', [32, color]],
				['SaveImag', ['ComfyUI']],
			]),
		);
		for (const file of files) expect(file).toMatchObject({ last_node_id: 8, last_link_id: 1, links: [[1, 7, 0, 8, 0, 'IMAGE']] });
	});

	it('that the user published runs as it is in the folder of the user, with one saved image for each of two outputs', async () => {
		const file = await readColourPicture();
		const [node] = file.nodes;
		const [definition] = file.definitions.subgraphs;
		for (const outputs of [node?.outputs, definition?.outputs] as IDataObject[][]) outputs.push({ ...outputs[0], label: 'copy' });
		publish('portraits/my fox.json', file);
		const { outputs, error } = await run('blueprint:subgraphs/portraits/my fox');
		expect(error).toBeUndefined();
		expect(outputs[0]?.map(({ json }) => json.node_id)).toEqual(['8', '9']);
		expect(outputs[0]?.[0]?.json.conversion_notes).toHaveLength(2);
	});

	it('that needs an image gets that of each item through a node that was added, which a row of Files names', async () => {
		publish('invert.json', withImageInput(await readColourPicture()));
		const pictureOf = async (background: string) =>
			await sharp({ create: { width: 6, height: 4, channels: 3, background } })
				.png()
				.toBuffer();
		const [black, white] = ['#000000', '#ffffff'];
		const items = [fileItem(await pictureOf(black), 'one.png'), fileItem(await pictureOf(white), 'one.png')];
		const input = { __rl: true, mode: 'name', value: 'Load Image (picture).image' };
		const { outputs, error } = await run('blueprint:subgraphs/invert', {
			items,
			parameters: { files: { values: [{ input, from: 'binary', binaryPropertyName: 'data' }] } },
		});
		expect(error).toBeUndefined();
		expect(outputs[0]).toHaveLength(2);
		for (const [index, level] of [255, 0].entries()) {
			const { channels } = await sharp(await bytesOf(outputs[0]?.[index])).stats();
			expect(channels[0]?.mean).toBe(level);
		}
		expect(outputs[0]?.[0]?.json.conversion_notes).toEqual([
			expect.stringMatching(/^Node 8 .*no node for its input picture, so this node was added\. It needs a file/),
			expect.stringMatching(/^Node 9 .*no node for its output IMAGE/),
		]);
	});

	it('is rejected by ComfyUI if no file is chosen for the image that it needs', async () => {
		publish('invert.json', withImageInput(await readColourPicture()));
		const { error } = await run('blueprint:subgraphs/invert');
		expect(error?.message).toMatch(/does not have the file "no file chosen" that node 8 "Load Image \(picture\)"/);
		expect(error?.description).toContain('Send it in a row of Files');
	});

	it('gets no node for an optional image', async () => {
		publish('optional.json', withImageInput(await readColourPicture(), { shape: 7 }));
		const { outputs } = await runNode({
			node: 'comfyGetWorkflow',
			credential: bare(),
			parameters: { ...chosen('blueprint:subgraphs/optional'), outputAs: 'json', convertToApi: true },
		});
		const { workflow } = outputs[0]?.[0]?.json as { workflow: Record<string, IDataObject> };
		expect(Object.values(workflow).map(({ class_type }) => class_type)).not.toContain('LoadImage');
	});

	it('with a text, a video and an audio output has a node for each', async () => {
		publish('all.json', withOutputs(await readColourPicture(), 'STRING', 'VIDEO', 'AUDIO', 'MODEL'));
		const { outputs } = await runNode({
			node: 'comfyGetWorkflow',
			credential: bare(),
			parameters: { ...chosen('blueprint:subgraphs/all'), outputAs: 'json', convertToApi: false },
		});
		const { workflow, conversion_notes: notes } = outputs[0]?.[0]?.json as { workflow: BlueprintFile; conversion_notes: string[] };
		expect(workflow.nodes.map(({ type }) => type).slice(1)).toEqual(['PreviewAny', 'SaveVideo', 'SaveAudio']);
		expect(notes).toHaveLength(3);
	});

	it('is the same for a pool, although each server has other IDs and the first one has no blueprints', async () => {
		sandbox.configure({ engineBlueprints: 'absent' });
		const { outputs, error } = await run(OF_PACK, {}, bare({ hasMoreServers: true, moreServers: other.urls.engine }));
		expect(error).toBeUndefined();
		expect(outputs[0]?.[0]?.json).toMatchObject({ workflow_name: 'sandbox-colours/Saved Colour' });
		expect(other.requests(FILE_ROUTE)).toHaveLength(1);
	});
});

describe('a blueprint is rejected before anything is sent', () => {
	const failure = async (value: string): Promise<{ message: string; description: string }> => {
		const { error, outputs } = await run(value, { items: [{ json: {} }, { json: {} }] });
		expect(outputs[0] ?? []).toEqual([]);
		expect(sandbox.requests('POST /api/prompt')).toEqual([]);
		expect(error?.context).toMatchObject({ itemIndex: 0 });
		return { message: String(error?.message), description: String(error?.description) };
	};

	it.each(['blueprint:Gone', 'blueprint:subgraphs/gone', 'blueprint:no-pack/Saved Colour'])(
		'if ComfyUI does not have it (%s)',
		async (value) => {
			const { message, description } = await failure(value);
			expect(message).toMatch(/^ComfyUI has no blueprint "/);
			expect(description).toContain('Choose another blueprint under Saved Workflow');
		},
	);

	it('if it disappears while it is read', async () => {
		sandbox.inject({ on: FILE_ROUTE, surface: 'engine', answer: { status: 200, json: null } });
		expect((await failure(OF_ENGINE)).message).toBe('ComfyUI has no blueprint "Colour Picture"');
	});

	it('if the server is too old for blueprints', async () => {
		sandbox.configure({ engineBlueprints: 'absent' });
		expect((await failure(OF_ENGINE)).message).toBe('ComfyUI has no blueprint "Colour Picture"');
	});

	it.each<[what: string, change: (file: BlueprintFile) => unknown, words: RegExp]>([
		['is broken JSON', () => '{"nodes": [', /"subgraphs\/mine" cannot be used: the file is damaged/],
		['is a list', () => [], /"subgraphs\/mine" cannot be used: the file is not a JSON object$/],
		['has no nodes', (file) => ({ ...file, nodes: [] }), /"subgraphs\/mine" cannot be used: the file contains no node$/],
		[
			'has two nodes',
			(file) => ({ ...file, nodes: [...file.nodes, { id: 9, type: 'Note' }] }),
			/"subgraphs\/mine" .* has 2 nodes outside of its/,
		],
		['lacks its subgraph', (file) => ({ ...file, definitions: {} }), /"subgraphs\/mine" .*: its node is not a node of a subgraph/],
	])('if its file %s', async (_, change, words) => {
		publish('mine.json', change(await readColourPicture()));
		const { message, description } = await failure('blueprint:subgraphs/mine');
		expect(message).toMatch(words);
		expect(description).toContain('publish the subgraph again');
	});

	it('if the file of a custom node is broken JSON', async () => {
		const answer = { source: 'custom_node', name: 'Saved Colour', info: {}, data: '{"nodes": [' };
		sandbox.inject({ on: FILE_ROUTE, surface: 'engine', answer: { status: 200, json: answer } });
		expect((await failure(OF_PACK)).message).toMatch(
			/^The blueprint "sandbox-colours\/Saved Colour" cannot be used: the file is not valid JSON/,
		);
	});

	it('if it has no output that a node saves or shows', async () => {
		publish('model.json', withOutputs(await readColourPicture(), 'MODEL'));
		const { message, description } = await failure('blueprint:subgraphs/model');
		expect(message).toMatch(/^The blueprint "subgraphs\/model" saves and shows nothing/);
		expect(description).toContain('use the blueprint in a workflow');
	});
});
