import { type App, convertWorkflow, exactText, readApp } from '../../../../client';
import { definitions } from '../convert/support/recordings';
import { type Recorded, recorded, recordedNames, withMarks } from './support';

const appIn = ({ workflow, output }: Recorded): App => readApp(workflow, output, definitions)!;

const placesOf = ({ inputs }: App): string[][] => inputs.map(({ input, also }) => [input, ...also].map(({ name }) => name));

/** The target of a primitive node whose widget the frontend loses when it opens the file again. */
const LOST_PRIMITIVE = '2.text';

/** @returns what a single mark must become, from what ComfyUI shows for it. */
function expectedOf(shown: Recorded['shown'][number]): { places: string[][]; labels?: string[]; missing: number } {
	if (shown !== null && 'unknown' in shown) return { places: [[LOST_PRIMITIVE]], missing: 0 };
	if (shown === null || !('label' in shown) || shown.places.length === 0) return { places: [], missing: 1 };
	// A dynamic choice changes which inputs there are, so only the choice itself counts.
	const places = shown.places.filter((place) => !shown.places.some((other) => place.startsWith(`${other}.`)));
	return { places: [places], labels: [shown.label], missing: 0 };
}

test.each(recordedNames)('the app %s has the inputs and outputs that ComfyUI shows, also in the graph of our converter', (name) => {
	const app = recorded(name);
	const marked = app.workflow.extra?.linearData?.inputs ?? [];
	const alone = marked.map((mark) => withMarks(app, [mark])!);
	const labels = alone.map(({ inputs }) => inputs.map(({ label }) => label));
	expect(alone.map((one, at) => ({ places: placesOf(one), labels: labels[at], missing: one.missing.length }))).toMatchObject(
		app.shown.map(expectedOf),
	);
	const whole = readApp(app.workflow, app.output, definitions);
	expect(readApp(app.workflow, convertWorkflow(app.workflow, definitions).graph, definitions)).toEqual(whole);
	expect(whole === undefined).toBe(name === 'empty');
	expect(whole?.inputs.map(({ id }) => id) ?? []).toEqual(app.shown.flatMap((shown) => expectedOf(shown).places.map(([first]) => first)));
	for (const id of whole?.outputs ?? []) expect(app.output).toHaveProperty([id]);
});

test('an app uses the ids of the converted graph if several subgraphs have the same ids', () => {
	const { workflow } = recorded('subgraph');
	const twice: Record<number, number> = { 3: 1, 4: 6, 5: 2 };
	const renamed = JSON.parse(exactText(workflow), (key, value: unknown) =>
		['origin_id', 'target_id'].includes(key) ? (twice[Number(value)] ?? value) : value,
	) as typeof workflow & { definitions: { subgraphs: Array<{ nodes: Array<{ id: number }> }> } };
	for (const node of renamed.definitions.subgraphs[0]!.nodes) node.id = twice[node.id]!;
	const app = readApp(renamed, convertWorkflow(renamed, definitions).graph, definitions)!;
	const valuesOf = ({ inputs }: App) => inputs.map(({ label, input: { value } }) => [label, value]);
	expect([app.missing, valuesOf(app)]).toEqual([[], valuesOf(appIn(recorded('subgraph')))]);
});

test('an app has the author’s description, and the limits of the definition', () => {
	const [words, , steps, sampler] = appIn(recorded('renamed')).inputs;
	expect(words).toMatchObject({
		id: '2.text',
		label: 'What to draw',
		description: 'One sentence',
		input: { value: 'a red fox in the snow', kind: 'text' },
	});
	expect(steps!.input).toMatchObject({ kind: 'integer', limits: { min: 1, max: 10000 } });
	expect(sampler!.input.limits!.choices).toContain('euler');
});

test('the title of the node tells inputs with the same label apart', () => {
	expect(appIn(recorded('same-words')).inputs.map(({ label }) => label)).toEqual([
		'text (Negative)',
		'text (Positive)',
		'filename_prefix (Second #7)',
		'filename_prefix (Second #8)',
	]);
});

test('outputs inside subgraphs are found by the subgraph node or by their own id', () => {
	expect(appIn(recorded('nested')).outputs).toEqual(['9:7']);
	expect(appIn(recorded('output-inside')).outputs).toEqual(['8:7']);
});

test('a mark that the workflow no longer has is reported with the reason', () => {
	expect(appIn(recorded('plain-ids')).missing).toEqual([
		{ is: 'input', label: 'text', why: 'gone' },
		{ is: 'input', label: 'colour', why: 'gone' },
		{ is: 'input', label: 'control_after_generate', why: 'not_sent' },
		{ is: 'output', label: '77', why: 'gone' },
	]);
	expect(appIn(recorded('muted')).missing.map(({ why }) => why)).toEqual(['inactive', 'inactive', 'inactive']);
	expect(appIn(recorded('primitive')).missing).toEqual([{ is: 'input', label: 'width', why: 'linked' }]);
});
