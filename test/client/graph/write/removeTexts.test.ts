import { convertWorkflow, removeTexts } from '../../../../client';
import { picture, preview } from '../convert/support/nodes';
import { definitions } from '../convert/support/recordings';
import { file, into, type Json, linked, linkedInside, out, subgraph, withSubgraphs } from '../convert/support/sockets';

const encode = (id: number, text: string, more: Json = {}): Json => ({
	id,
	type: 'CLIPTextEncode',
	inputs: [into('clip', 'CLIP', null)],
	outputs: [out('CONDITIONING')],
	widgets_values: [text],
	...more,
});
const valuesOf = (level: unknown): unknown[] => (level as { nodes: Json[] }).nodes.map(({ widgets_values: values }) => values);

test('prompts and notes are empty, also of muted nodes and of unknown classes, and other values stay', () => {
	const workflow = file(
		[
			encode(1, 'marker one'),
			encode(2, 'marker two', { mode: 2 }),
			{ id: 3, type: 'Note', widgets_values: ['marker three'] },
			{ id: 4, type: 'MarkdownNote', title: 'marker four', widgets_values: ['marker five'], widgets_values_named: { text: 'marker five' } },
			{ id: 5, type: 'ThereIsNoSuchNode', mode: 2, widgets_values: ['marker six', 7] },
			picture(6),
			{ id: 7, type: 'SaveImage', inputs: [into('images', 'IMAGE', 1)], widgets_values: ['for-client'] },
		],
		linked('6>7'),
	);
	removeTexts(workflow, definitions);
	expect(JSON.stringify(workflow)).not.toContain('marker');
	expect(valuesOf(workflow)).toEqual([[''], [''], [''], [''], ['', 7], [64, 64, 1, 0], ['for-client']]);
});

test('a subgraph node loses its promoted texts, and keeps its promoted numbers', () => {
	const inner = subgraph(
		'a',
		[
			encode(11, 'marker inside', { inputs: [into('clip', 'CLIP', null), into('text', 'STRING', 1, 'text')] }),
			picture(12, { inputs: [into('width', 'INT', 2, 'width')] }),
		],
		{
			inputs: [
				{ id: 's', name: 'text', type: 'STRING', linkIds: [1] },
				{ id: 't', name: 'width', type: 'INT', linkIds: [2] },
			],
			outputs: [{ id: 'o', name: 'IMAGE', type: 'IMAGE', linkIds: [3] }],
			links: [...linkedInside('-10>11.1', 'STRING'), ...linkedInside('-10.1>12', 'INT', 2), ...linkedInside('12>-20', 'IMAGE', 3)],
		},
	);
	const host = (id: number, values: unknown[]) => ({ id, type: 'a', inputs: [], outputs: [out('IMAGE')], widgets_values: values });
	const nodes = [host(1, ['marker one', 96]), host(2, ['marker two', 32]), preview(3, 1), preview(4, 2)];
	const workflow = file(nodes, linked('1>3 2>4'), withSubgraphs(inner));
	const before = convertWorkflow(workflow, definitions).graph;
	expect(before['1:11']?.inputs.text).toBe('marker one');
	removeTexts(workflow, definitions);
	expect(JSON.stringify(workflow)).not.toContain('marker');
	const { graph } = convertWorkflow(workflow, definitions);
	expect(['1:12', '2:12'].map((id) => graph[id]?.inputs)).toEqual(['1:12', '2:12'].map((id) => before[id]?.inputs));
});
