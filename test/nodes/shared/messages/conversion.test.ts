import { type ConversionNote, type ConversionRefusal, GraphError, parseExact } from '../../../../client';
import { readCredential } from '../../../../nodes/shared/credentials';
import { noteLines, refusalLines } from '../../../../nodes/shared/explain/conversion';
import { wordsFor } from '../../../../nodes/shared/explain/wordsFor';

const told = (...refusals: ConversionRefusal[]) => wordsFor(new GraphError({ fault: 'not_convertible', refusals }));
const missing = (nodeId: string, className: string, pack?: string): ConversionRefusal => ({
	refusal: 'unknown_class',
	nodeId,
	title: className,
	className,
	pack,
});

it.each([
	[
		'it',
		'the node "FirstNew" that the workflow uses (node 5 "My step")',
		[{ ...missing('5', 'FirstNew', 'comfy-core'), title: 'My step' }],
	],
	[
		'them',
		'2 nodes that the workflow uses: FirstNew and OtherNew',
		['FirstNew', 'OtherNew'].map((name) => missing('5', name, 'comfy-core')),
	],
] as const)('advises an update if ComfyUI contains %s, and a replacement on a service: %s', (them, named, refusals) => {
	const error = new GraphError({ fault: 'not_convertible', refusals: [...refusals] as ConversionRefusal[] });
	expect(wordsFor(error)).toMatchObject({
		message: `This ComfyUI does not have ${named}`,
		advice: expect.stringContaining(`Nothing was sent. Update ComfyUI: a newer version has ${them}.`) as string,
	});
	expect(wordsFor(error, readCredential('comfyApi', {}))).toMatchObject({
		message: `The service does not have ${named}`,
		advice: expect.stringContaining(`Replace ${them} in the workflow, or run the workflow on a ComfyUI that has ${them}.`) as string,
	});
});

it('gives each of several missing nodes its own cause', () => {
	const { message, advice } = told(
		missing('1', 'KlingFutureVideoNode'),
		missing('2', 'Frobnicate'),
		missing('3', 'PreviewBridge'),
		missing('4', 'VAELoader', 'comfy-core'),
		missing('5', 'PreviewBridge'),
	);
	expect(message).toBe('This ComfyUI does not have 4 nodes that the workflow uses: KlingFutureVideoNode, Frobnicate and 2 more');
	expect(advice.split('\n').slice(0, -1)).toEqual([
		expect.stringMatching(/^Nothing was sent\. Update ComfyUI, or install the custom nodes that contain them\./),
		'KlingFutureVideoNode (node 1): probably a partner node of a newer ComfyUI.',
		'Frobnicate (node 2): part of a newer ComfyUI or of custom nodes; the workflow does not show which.',
		'PreviewBridge (nodes 3, 5): probably part of the custom nodes ComfyUI-Impact-Pack.',
		'VAELoader (node 4): part of a newer ComfyUI.',
	]);
});

it('several problems are listed below each other', () => {
	const { message, advice } = told(
		missing('5', 'Frobnicate'),
		{ refusal: 'unknown_widgets', nodeId: '7', title: 'Painter', className: 'PainterNode' },
		{ refusal: 'broken_link', nodeId: '12:3', title: 'KSampler', className: 'KSampler', input: 'model' },
	);
	expect(message).toContain('(and 2 more problems, see below)');
	expect(advice).toMatch(/\nAn extension of the editor shows the inputs of node 7 "Painter" \(PainterNode\).*File > Export \(API\)/);
	expect(advice).toContain('\nThe link to model of node 12:3 (KSampler) has no source or leads in a circle.');
});

