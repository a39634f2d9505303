/** Workflows that ComfyUI keeps: saved as its editor saves them, listed, run by name, deleted. */
import { randomInt } from 'node:crypto';
import {
	ApiError,
	type ApiGraph,
	applyInputs,
	convertValue,
	convertWorkflow,
	type Definitions,
	listClasses,
	outcomeOf,
	readApp,
	readChosenWorkflow,
	type WorkflowLibrary,
} from '../../../client';
import { SIZE, filled, holdSame, pixelsOf } from '../pictures';
import { savedColor } from '../../../test/support/editorGraphs';
import { hold, type Report, Unmet } from '../report';
import { fileOf, run, type Stage } from '../stage';

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
		const [input, ...others] = readApp(file, graph, definitions)?.inputs ?? [];
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
	const definitions = (await connection.control?.nodeDefinitions({ classes: listClasses(file), signal })) ?? {};
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
