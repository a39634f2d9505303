import { ExpressionError, type IDataObject, type INodeExecutionData, type INodeParameters } from 'n8n-workflow';

import { countRows, identifyRows, referencesIn } from '../../../../nodes/shared/execution/rows';
import { chain, nodeBefore } from '../../support/around';
import { type InputItem, nodeType, runNode } from '../../support/engine';
import { credentialFor } from '../../support/flavours';
import { colorGraph } from '../../support/graphs';
import { freshSandbox } from '../../support/sandbox';
import { submitRun } from '../../support/submit';

it.each<[expression: string, references: string[]]>([
	['={{ $json.prompt }}', ['$json.prompt']],
	["={{ $json['a b'].c }} and {{ $json.d?.e }}", ["$json['a b'].c", '$json.d?.e']],
	['={{ $json.prompt.trim() + Math.random() }}', ['$json.prompt']],
	['={{ $json.prompt\n  .toUpperCase() }}', ['$json.prompt']],
	['={{ $(\'My "Sheet"\').item.json.title }}', ['$(\'My "Sheet"\').item.json.title']],
	["={{ $('A').first().json.b.split(',') }}", ["$('A').first().json.b"]],
	['={{ $node["A"].json["x"] }}', ['$node["A"].json["x"]']],
	['={{ $input.all()[0].json.x }}', ['$input.all()[0].json.x']],
	['={{ $json[ $json.key ] }}', ['$json', '$json.key']],
	['={{ (() => { const { a } = $json; return a })() }}', ['$json']],
	['={{ $json.list.map((one) => one.x) }}', ['$json.list']],
	['={{ $binary.data.fileName }} {{ $itemIndex }}', ['$binary.data.fileName', '$itemIndex']],
	['={{ $now }} {{ $runIndex }} {{ $vars.a }} {{ $jsonp.a }} {{ $execution.id }}', []],
	['$json.prompt without an expression', []],
])('finds what an expression reads of an item: %s', (expression, references) => {
	expect(referencesIn({ deep: [{ a: expression, b: expression }] })).toEqual(references);
});

describe('the number of an item among equal ones', () => {
	it('counts the items of a run, and continues in the next run', () => {
		const first = countRows(undefined, 0, ['a', 'b', 'a']);
		expect(first.numbers).toEqual([0, 0, 1]);
		const second = countRows(first.stored, 1, ['b', 'a']);
		expect(second.numbers).toEqual([1, 2]);
		expect(countRows(second.stored, 2, ['a', 'c']).numbers).toEqual([3, 0]);
	});

	it('counts no item twice when the same run is tried again', () => {
		const { stored } = countRows(countRows(undefined, 0, ['a']).stored, 1, ['a', 'a']);
		expect(countRows(stored, 1, ['a', 'a']).numbers).toEqual([1, 2]);
		const inCalls = { a: { earlier: 1, ordinal: 0 } };
		expect(countRows({ ...stored, inCalls }, 1, ['a', 'a']).stored.inCalls).toBe(inCalls);
		expect(countRows({ ...stored, inCalls }, 2, ['a', 'b']).stored).not.toHaveProperty('inCalls');
	});
});

describe("on n8n's engine", () => {
	const sandbox = freshSandbox();

	/** The identities of these items for a node with this parameter, without the numbers of equal ones. */
	async function hashesOf(parameter: unknown, items: InputItem[]): Promise<string[]> {
		let identities: string[] = [];
		const probe = nodeType('Probe', async function () {
			const identity = { parts: [], run: 0 };
			identities = identifyRows(this, identity);
			expect(identifyRows(this, identity)).toBe(identities);
			return [this.getInputData()];
		});
		// n8n drops parameters that a node does not have.
		probe.description.properties = [{ displayName: 'Parameter', name: 'parameter', type: 'string', default: '' }];
		const before = nodeBefore(() => undefined);
		const nodes = [...(before?.nodes ?? []), { name: 'Probe', type: probe, settings: { parameters: { parameter } as INodeParameters } }];
		const connections = chain('Start', 'Before', 'Probe');
		const { error } = await runNode(submitRun(credentialFor(sandbox), colorGraph(1), { items, around: { nodes, connections } }));
		expect(error).toBeUndefined();
		expect(identities).toHaveLength(items.length);
		return identities.map((identity) => identity.replace(/:\d+$/, ''));
	}

	const json = (...rows: IDataObject[]): INodeExecutionData[] => rows.map((row) => ({ json: row }));

	it('is the same for rows that differ only in fields that no expression reads', async () => {
		const [one, other, third] = await hashesOf('={{ { a: $json.a } }}', json({ a: 1, n: 2 }, { a: 1, n: 3 }, { a: 2, n: 2 }));
		expect(one).toBe(other);
		expect(third).not.toBe(one);
	});

	it('reads the fields of other nodes, and a missing field hides no other', async () => {
		const expression = `={{ { a: $json.deep.er.a + $json['de ep']['er'].a, b: $('Before').item.json.b, c: $json\n.c } }}`;
		const [one, same, other] = await hashesOf(expression, json({ b: 1, c: 1, n: 2 }, { b: 1, c: 1, n: 3 }, { b: 2, c: 1, n: 2 }));
		expect(one).toBe(same);
		expect(other).not.toBe(one);
	});

	it('counts the whole item if a reference cannot be read by itself', async () => {
		const [one, other] = await hashesOf(`={{ $json.a ? 1 : $('Nowhere').item.json.b }}`, json({ a: 1, n: 2 }, { a: 1, n: 3 }));
		expect(one).not.toBe(other);
	});

	it('is not determined if n8n interrupts the second of two expressions, and is the same afterwards', () => {
		const identify = (interruption?: Error): string[] => {
			const evaluateExpression = (_text: string, index: number): unknown => {
				if (interruption !== undefined && index === 1) throw interruption;
				return [index];
			};
			const execution = { evaluateExpression, getNode: () => ({ id: 'n', parameters: { a: '={{ $json.a }}' } }) };
			const items = json({ a: 1 }, { a: 2 });
			const context = {};
			return identifyRows({ ...execution, getInputData: () => items, getContext: () => context } as never, { parts: [], run: 0 });
		};
		const exhausted = Object.assign(new Error('No isolate bridge available in pool'), { name: 'PoolExhaustedError' });
		for (const interruption of [new ExpressionError('Expression timed out'), exhausted])
			expect(() => identify(interruption)).toThrow(interruption);
		const whole = identify(new ExpressionError('invalid syntax'));
		expect([whole[0], whole[1]]).toEqual([identify()[0], expect.not.stringMatching(String(identify()[1]))]);
	});

	it('does not depend on a random value, and on the position only if an expression reads it', async () => {
		const rows = json({ a: 1 }, { a: 1 });
		expect(new Set(await hashesOf('={{ { a: $json.a, r: Math.random() } }}', rows)).size).toBe(1);
		expect(new Set(await hashesOf('={{ { a: $itemIndex } }}', rows)).size).toBe(2);
	});

	it('depends on the name of a file, not on how n8n stores it', async () => {
		const file = (fileName: string): InputItem => ({ files: { data: { content: Buffer.from('x'), fileName } } });
		const [one, same, other] = await hashesOf('', [file('a.png'), file('a.png'), file('b.png')]);
		expect(one).toBe(same);
		expect(other).not.toBe(one);
	});
});
