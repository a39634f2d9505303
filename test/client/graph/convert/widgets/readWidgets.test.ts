import { parseExact } from '../../../../../client/json/exactJson';
import type { EditorNode } from '../../../../../client/graph/convert/editorGraph';
import { readWidgets } from '../../../../../client/graph/convert/widgets/readWidgets';
import { definitions } from '../support/recordings';

const node = (className: string, values: EditorNode['values'], more: Partial<EditorNode> = {}): EditorNode => ({
	id: '7',
	className,
	mode: 0,
	inputs: [],
	outputs: [],
	values,
	overrides: new Map(),
	properties: {},
	...more,
});

const of = (className: string, values: EditorNode['values'], more: Partial<EditorNode> = {}, linked: string[] = []) =>
	readWidgets(node(className, values, more), definitions[className] ?? {}, (input) => linked.includes(input));

describe('readWidgets', () => {
	it('reads values by name in any order, and takes absent ones from the definition', () => {
		const { values, notes } = of('KSampler', { denoise: 0.5, seed: 3, nothing: 1, steps: 9 });
		expect(Object.fromEntries(values)).toEqual({ seed: 3, steps: 9, cfg: 8, sampler_name: 'euler', scheduler: 'simple', denoise: 0.5 });
		expect(notes).toEqual([]);
	});

	it('reads values by name behind choices', () => {
		const { values } = of('ResizeImageMaskNode', { 'resize_type.width': 77, resize_type: 'scale dimensions' });
		expect(values.get('resize_type.width')).toBe(77);
	});

	it('reads lists from before seeds had a control, and notes it', () => {
		const { values, notes } = of('KSampler', [5, 20, 8, 'euler', 'normal', 1]);
		expect(Object.fromEntries(values)).toEqual({ seed: 5, steps: 20, cfg: 8, sampler_name: 'euler', scheduler: 'normal', denoise: 1 });
		expect(notes.map(({ note, input }) => [note, input])).toEqual([
			['widget_guessed', 'steps'],
			['widget_guessed', 'cfg'],
			['widget_guessed', 'sampler_name'],
			['widget_guessed', 'scheduler'],
		]);
	});

	it('overrides a choice, and then uses the defaults of the new option', () => {
		const { values } = of(
			'ResizeImageMaskNode',
			{ resize_type: 'scale dimensions', 'resize_type.width': 77 },
			{
				overrides: new Map<string, unknown>([
					['resize_type', 'scale by multiplier'],
					['constructor', 1],
				]),
			},
		);
		expect([...values.keys()].filter((name) => name.startsWith('resize_type'))).toEqual(['resize_type', 'resize_type.multiplier']);
		expect(values.has('constructor')).toBe(false);
	});

	it('keeps and lists a text with choices, and removes comments from other texts', () => {
		expect(of('CLIPTextEncode', ['a {red|blue} car // now']).dynamicPrompts).toEqual(['text']);
		expect(of('CLIPTextEncode', ['a {red|blue} car // now']).values.get('text')).toBe('a {red|blue} car // now');
		expect(of('CLIPTextEncode', ['a {red} \\{car\\} // now'])).toMatchObject({
			dynamicPrompts: [],
			values: new Map([['text', 'a red {car} ']]),
		});
		expect(of('CLIPTextEncode', ['a {red|blue}'], {}, ['text']).dynamicPrompts).toEqual([]);
	});

	it.each([
		[
			'a broken definition',
			{
				input: {
					required: {
						a: 5,
						b: [],
						c: [5],
						d: [null, null],
						e: ['INT', 'x'],
						f: ['COMFY_DYNAMICCOMBO_V3', { options: [null, { key: null }] }],
						g: ['COMFY_AUTOGROW_V3', { template: 7 }],
						h: ['COMFY_MATCHTYPE_V3'],
					},
					optional: 3,
				},
				input_order: { required: 'a', optional: [null, '__proto__'] },
			},
		],
		['none at all', {}],
		[
			'names of an object’s own',
			parseExact(
				'{"input":{"required":{"__proto__":["STRING",{"default":"x"}],"constructor":["INT"],"toString":["COMFY_DYNAMICCOMBO_V3",{"options":[{"key":"__proto__","inputs":{"required":{"valueOf":["INT"]}}}]}]}}}',
			) as Record<string, unknown>,
		],
		[
			'as many inputs as it likes',
			{ input: { required: { g: ['COMFY_AUTOGROW_V3', { template: { min: 1e9, max: 1e9, input: { required: { a: ['INT'] } } } }] } } },
		],
	])('ends for %s', (_, definition) => {
		for (const values of [
			undefined,
			[],
			[null, {}, [], '', 5, true],
			parseExact('{"__proto__":1,"constructor":2,"toString":"constructor"}') as Record<string, unknown>,
			Array.from({ length: 100_000 }, () => 'x'),
		]) {
			expect(readWidgets(node('Any', values), definition).refusals).toEqual([]);
		}
	});
});
