import { listOutputNodes } from '../../../../client';
import { inpaint, node } from '../../../support/graphs';
import { findUpstreamNodes } from '../../../../client/graph/inputs/graphNodes';
import { definitions } from '../convert/support/recordings';
import { exported } from './support';

describe('output nodes', () => {
	it('are those that save or show a result, with previews marked as temporary', () => {
		expect(listOutputNodes(inpaint)).toEqual([
			{ nodeId: '9', title: 'Look', label: 'Look', className: 'PreviewImage', isTemporary: true },
			{ nodeId: '10', title: 'Result', label: 'Result', className: 'SaveImage', isTemporary: false },
		]);
		expect(listOutputNodes(exported('workflows/audio-ace-song'), definitions).map(({ nodeId }) => nodeId)).toEqual(['10', '11']);
	});

	it('follow from the definitions, and without them include the nodes at the end', () => {
		const graph = {
			'1': node('Theirs', 'A', { a: ['2', 0], n: 1 }),
			'2': node('Maker', 'A', { n: 1 }),
			'3': node('VHS_VideoCombine', 'A', { images: ['2', 0], rate: 8, save_output: false }),
			'4': node('PreviewAny', 'Text', { source: ['2', 0] }),
		};
		expect(listOutputNodes(graph).map(({ label, isTemporary }) => [label, isTemporary])).toEqual([
			['A (#1)', false],
			['A (#3)', true],
			['Text', false],
		]);
		const known = { Theirs: { output_node: false }, Maker: { output_node: true } };
		expect(listOutputNodes(graph, known).map(({ nodeId }) => nodeId)).toEqual(['2', '3', '4']);
	});

	it('depend on themselves and on all nodes behind them, also in circles', () => {
		expect([...findUpstreamNodes(inpaint, ['8', 'gone'])].sort()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
		const circle = {
			'1': node('A', undefined, { a: ['2', 0], n: 1 }),
			'2': node('A', undefined, { a: ['1', 0], b: ['x', 0] }),
		};
		expect([...findUpstreamNodes(circle, ['1'])]).toEqual(['1', '2']);
	});
});
