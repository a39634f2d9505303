/** Uploaded files and saved workflows. */
import { randomInt } from 'node:crypto';
import {
	ApiError,
	type ApiGraph,
	applyInputs,
	appOf,
	type Asset,
	assetMasks,
	type AssetReference,
	classesIn,
	convertValue,
	convertWorkflow,
	type Definitions,
	isRecord,
	outcomeOf,
	readChosenWorkflow,
	type WorkflowLibrary,
} from '../../../client';
import { filled, holdSame, inverted, negative, pixelsOf, randomPicture, SIZE } from '../pictures';
import { download, fileOf, hold, type Report, run, type Stage, Unmet } from '../stage';
import { pngSource } from '../../../test/client/support/pictures';
import { savedColor } from '../../../test/support/editorGraphs';

const NAME = 'random.png';
/** PNG loses nothing, but ComfyUI counts in fractions in between. */
const ROUNDING = 1;

interface Uploaded {
	asset: Asset;
	reference: AssetReference;
	file: Buffer;
}

export async function checkFiles(stage: Stage, report: Report): Promise<void> {
	const uploaded = await report.check('Upload', async () => {
		const value = await upload(stage, await randomPicture());
		const wanted = stage.connection.interface === 'engine' ? `${stage.inputFolder}/${NAME}` : value.asset.id;
		hold(nameOf(value.reference) === wanted, `a loader would be given "${nameOf(value.reference)}", not "${wanted}"`);
		return { said: `${value.file.length} bytes as ${wanted}`, value };
	});
	const needed = (): Uploaded => {
		if (uploaded === undefined) throw new Unmet('not tried, because the upload did not hold');
		return uploaded;
	};

	await report.check('Upload again', async () => {
		const { file, reference } = needed();
		const same = nameOf((await upload(stage, file)).reference);
		hold(same === nameOf(reference), `the same bytes got another name: ${same}`);
		const other = nameOf((await upload(stage, await randomPicture())).reference);
		hold(other !== same, 'other bytes under the same name replaced the first file');
		return { said: `the same bytes have the same name; others got ${other}` };
	});

	await report.check('Load and invert', async () => {
		const { file, reference } = needed();
		const { file: result, output } = await fileOf(stage, await run(stage, inverted(reference, `${stage.folder}/inverted`)));
		const input = await pixelsOf(file);
		holdSame(negative(input), await pixelsOf(result), ROUNDING);
		hold(output.reference != null, 'the output cannot be an input of another job');
		const { file: again } = await fileOf(stage, await run(stage, inverted(output.reference, `${stage.folder}/passed-on`)));
		holdSame(negative(await pixelsOf(result)), await pixelsOf(again), ROUNDING);
		return { said: `all ${input.data.length / 3} pixels are the uploaded ones, inverted, and again by another job` };
	});

	// The API proxy takes no masks.
	if (stage.connection.interface === 'v2') return;
	await report.check('Upload mask', async () => {
		const { file, asset } = needed();
		const mask = await randomPicture(4);
		const { connection, signal, inputFolder } = stage;
		const original = { filename: String(asset.name), subfolder: String(asset.subfolder), type: String(asset.type) };
		const { asset: masked } = await assetMasks(connection).upload(pngSource(mask), {
			filePath: `${inputFolder}/masked.png`,
			original,
			signal,
		});
		hold(isRecord(masked) && typeof masked.url === 'string', 'the answer names no file');
		const [picture, alpha, result] = [await pixelsOf(file), await pixelsOf(mask, 4), await pixelsOf(await download(stage, masked.url), 4)];
		const data = Buffer.from(
			alpha.data.map((value, place) => (place % 4 === 3 ? value : (picture.data[Math.floor(place / 4) * 3 + (place % 4)] ?? 0))),
		);
		holdSame({ data, size: picture.size }, result);
		return { said: `${String(masked.name)} has the picture's colors and the mask's transparency` };
	});
}

async function upload({ connection, inputFolder, signal }: Stage, file: Buffer): Promise<Uploaded> {
	const { asset } = await connection.assets.upload(pngSource(file), { filePath: `${inputFolder}/${NAME}`, signal });
	return { asset, reference: connection.assets.reference(asset), file };
}

/** A path for ComfyUI itself, an id for the API proxy. */
const nameOf = (reference: AssetReference): string => (typeof reference === 'string' ? reference : reference.info.id);

type JsonRecord = Record<string, unknown>;

/** Clocks of two machines may differ by more than they should. */
const RECENT_MS = 24 * 60 * 60_000;

