import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFileInputs, listInputs, parseGraph } from '../../client';
import type { WorkflowDocument } from '../../scripts/n8nHost/documents';

const folder = join(__dirname, '../../examples');
const examples = readdirSync(folder).filter((name) => name.endsWith('.json'));
const read = (name: string): WorkflowDocument => JSON.parse(readFileSync(join(folder, name), 'utf8')) as WorkflowDocument;

interface Box {
	name: string;
	left: number;
	top: number;
	right: number;
	bottom: number;
}

/** As the canvas draws them: a node with its name below it, a note in its own size. */
function boxesOf({ nodes }: WorkflowDocument): Box[] {
	return nodes.map(({ name, type, position: [left, top], parameters }) => {
		const [width, height] = type.endsWith('.stickyNote') ? [Number(parameters.width), Number(parameters.height)] : [100, 130];
		return { name, left, top, right: left + width, bottom: top + height };
	});
}

const overlap = (one: Box, other: Box): boolean =>
	one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

const LINE_HEIGHT = 24;
const CHARACTER_WIDTH = 7;

/** What a note's text takes, somewhat more than less. */
function heightOf(content: string, width: number): number {
	const inLine = Math.floor((width - 40) / CHARACTER_WIDTH);
	return (
		40 + content.split('\n').reduce((sum, line) => sum + LINE_HEIGHT * Math.max(line === '' ? 0.5 : 1, Math.ceil(line.length / inLine)), 0)
	);
}

interface Example {
	name: string;
	boxes: Box[];
	notes: WorkflowDocument['nodes'];
}

const all: Example[] = examples.map((name) => {
	const example = read(name);
	return { name, boxes: boxesOf(example), notes: example.nodes.filter(({ type }) => type.endsWith('.stickyNote')) };
});

it('nothing on the canvas of an example covers something else', () => {
	const pairs = all.flatMap(({ name, boxes }) =>
		boxes.flatMap((one, index) =>
			boxes
				.slice(index + 1)
				.filter((other) => overlap(one, other))
				.map((other) => `${name}: ${one.name} and ${other.name}`),
		),
	);
	expect(pairs).toEqual([]);
});

it('the notes of an example are large enough for their texts', () => {
	const tooLong = all.flatMap(({ name, notes }) =>
		notes
			.filter(({ parameters }) => heightOf(String(parameters.content), Number(parameters.width)) > Number(parameters.height))
			.map((note) => `${name}: ${note.name}`),
	);
	expect(tooLong).toEqual([]);
});

interface Row {
	input: { value: string; cachedResultName: string; cachedResultUrl: string };
}

const rowsIn = (collection: unknown): Row[] => (collection as { values?: Row[] } | undefined)?.values ?? [];

it('the rows of an example are in its workflow, under the names of the list', () => {
	const runs = examples.flatMap((name) =>
		read(name).nodes.filter(({ type, parameters }) => /comfyRunWorkflow(Tool)?$/.test(type) && parameters.workflowSource === 'json'),
	);
	expect(runs.length).toBeGreaterThanOrEqual(6);
	for (const { parameters } of runs) {
		const graph = parseGraph(String(parameters.workflow));
		for (const [rows, known] of [
			[rowsIn(parameters.inputs), listInputs(graph)],
			[rowsIn(parameters.files), listFileInputs(graph)],
		] as const) {
			for (const { input } of rows) {
				expect(known).toContainEqual(expect.objectContaining({ name: input.value, label: input.cachedResultName }));
				expect(input.cachedResultUrl).toMatch(/docs\/workflows\.md$/);
			}
		}
	}
});

it('the list names every example, and an end-to-end test runs it', () => {
	const list = readFileSync(join(folder, 'README.md'), 'utf8');
	const tests = ['../e2e', '../e2e/recipes']
		.map((suites) => join(__dirname, suites))
		.flatMap((suites) => readdirSync(suites).map((name) => join(suites, name)))
		.filter((path) => path.endsWith('.e2e.ts'))
		.map((path) => readFileSync(path, 'utf8'))
		.join('\n');
	expect(examples.filter((name) => !list.includes(`](${name})`))).toEqual([]);
	expect(examples.filter((name) => !tests.includes(`'${name.replace('.json', '')}'`))).toEqual([]);
});

it('an example with paid jobs saves the progress of its executions, so finished jobs stay when n8n crashes', () => {
	const paying = examples.filter((name) =>
		read(name).nodes.some(({ type }) => /comfy(RunWorkflow|SubmitWorkflow|RunRouterModel)(Tool)?$/.test(type)),
	);
	expect(paying.length).toBeGreaterThanOrEqual(11);
	expect(paying.filter((name) => read(name).settings?.saveExecutionProgress !== true)).toEqual([]);
});
