import { OverallPercent } from '../../../../client/comfyui/progress/overallPercent';

const node = (nodeId: string, value: number, max: number, state: string) => ({ nodeId, value, max, state });

test('by the size of the graph: cached and finished nodes, and what is done of the running one', () => {
	const percent = new OverallPercent();
	percent.setTotal(4);
	expect(percent.snapshot()).toEqual({ value: 0, nodes_done: 0, nodes_total: 4, current_node: null, step: null, steps: null });
	percent.cached(['1']);
	percent.executing('2');
	expect(percent.snapshot()).toEqual({ value: 0.25, nodes_done: 1, nodes_total: 4, current_node: '2', step: null, steps: null });
	percent.stepped('2', 5, 10);
	expect(percent.snapshot()).toEqual({ value: 0.375, nodes_done: 1, nodes_total: 4, current_node: '2', step: 5, steps: 10 });
	percent.executing('3');
	expect(percent.snapshot()).toMatchObject({ value: 0.5, nodes_done: 2, current_node: '3', step: null });
	percent.executed('3');
	expect(percent.snapshot()).toMatchObject({ value: 0.75, nodes_done: 3, current_node: null });
});

test('without a size, at least one more node may come', () => {
	const percent = new OverallPercent();
	percent.executing('1');
	expect(percent.snapshot()).toMatchObject({ value: 0, nodes_total: 2 });
	percent.executing('2');
	expect(percent.snapshot()).toMatchObject({ value: 1 / 3, nodes_done: 1, nodes_total: 3 });
	percent.executing(null);
	expect(percent.snapshot()).toMatchObject({ value: 2 / 3, nodes_done: 2, nodes_total: 3, current_node: null });
});

test('progress_state that lists pending nodes gives the size', () => {
	const percent = new OverallPercent();
	percent.told([node('1', 1, 1, 'finished'), node('2', 1, 2, 'running'), node('3', 0, 1, 'pending'), node('4', 0, 1, 'pending')]);
	expect(percent.snapshot()).toEqual({ value: 0.375, nodes_done: 1, nodes_total: 4, current_node: '2', step: 1, steps: 2 });
	percent.told([node('1', 1, 1, 'finished'), node('2', 2, 2, 'finished'), node('3', 0, 1, 'running'), node('4', 0, 1, 'running')]);
	expect(percent.snapshot()).toMatchObject({ value: 0.5, nodes_done: 2, nodes_total: 4, current_node: '3' });
});

test('progress_state without pending nodes does not', () => {
	const percent = new OverallPercent();
	percent.told([node('1', 1, 1, 'finished')]);
	expect(percent.snapshot()).toMatchObject({ value: 0.5, nodes_total: 2 });
});

test('nodes that run at the same time all count', () => {
	const percent = new OverallPercent();
	percent.setTotal(4);
	percent.executing('2');
	percent.told([node('1', 1, 4, 'running'), node('2', 3, 4, 'running')]);
	expect(percent.snapshot()).toMatchObject({ value: 0.25, current_node: '2', step: 3, steps: 4 });
});

test('nodes inside of nodes count once each, and stretch a size that is too small', () => {
	const percent = new OverallPercent();
	percent.setTotal(2);
	for (const nodeId of ['5', '5.0.0.7', '12:3', '5.0.0.7', '12:3']) percent.executing(nodeId);
	expect(percent.snapshot()).toMatchObject({ nodes_total: 3, nodes_done: 2 });
});

test('never falls, and is not the whole before success', () => {
	const percent = new OverallPercent();
	percent.setTotal(2);
	percent.executing('1');
	percent.stepped('1', 8, 10);
	expect(percent.snapshot()).toMatchObject({ value: 0.4, step: 8 });
	percent.stepped('1', 1, 10);
	expect(percent.snapshot()).toMatchObject({ value: 0.4, step: 1 });
	percent.cached(['1', '2']);
	expect(percent.snapshot()).toMatchObject({ value: 0.99, nodes_done: 2 });
	expect(percent.succeeded()).toEqual({ value: 1, nodes_done: 2, nodes_total: 2, current_node: null, step: null, steps: null });
});

test('a size that comes late replaces what was guessed', () => {
	const percent = new OverallPercent();
	percent.cached(['1', '2', '3']);
	expect(percent.snapshot().value).toBe(0.75);
	percent.setTotal(30);
	expect(percent.snapshot().value).toBe(0.1);
});

test('a step without a node belongs to the running one; of a node that is done it is late', () => {
	const percent = new OverallPercent();
	percent.setTotal(2);
	percent.stepped(null, 1, 2);
	expect(percent.snapshot().value).toBe(0);
	percent.executing('1');
	percent.stepped(null, 1, 2);
	expect(percent.snapshot()).toMatchObject({ value: 0.25, step: 1, steps: 2 });
	percent.executing('2');
	percent.stepped('1', 1, 2);
	expect(percent.snapshot()).toMatchObject({ value: 0.5, nodes_done: 1, current_node: '2', step: null });
});

test.each([
	[0, 0, 0],
	[5, 0, 0],
	[9, 3, 0.5],
])('step %d of %d is worth %d of two nodes', (value, max, expected) => {
	const percent = new OverallPercent();
	percent.setTotal(2);
	percent.stepped('1', value, max);
	expect(percent.snapshot().value).toBe(expected);
});

test('endless nodes are not counted one by one', () => {
	const percent = new OverallPercent();
	for (let nodeId = 0; nodeId < 20_000; nodeId++) percent.cached([String(nodeId)]);
	expect(percent.size).toBe(5_000);
});
