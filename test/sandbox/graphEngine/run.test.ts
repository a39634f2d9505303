import { createGraphEngine } from '../../../sandbox/graphEngine';
import { picture } from '../support/graphs';

test('a cancel while a node ends keeps the next node from starting', async () => {
	const controller = new AbortController();
	const started: string[] = [];
	const result = await createGraphEngine().run({
		graph: picture(),
		signal: controller.signal,
		readInput: async () => await Promise.reject(new Error('No inputs')),
		writeOutput: async () => await Promise.resolve(),
		onEvent: (event) => {
			if (event.kind === 'executing') started.push(event.nodeId);
			if (event.kind === 'executed') controller.abort();
		},
	});
	expect([result, started]).toEqual([{ status: 'canceled' }, ['image']]);
});
