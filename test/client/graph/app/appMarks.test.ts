import { type ApiGraph, type App, parseExact, readApp } from '../../../../client';
import { readAppMarks } from '../../../../client/graph/app/appMarks';

describe('a mark', () => {
	const LONG_ID = '18446744073709551615';
	const inputs = { x: 5, named: 5, blank: 5, odd: 5, upload: 'image' };
	const known = { named: ['INT', { display_name: 'Luck' }], blank: ['INT', { display_name: ' ' }], odd: ['INT', { display_name: 5 }] };
	const graph: ApiGraph = { 1: { class_type: 'A', inputs }, [LONG_ID]: { class_type: 'A', inputs } };
	const file = {
		nodes: [
			{ id: 1, type: 'A' },
			{ id: 3, type: 'A', mode: 2 },
			{ id: LONG_ID, type: 'A' },
		],
		links: [],
	};
	const appWith = (marked: unknown[], outputs: unknown[] = []): App | undefined =>
		readApp({ ...file, extra: { linearData: { inputs: marked, outputs } } }, graph, { A: { input: { required: known } } });

	it.each<[mark: unknown[], id: string, label: string, description?: string]>([
		[[1, 'x'], '1.x', 'x'],
		[[parseExact(LONG_ID), 'x'], `${LONG_ID}.x`, 'x'],
		[[1, 'named'], '1.named', 'Luck'],
		[[1, 'blank'], '1.blank', 'blank'],
		[[1, 'odd'], '1.odd', 'odd'],
		[['%31:1:x', 'x'], '1.x', 'x'],
		[[1, 'x', { description: '  two\n\nlines ' }], '1.x', 'x', 'two lines'],
		[[1, 'x', { description: 'y'.repeat(121) }], '1.x', 'x', 'y'.repeat(120)],
		[[1, 'x', { description: ' ' }], '1.x', 'x'],
	])('%j is the input %s, called %j', (mark, id, label, ...description) => {
		const { inputs: found, missing } = appWith([mark])!;
		expect(found.map((one) => [one.id, one.label, one.description])).toEqual([[id, label, description[0]]]);
		expect(missing).toEqual([]);
	});

	it.each<[mark: unknown[], label: string, why: string]>([
		[[1, 'upload'], 'upload', 'not_sent'],
		[[3, 'x'], 'x', 'inactive'],
		[[4, 'x'], 'x', 'gone'],
	])('%j is missing as %j, because it is %s', (mark, label, why) => {
		expect(appWith([mark])).toMatchObject({ inputs: [], missing: [{ is: 'input', label, why }] });
	});

	it('without an id or a name is ignored', () => {
		expect(appWith([[1.5, 'x'], ['', 'x'], [1, ''], [1], [null, 'x'], [{}, 'x'], ['1:1', ''], 7, null])).toBeUndefined();
		expect(readAppMarks({ extra: { linearData: { inputs: 7, outputs: 'x' } } })).toBeUndefined();
	});

	it('of an input that is already marked is ignored', () => {
		expect(
			appWith([
				[1, 'x'],
				['1', 'x'],
			])!.inputs.map(({ id }) => id),
		).toEqual(['1.x']);
	});

	it('of an output is a node of the graph, or is reported as missing with the reason', () => {
		expect(appWith([], [1, '1', 3, 4, 1.5])).toMatchObject({
			outputs: ['1'],
			missing: [
				{ is: 'output', label: '3', why: 'inactive' },
				{ is: 'output', label: '4', why: 'gone' },
			],
		});
	});
});

describe('the id of a mark', () => {
	const UUID = 'a0b1c2d3-a1b2-c3d4-e5f6-a0b1c2d3e4f5';
	const marked = (inputs: unknown[], outputs: unknown[] = []) => readAppMarks({ extra: { linearData: { inputs, outputs } } });

	it.each<unknown[]>([
		[`${UUID}:5`, 'seed', ['5'], UUID, 'seed'],
		[`${UUID.toUpperCase()}:5`, 'seed', ['5'], UUID.toUpperCase(), 'seed'],
		[`${UUID}:5:my%20seed`, 'seed', ['5'], UUID, 'my seed'],
		[`${UUID}:5:a:b`, 'seed', ['5'], UUID, 'a:b'],
		[`${UUID}:%E0`, 'seed', ['%E0'], UUID, 'seed'],
		['g:5:seed', 'seed', ['5'], 'g', 'seed'],
		['g:5:seed', 'other', ['g', '5', 'seed'], undefined, 'other'],
		['g:5:seed:a', 'seed', ['g', '5', 'seed', 'a'], undefined, 'seed'],
		[12, 'seed', ['12'], undefined, 'seed'],
		...[`x${UUID}`, `${UUID}x`, UUID.slice(1), UUID.slice(0, -1), UUID.replace('a1b2-', ''), UUID.replace('-a1b2', '-1b2')].map((other) => [
			`${other}:5`,
			'seed',
			[other, '5'],
			undefined,
			'seed',
		]),
	])('%j with the name %j leads to %j in the graph %j, widget %j', (id, name, graphPath, graphId, widget) => {
		expect(marked([[id, name]])!.inputs).toEqual([{ graphPath, graphId, widget }]);
	});

	it('counts once for an output, and a thousand times at most for inputs', () => {
		expect(marked([], [1, '1', 2])).toEqual({ inputs: [], outputs: ['1', '2'] });
		expect(marked(Array.from({ length: 1_001 }, (_, at) => [at, 'x']))!.inputs).toHaveLength(1_000);
	});
});
