import { OverallProgress } from '../../../../client/comfyui/progress/overallProgress';

describe('the overall progress of a job', () => {
	const sized = (total: number): OverallProgress => {
		const overall = new OverallProgress();
		overall.setTotal(total);
		return overall;
	};
	const node = (nodeId: string, value: number, max: number, state: string) => ({ nodeId, value, max, state });

	test('counts cached and finished nodes, and a share of the running one', () => {
		const overall = sized(4);
		expect(overall.snapshot()).toEqual({ value: 0, nodes_done: 0, nodes_total: 4, current_node: null, step: null, steps: null });
		overall.markCached(['1']);
		overall.startNode('2');
		expect(overall.snapshot()).toEqual({ value: 0.25, nodes_done: 1, nodes_total: 4, current_node: '2', step: null, steps: null });
		overall.setStep('2', 5, 10);
		expect(overall.snapshot()).toEqual({ value: 0.375, nodes_done: 1, nodes_total: 4, current_node: '2', step: 5, steps: 10 });
		overall.setStep('2', 5, 0);
		expect(overall.snapshot()).toMatchObject({ current_node: '2', step: null, steps: null });
		overall.startNode('3');
		expect(overall.snapshot()).toMatchObject({ value: 0.5, nodes_done: 2, current_node: '3', step: null });
		overall.finishNode('3');
		expect(overall.snapshot()).toMatchObject({ value: 0.75, nodes_done: 3, current_node: null });
	});

	test('expects one more node if the size of the graph is unknown', () => {
		const overall = new OverallProgress();
		overall.startNode('1');
		expect(overall.snapshot()).toMatchObject({ value: 0, nodes_total: 2 });
		overall.startNode('2');
		expect(overall.snapshot()).toMatchObject({ value: 1 / 3, nodes_done: 1, nodes_total: 3 });
		overall.startNode(null);
		expect(overall.snapshot()).toMatchObject({ value: 2 / 3, nodes_done: 2, nodes_total: 3, current_node: null });
	});

	test('takes the size from progress_state if it lists pending nodes', () => {
		const overall = new OverallProgress();
		overall.setNodeStates([
			node('1', 1, 1, 'finished'),
			node('2', 1, 2, 'running'),
			node('3', 0, 1, 'pending'),
			node('4', 0, 1, 'pending'),
		]);
		expect(overall.snapshot()).toEqual({ value: 0.375, nodes_done: 1, nodes_total: 4, current_node: '2', step: 1, steps: 2 });
		overall.setNodeStates([
			node('1', 1, 1, 'finished'),
			node('2', 2, 2, 'finished'),
			node('3', 0, 1, 'running'),
			node('4', 0, 1, 'running'),
		]);
		expect(overall.snapshot()).toMatchObject({ value: 0.5, nodes_done: 2, nodes_total: 4, current_node: '3' });
		const without = new OverallProgress();
		without.setNodeStates([node('1', 1, 1, 'finished')]);
		expect(without.snapshot()).toMatchObject({ value: 0.5, nodes_total: 2 });
	});

	test('counts all nodes that run at the same time', () => {
		const overall = sized(4);
		overall.startNode('2');
		overall.setNodeStates([node('1', 1, 4, 'running'), node('2', 3, 4, 'running')]);
		expect(overall.snapshot()).toMatchObject({ value: 0.25, current_node: '2', step: 3, steps: 4 });
	});

	test('counts nodes inside of nodes once each, and increases a size that is too small', () => {
		const overall = sized(2);
		for (const nodeId of ['5', '5.0.0.7', '12:3', '5.0.0.7', '12:3']) overall.startNode(nodeId);
		expect(overall.snapshot()).toMatchObject({ nodes_total: 3, nodes_done: 2 });
	});

	test('never falls, and reaches 1 only with success', () => {
		const overall = sized(2);
		overall.startNode('1');
		overall.setStep('1', 8, 10);
		expect(overall.snapshot()).toMatchObject({ value: 0.4, step: 8 });
		overall.setStep('1', 1, 10);
		expect(overall.snapshot()).toMatchObject({ value: 0.4, step: 1 });
		overall.markCached(['1', '2']);
		expect(overall.snapshot()).toMatchObject({ value: 0.99, nodes_done: 2 });
		expect(overall.complete()).toEqual({ value: 1, nodes_done: 2, nodes_total: 2, current_node: null, step: null, steps: null });
	});

	test('counts at most 5,000 nodes', () => {
		const overall = new OverallProgress();
		for (let nodeId = 0; nodeId < 20_000; nodeId++) overall.markCached([String(nodeId)]);
		expect(overall.nodeCount).toBe(5_000);
	});
});
