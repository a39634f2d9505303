import { type ConversionNote, type ConversionRefusal, GraphError, parseExact } from '../../../../client';
import { wordsFor } from '../../../../nodes/shared/messages/wordsFor';
import { noteLines, refusalLines } from '../../../../nodes/shared/messages/conversion';

const told = (...refusals: ConversionRefusal[]) => wordsFor(new GraphError({ fault: 'not_convertible', refusals }));
const missing = (nodeId: string, className: string, pack?: string): ConversionRefusal => ({
	refusal: 'unknown_class',
	nodeId,
	title: className,
	className,
	pack,
});

it('a missing class is named by class and node, with the pack that the file names', () => {
	const { message, advice } = told({ ...missing('5', 'Frobnicate', 'acme/ComfyUI-Frob'), title: 'My step' } as ConversionRefusal);
	expect(message).toBe('Workflow cannot be converted: ComfyUI there has no node class "Frobnicate" (node 5 "My step")');
	expect(advice).toContain('Nothing was sent. Install the custom nodes acme/ComfyUI-Frob, which bring it');
	expect(advice).toContain('Install Missing Custom Nodes');
});

it('ten missing classes of one pack are one sentence', () => {
	const { message, advice } = told(...Array.from({ length: 10 }, (_, index) => missing(String(index), `VHS_Node${index}`)));
	expect(message).toContain('ComfyUI there has no node classes "VHS_Node0" (node 0)');
	expect(message).toContain('and 2 more');
	expect(message).not.toContain('see below');
	expect(advice).toContain('ComfyUI-VideoHelperSuite, which probably bring them');
	expect(advice.split('\n')).toHaveLength(2);
	expect(advice).toMatch(/\nComfy Manage Jobs > Check Workflow lists all that is missing/);
});

it('a class of ComfyUI itself asks for a newer ComfyUI', () => {
	expect(told(missing('5', 'BrandNewNode', 'comfy-core')).advice).toContain('Update ComfyUI: newer versions have it.');
});

it('several things are told one below the other', () => {
	const { message, advice } = told(
		missing('5', 'Frobnicate'),
		{ refusal: 'unknown_widgets', nodeId: '7', title: 'Painter', className: 'PainterNode' },
		{ refusal: 'broken_link', nodeId: '12:3', title: 'KSampler', className: 'KSampler', input: 'model' },
	);
	expect(message).toContain('(and 2 more things, see below)');
	expect(advice).toMatch(/\nThe inputs of node 7 "Painter" \(PainterNode\) are drawn by an extension.*File > Export \(API\)/);
	expect(advice).toContain('\nThe link into model of node 12:3 (KSampler) leads nowhere or in a circle.');
});

it.each<[ConversionRefusal, RegExp]>([
	[{ refusal: 'broken_file', detail: 'nodes is no list' }, /The file is broken: nodes is no list\. Open the workflow in ComfyUI/],
	[
		{ refusal: 'unknown_subgraph', nodeId: '3', title: 'Upscale', className: '0a-1b' },
		/Node 3 "Upscale" \(0a-1b\) stands for a subgraph that is not in the file/,
	],
	[
		{ refusal: 'cyclic_subgraph', nodeId: '3', title: 'Upscale', className: '0a-1b' },
		/The subgraph of node 3 "Upscale" \(0a-1b\) contains itself/,
	],
	[
		{ refusal: 'hidden_links', nodeId: '3', title: 'Everywhere', className: 'Anything Everywhere' },
		/An extension of the editor links node 3 "Everywhere" \(Anything Everywhere\) to other nodes.*Export \(API\)/,
	],
	[{ refusal: 'nothing_to_run' }, /muted, bypassed or a note\. Enable its nodes/],
	[{ refusal: 'too_large', detail: 'it has 200,000 nodes' }, /too large to be converted here: it has 200,000 nodes\. .*Export \(API\)/],
])('%j is told as a line', (refusal, line) => expect(refusalLines([refusal])[0]).toMatch(line));

it('a broken file that names thousands of things fills no screen', () => {
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

it('notes name node, input and value, digit by digit', () => {
	const seed = (parseExact('{"a": 18446744073709551615}') as { a: unknown }).a;
	expect(
		noteLines([
			note('5', { note: 'value_does_not_fit', value: 'abc' }),
			note('5', { note: 'value_does_not_fit', value: seed }),
			note('5', { note: 'widget_guessed', value: [1, 2] }),
		]),
	).toEqual([
		'Node 5 "Sampler" (KSampler), steps: "abc" does not fit what ComfyUI takes there. It was kept as it stands.',
		'Node 5 "Sampler" (KSampler), steps: 18446744073709551615 does not fit what ComfyUI takes there. It was kept as it stands.',
		'Node 5 "Sampler" (KSampler), steps: [1,2] was taken as the workflow holds it; this node’s own display in the editor may write something else.',
	]);
});

it('nodes of which the same is said share a line', () => {
	expect(noteLines(['5', '7', '9'].map((id) => note(id, { note: 'value_does_not_fit', value: 20 })))).toEqual([
		'Nodes 5, 7, 9 (KSampler), steps: 20 does not fit what ComfyUI takes there. It was kept as it stands.',
	]);
});