const anyColor = (): number => randomInt(0x1000000);

/** As the editor saves it: one color, and the node that saves it. @param extra App Mode's choice. */
const editorFile = (color: number, prefix: string, extra: JsonRecord = {}): JsonRecord => savedColor({ ...SIZE, color, prefix, extra });

export async function checkLibrary(stage: Stage, report: Report): Promise<void> {
	const { connection, signal, folder } = stage;
	const library = connection.library as WorkflowLibrary;
	const [plain, app] = [`${folder}/drawn.json`, `${folder}/chosen.app.json`];
	const made = { plain: anyColor(), app: anyColor() };

	const saved = await report.check('Save and list', async () => {
		await save(stage, plain, editorFile(made.plain, `${folder}/saved`));
		await save(
			stage,
			app,
			editorFile(made.app, `${folder}/app`, { linearMode: true, linearData: { inputs: [[1, 'color']], outputs: [2] } }),
		);
		const listed = await library.list({ signal });
		for (const path of [plain, app]) {
			const one = listed.find((other) => other.path === path);
			hold(one !== undefined, `${path} is not in the list`);
			hold(one.isApp === (path === app), `${path} counts as ${one.isApp ? 'an app' : 'a workflow'}`);
			const age = one.modifiedAt === null ? 0 : Math.abs(Date.now() - Date.parse(one.modifiedAt));
			hold(age < RECENT_MS, `${path}, saved just now, is of ${one.modifiedAt}`);
		}
		return { said: `a workflow and an app, among ${listed.length} that are saved`, value: true };
	});
	const needed = (): void => {
		if (saved === undefined) throw new Unmet('not tried, because nothing could be saved');
	};

	await report.check('Run by name', async () => {
		needed();
		const { graph, title } = await loaded(stage, `${folder}/drawn`);
		await holdColor(stage, graph, made.plain);
		return { said: `"${title}" was converted and made its color` };
	});

	await report.check('Run an app', async () => {
		needed();
		const { graph, file, definitions } = await loaded(stage, `${folder}/chosen`);
		const [input, ...others] = appOf(file, graph, definitions)?.inputs ?? [];
		hold(input !== undefined && others.length === 0, `the app shows ${others.length} inputs, not 1`);
		const color = anyColor();
		await holdColor(stage, applyInputs(graph, { [input.input.nodeId]: { [input.input.input]: convertValue(input.input, color) } }), color);
		return { said: `its one input, ${input.label}, was filled in` };
	});

	await report.check('Deleted workflow', async () => {
		needed();
		for (const path of [plain, app]) await request(stage, path, { method: 'DELETE' });
		const read = await outcomeOf(readChosenWorkflow(library, plain, { signal }));
		hold(!read.ok && read.error instanceof ApiError && read.error.code === 'workflow_not_found', 'it is still read');
		return { said: 'it is said to be gone' };
	});
}

interface Loaded {
	graph: ApiGraph;
	file: JsonRecord;
	definitions: Definitions;
	title: string;
}

/** As Comfy Run Workflow does it. */
async function loaded({ connection, signal }: Stage, name: string): Promise<Loaded> {
	const { content: file, title } = await readChosenWorkflow(connection.library as WorkflowLibrary, name, { signal });
	const definitions = (await connection.control?.nodeDefinitions({ classes: classesIn(file), signal })) ?? {};
	const { graph, notes } = convertWorkflow(file, definitions);
	hold(notes.length === 0, `the conversion was not sure: ${JSON.stringify(notes)}`);
	return { graph, file, definitions, title };
}

async function holdColor(stage: Stage, graph: ApiGraph, color: number): Promise<void> {
	const { file } = await fileOf(stage, await run(stage, graph));
	holdSame(filled(color), await pixelsOf(file));
}

const save = async (stage: Stage, path: string, workflow: JsonRecord): Promise<void> =>
	await request(stage, path, { method: 'POST', body: JSON.stringify(workflow) });

/** Only the editor writes: this package does not. */
async function request({ url, authorization, signal }: Stage, path: string, init: RequestInit): Promise<void> {
	const address = `${url.replace(/\/+$/, '')}/api/userdata/${encodeURIComponent(`workflows/${path}`)}`;
	const { ok, status } = await fetch(address, { ...init, signal, ...(authorization !== undefined && { headers: { authorization } }) });
	hold(ok, `ComfyUI answered HTTP ${status} to ${init.method} of ${path}`);
}