it.each<ConversionRefusal>([
	{ refusal: 'broken_file', detail: 'nodes is no list' },
	{ refusal: 'unknown_subgraph', nodeId: '3', title: 'Upscale', className: '0a-1b' },
	{ refusal: 'cyclic_subgraph', nodeId: '3', title: 'Upscale', className: '0a-1b' },
	{ refusal: 'unknown_widgets', nodeId: '3', title: 'Time', className: 'CurrentTime', input: 'now' },
	{ refusal: 'hidden_links', nodeId: '3', title: 'Everywhere', className: 'Anything Everywhere' },
	{ refusal: 'too_large', detail: 'it has 200,000 nodes' },
])('%j becomes a line with its facts', ({ refusal, ...facts }) => {
	const [line = '', ...more] = refusalLines([{ refusal, ...facts } as ConversionRefusal]);
	for (const fact of Object.values(facts)) expect(line).toContain(fact);
	expect(more).toEqual([]);
});

it('a broken file with thousands of problems gives a short message', () => {
	const lines = refusalLines(
		Array.from({ length: 5_000 }, (_, index) => ({ refusal: 'broken_link', nodeId: String(index), title: 'T', className: `C${index}` })),
	);
	expect(lines).toHaveLength(51);
	expect(lines.at(-1)).toBe('And 4950 more.');
	const { message, advice } = told(
		...Array.from({ length: 5_000 }, (_, index) => missing(String(index), 'x'.repeat(5_000), 'y'.repeat(5_000))),
	);
	expect(message.length + advice.length).toBeLessThan(3_000);
});

const note = (nodeId: string, more: object): ConversionNote =>
	({ nodeId, title: 'Sampler', className: 'KSampler', input: 'steps', ...more }) as ConversionNote;

it('a note line names a node once, with each input, its value digit by digit, what is expected, and which link is used', () => {
	const seed = (parseExact('{"a": 18446744073709551615}') as { a: unknown }).a;
	const lines = noteLines([
		note('5', { note: 'widget_guessed', input: 'cfg', value: [1, 2] }),
		note('5', { note: 'value_by_name', input: 'seed', value: seed, instead: 'flow' }),
		note('5', { note: 'value_does_not_fit', value: 'abc', expected: 'integer' }),
		note('6', { note: 'link_dropped', input: 'model.image', value: ['2', 0], choice: 'model' }),
		note('7', { note: 'link_contested', input: 'positive', value: ['12', 0] }),
		note('8', { note: 'link_contested', input: 'negative', value: null }),
		note('9', { note: 'link_by_extension', input: 'vae', value: ['1', 2] }),
		note('10', { note: 'random_seed', input: 'seed', value: -1 }),
	]);
	const says: RegExp[] = [
		/steps is "abc", but ComfyUI expects a whole number; cfg is \[1,2\].*; seed is 18446744073709551615\. .*"flow".* Check these values/,
		/model\.image.* of model\. Check this value/,
		/the link to positive\. The link from node 12 is used/,
		/the link to negative\. No link is used/,
		/the link to vae is from the extension/,
		/seed is -1, which stands for a random seed/,
	];
	expect(lines).toEqual(says.map((words) => expect.stringMatching(words) as string));
	expect(lines.map((line) => /^Node (\d+) "Sampler" \(KSampler\): /.exec(line)?.[1])).toEqual(['5', '6', '7', '8', '9', '10']);
});

it('nodes of one class with the same values share a line', () => {
	expect(noteLines(['5', '7', '9'].map((id) => note(id, { note: 'value_does_not_fit', value: 20, expected: 'text' })))).toEqual([
		'Nodes 5, 7, 9 (KSampler): steps is 20, but ComfyUI expects a text. Check this value in ComfyUI.',
	]);
});

it('a wrong value stands before 40 others of its node', () => {
	const guessed = Array.from({ length: 40 }, (_, at) => note('5', { note: 'widget_guessed', input: `i${at}`, value: at }));
	const [line = ''] = noteLines([...guessed, note('5', { note: 'value_does_not_fit', value: 'abc', expected: 'number' })]);
	expect(line).toContain('(KSampler): steps is "abc", but ComfyUI expects a number; i0 is 0');
	expect(line).toContain('and 11 more. Check');
});
