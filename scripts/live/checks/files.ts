/** Uploaded files and saved workflows. */
import { randomInt } from 'node:crypto';
import {
	ApiError,
	type ApiGraph,
	applyInputs,
	readApp,
	type Asset,
	assetMasks,
	type AssetReference,
	listClasses,
	convertValue,
	convertWorkflow,
	type Definitions,
	isRecord,
	outcomeOf,
	readChosenWorkflow,
	type WorkflowLibrary,
} from '../../../client';
import { solidColor, assertSamePixels, inversionGraph, invertPixels, readPixels, randomPicture, SIZE } from '../pictures';
import { download, downloadOutput, assertThat, type Report, run, type Stage, CheckFailure } from '../stage';
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
		assertThat(referenceName(value.reference) === wanted, `a loader would be given "${referenceName(value.reference)}", not "${wanted}"`);
		return { said: `${value.file.length} bytes as ${wanted}`, value };
	});
	const needed = (): Uploaded => {
		if (uploaded === undefined) throw new CheckFailure('not tried, because the upload did not hold');
		return uploaded;
	};

	await report.check('Upload again', async () => {
		const { file, reference } = needed();
		const same = referenceName((await upload(stage, file)).reference);
		assertThat(same === referenceName(reference), `the same bytes got another name: ${same}`);
		const other = referenceName((await upload(stage, await randomPicture())).reference);
		assertThat(other !== same, 'other bytes under the same name replaced the first file');
		return { said: `the same bytes have the same name; others got ${other}` };
	});

	await report.check('Load and invert', async () => {
		const { file, reference } = needed();
		const { file: result, output } = await downloadOutput(stage, await run(stage, inversionGraph(reference, `${stage.folder}/inverted`)));
		const input = await readPixels(file);
		assertSamePixels(invertPixels(input), await readPixels(result), ROUNDING);
		assertThat(output.reference != null, 'the output cannot be an input of another job');
		const { file: again } = await downloadOutput(stage, await run(stage, inversionGraph(output.reference, `${stage.folder}/passed-on`)));
		assertSamePixels(invertPixels(await readPixels(result)), await readPixels(again), ROUNDING);
		return { said: `all ${input.data.length / 3} pixels are the uploaded ones, inverted, and again by another job` };
	});

	// The API proxy does not accept masks.
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
		assertThat(isRecord(masked) && typeof masked.url === 'string', 'the answer names no file');
		const [picture, alpha, result] = [
			await readPixels(file),
			await readPixels(mask, 4),
			await readPixels(await download(stage, masked.url), 4),
		];
		const data = Buffer.from(
			alpha.data.map((value, place) => (place % 4 === 3 ? value : (picture.data[Math.floor(place / 4) * 3 + (place % 4)] ?? 0))),
		);
		assertSamePixels({ data, size: picture.size }, result);
		return { said: `${String(masked.name)} has the picture's colors and the mask's transparency` };
	});
}

async function upload({ connection, inputFolder, signal }: Stage, file: Buffer): Promise<Uploaded> {
	const { asset } = await connection.assets.upload(pngSource(file), { filePath: `${inputFolder}/${NAME}`, signal });
	return { asset, reference: connection.assets.reference(asset), file };
}

/** A path for ComfyUI itself, an id for the API proxy. */
const referenceName = (reference: AssetReference): string => (typeof reference === 'string' ? reference : reference.info.id);

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
			assertThat(one !== undefined, `${path} is not in the list`);
			assertThat(one.isApp === (path === app), `${path} counts as ${one.isApp ? 'an app' : 'a workflow'}`);
			const age = one.modifiedAt === null ? 0 : Math.abs(Date.now() - Date.parse(one.modifiedAt));
			assertThat(age < RECENT_MS, `${path}, saved just now, is of ${one.modifiedAt}`);
		}
		return { said: `a workflow and an app, among ${listed.length} that are saved`, value: true };
	});
	const needed = (): void => {
		if (saved === undefined) throw new CheckFailure('not tried, because nothing could be saved');
	};

	await report.check('Run by name', async () => {
		needed();
		const { graph, title } = await loadWorkflow(stage, `${folder}/drawn`);
		await assertColor(stage, graph, made.plain);
		return { said: `"${title}" was converted and made its color` };
	});

	await report.check('Run an app', async () => {
		needed();
		const { graph, file, definitions } = await loadWorkflow(stage, `${folder}/chosen`);
		const [input, ...others] = readApp(file, graph, definitions)?.inputs ?? [];
		assertThat(input !== undefined && others.length === 0, `the app shows ${others.length} inputs, not 1`);
		const color = anyColor();
		await assertColor(
			stage,
			applyInputs(graph, { [input.input.nodeId]: { [input.input.input]: convertValue(input.input, color) } }),
			color,
		);
		return { said: `its one input, ${input.label}, was filled in` };
	});

	await report.check('Deleted workflow', async () => {
		needed();
		for (const path of [plain, app]) await request(stage, path, { method: 'DELETE' });
		const read = await outcomeOf(readChosenWorkflow(library, plain, { signal }));
		assertThat(!read.ok && read.error instanceof ApiError && read.error.code === 'workflow_not_found', 'it is still read');
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
async function loadWorkflow({ connection, signal }: Stage, name: string): Promise<Loaded> {
	const { content: file, title } = await readChosenWorkflow(connection.library as WorkflowLibrary, name, { signal });
	const definitions = (await connection.control?.nodeDefinitions({ classes: listClasses(file), signal })) ?? {};
	const { graph, notes } = convertWorkflow(file, definitions);
	assertThat(notes.length === 0, `the conversion was not sure: ${JSON.stringify(notes)}`);
	return { graph, file, definitions, title };
}

async function assertColor(stage: Stage, graph: ApiGraph, color: number): Promise<void> {
	const { file } = await downloadOutput(stage, await run(stage, graph));
	assertSamePixels(solidColor(color), await readPixels(file));
}

const save = async (stage: Stage, path: string, workflow: JsonRecord): Promise<void> =>
	await request(stage, path, { method: 'POST', body: JSON.stringify(workflow) });

/** Only the editor writes: this package does not. */
async function request({ url, headers, signal }: Stage, path: string, init: RequestInit): Promise<void> {
	const address = `${url.replace(/\/+$/, '')}/api/userdata/${encodeURIComponent(`workflows/${path}`)}`;
	const { ok, status } = await fetch(address, { ...init, signal, headers });
	assertThat(ok, `ComfyUI answered HTTP ${status} to ${init.method} of ${path}`);
}
