/** Uploaded files and saved workflows. */
import { randomInt } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';

import sharp from 'sharp';
import {
	ApiError,
	type ApiGraph,
	applyInputs,
	type Asset,
	assetMasks,
	type AssetReference,
	convertValue,
	convertWorkflow,
	type EngineConnection,
	isRecord,
	listClasses,
	outcomeOf,
	readApp,
	readChosenWorkflow,
	readEmbeddedWorkflow,
	type WorkflowLibrary,
	writeValues,
} from '../../../client';
import { pngSource } from '../../../test/client/support/pictures';
import { savedColor } from '../../../test/support/editorGraphs';
import { assertSamePixels, colorGraph, inversionGraph, invertPixels, randomPicture, readPixels, SIZE, solidColor } from '../pictures';
import { assertThat, type Check, CheckSkipped, download, downloadOutput, requestComfy, run, type Stage, waitForSuccess } from '../stage';

const NAME = 'random.png';
/** PNG loses nothing, but ComfyUI counts in fractions in between. */
const ROUNDING = 1;

async function upload({ connection, inputFolder, signal }: Stage, file: Buffer): Promise<{ asset: Asset; reference: AssetReference }> {
	const { asset } = await connection.assets.upload(pngSource(file), { filePath: `${inputFolder}/${NAME}`, signal });
	return { asset, reference: connection.assets.reference(asset) };
}

/** A path for ComfyUI itself, an id for the API proxy. */
const referenceName = (reference: AssetReference): string => (typeof reference === 'string' ? reference : reference.info.id);

export const FILE_CHECKS: Check[] = [
	{
		name: 'Upload',
		check: async (stage) => {
			const file = await randomPicture();
			const { asset, reference } = await upload(stage, file);
			const name = referenceName(reference);
			const wanted = stage.connection.interface === 'engine' ? `${stage.inputFolder}/` : String(asset.id);
			assertThat(name.startsWith(wanted), `a loader would be given "${name}", not "${wanted}"`);
			assertThat(referenceName((await upload(stage, file)).reference) === name, 'the same bytes got another name');
			const other = referenceName((await upload(stage, await randomPicture())).reference);
			assertThat(other !== name, 'other bytes under the same name replaced the first file');
			return `${file.length} bytes as ${name}, twice; others got ${other}`;
		},
	},
	{
		name: 'Load and invert',
		check: async (stage) => {
			const picture = await randomPicture();
			const { reference } = await upload(stage, picture);
			const { file, output } = await downloadOutput(stage, await run(stage, inversionGraph(reference, `${stage.folder}/inverted`)));
			const input = await readPixels(picture);
			assertSamePixels(invertPixels(input), await readPixels(file), ROUNDING);
			assertThat(output.reference != null, 'the output cannot be an input of another job');
			const { file: again } = await downloadOutput(stage, await run(stage, inversionGraph(output.reference, `${stage.folder}/passed-on`)));
			assertSamePixels(invertPixels(await readPixels(file)), await readPixels(again), ROUNDING);
			return `all ${input.data.length / 3} pixels are the uploaded ones, inverted, and again by another job`;
		},
	},
];

/** The API proxy does not accept masks. */
export const MASK_CHECK: Check = {
	name: 'Upload mask',
	check: async (stage) => {
		const [file, mask] = [await randomPicture(), await randomPicture(4)];
		const { asset } = await upload(stage, file);
		const original = { filename: String(asset.name), subfolder: String(asset.subfolder), type: String(asset.type) };
		const { connection, signal, inputFolder } = stage;
		const options = { filePath: `${inputFolder}/masked.png`, original, signal };
		const { asset: masked } = await assetMasks(connection).upload(pngSource(mask), options);
		assertThat(isRecord(masked) && typeof masked.url === 'string', 'the answer names no file');
		const result = await readPixels(await download(stage, masked.url), 4);
		const [picture, alpha] = [await readPixels(file), await readPixels(mask, 4)];
		const data = Buffer.from(
			alpha.data.map((value, place) => (place % 4 === 3 ? value : (picture.data[Math.floor(place / 4) * 3 + (place % 4)] ?? 0))),
		);
		assertSamePixels({ data, size: picture.size }, result);
		return `${String(masked.name)} has the picture's colors and the mask's transparency`;
	},
};

const anyColor = (): number => randomInt(0x1000000);

