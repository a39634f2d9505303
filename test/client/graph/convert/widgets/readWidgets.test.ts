import { parseExact } from '../../../../../client/json/exactJson';
import type { EditorNode } from '../../../../../client/graph/convert/editorGraph';
import { readWidgets } from '../../../../../client/graph/convert/widgets/readWidgets';

const nodeWith = (values: EditorNode['values']): EditorNode => ({
	...{ id: '7', className: 'Any', mode: 0, inputs: [], outputs: [], values },
	overrides: new Map(),
	properties: {},
});

/** What ComfyUI's own frontends make of every other definition is recorded in the graphs `widgets/` and `classes/`. */
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
])('the widgets of a node are read for %s, whatever its values are', (_, definition) => {
	for (const values of [
		undefined,
		[],
		[null, {}, [], '', 5, true],
		parseExact('{"__proto__":1,"constructor":2,"toString":"constructor"}') as Record<string, unknown>,
		Array.from({ length: 100_000 }, () => 'x'),
	]) {
		expect(readWidgets(nodeWith(values), definition).refusals).toEqual([]);
	}
});