export const LIBRARY_CHECK: Check = {
	name: 'Saved workflows',
	check: async (stage) => {
		const { signal, folder } = stage;
		const library = (stage.connection as EngineConnection).library as WorkflowLibrary;
		const [plain, app] = [`${folder}/drawn.json`, `${folder}/chosen.app.json`];
		const color = anyColor();
		const chosen = { linearMode: true, linearData: { inputs: [[1, 'color']], outputs: [2] } };
		await save(stage, plain, savedColor({ ...SIZE, color, prefix: `${folder}/saved`, extra: {} }));
		await save(stage, app, savedColor({ ...SIZE, color, prefix: `${folder}/app`, extra: chosen }));
		const listed = await library.list({ signal });
		const isApp = [plain, app].map((path) => listed.find((one) => one.path === path)?.isApp);
		assertThat(isApp[0] === false && isApp[1] === true, `the list has a workflow and an app as ${isApp.join(' and ')}`);

		await assertColor(stage, (await loadWorkflow(stage, plain)).graph, color);
		const { graph, file, definitions } = await loadWorkflow(stage, app);
		const [input, ...others] = readApp(file, graph, definitions)?.inputs ?? [];
		assertThat(input !== undefined && others.length === 0, `the app shows ${others.length} inputs, not 1`);
		const another = anyColor();
		const values = { [input.input.nodeId]: { [input.input.input]: convertValue(input.input, another) } };
		await assertColor(stage, applyInputs(graph, values), another);

		for (const path of [plain, app]) await requestComfy(stage, userdata(path), { method: 'DELETE' });
		const read = await outcomeOf(readChosenWorkflow(library, plain, { signal }));
		assertThat(!read.ok && read.error instanceof ApiError && read.error.code === 'workflow_not_found', 'a deleted one is still read');
		return `a workflow and an app ran, and were deleted; ${listed.length} were saved`;
	},
};

export const FORMAT_CHECK: Check = {
	name: 'Image format',
	check: async (stage) => {
		const { connection, signal, folder } = stage;
		const [output] = (await run(stage, colorGraph(anyColor(), `${folder}/converted`))).outputs;
		const { conversions } = connection.assets;
		assertThat(conversions !== undefined && typeof output?.url === 'string', 'there is no conversion, or the output has no link');
		for (const name of ['webp', 'jpeg'] as const) {
			const converted = await conversions.download(output.url, { name, quality: 80 }, { signal });
			assertThat(converted !== undefined, `the server does not convert to ${name}`);
			const { format, width, height } = await sharp(await buffer(converted.bytes)).metadata();
			assertThat(isDeepStrictEqual({ format, width, height }, { format: name, ...SIZE }), `${name}: got ${format}, ${width} × ${height}`);
		}
		return 'one picture came as WebP and as JPEG';
	},
};

export const EMBEDDED_CHECK: Check = {
	name: 'Embedded workflow',
	check: async (stage) => {
		const { connection, signal, folder } = stage;
		const file = savedColor({ ...SIZE, color: anyColor(), prefix: `${folder}/embedded`, extra: {} }) as Record<string, unknown>;
		const definitions = (await connection.control?.nodeDefinitions({ classes: listClasses(file), signal })) ?? {};
		const toEditorFile = (graph: ApiGraph) => writeValues(file, graph, definitions);
		for (const color of [anyColor(), anyColor()]) {
			const graph = applyInputs(convertWorkflow(file, definitions).graph, { '1': { color } });
			const { job_id: id } = await connection.jobs.submit({ graph, toEditorFile }, { signal });
			const { file: png } = await downloadOutput(stage, await waitForSuccess(stage, id));
			const embedded = await readEmbeddedWorkflow(Readable.from([png]));
			if (embedded === undefined)
				throw new CheckSkipped('not shown: the server writes nothing into its pictures, as with --disable-metadata');
			assertThat(embedded.editor !== undefined, 'the picture has no workflow of the editor');
			const { graph: opened } = convertWorkflow(embedded.editor, definitions);
			assertThat(isDeepStrictEqual(opened, graph), 'the workflow in the picture is not the one that ran');
		}
		return 'two pictures open in the editor, each with its own color';
	},
};

/** As Comfy Run Workflow does it. */
async function loadWorkflow({ connection, signal }: Stage, path: string) {
	const { content: file } = await readChosenWorkflow(connection.library as WorkflowLibrary, path.replace(/(\.app)?\.json$/, ''), {
		signal,
	});
	const definitions = (await connection.control?.nodeDefinitions({ classes: listClasses(file), signal })) ?? {};
	const { graph, notes } = convertWorkflow(file, definitions);
	assertThat(notes.length === 0, `the conversion was not sure: ${JSON.stringify(notes)}`);
	return { graph, file, definitions };
}

async function assertColor(stage: Stage, graph: ApiGraph, color: number): Promise<void> {
	const { file } = await downloadOutput(stage, await run(stage, graph));
	assertSamePixels(solidColor(color), await readPixels(file));
}

const userdata = (path: string): string => `/api/userdata/${encodeURIComponent(`workflows/${path}`)}`;

/** Only the editor writes: this package does not. */
const save = async (stage: Stage, path: string, workflow: object): Promise<void> =>
	await requestComfy(stage, userdata(path), { method: 'POST', body: JSON.stringify(workflow) });
