import { cpuMs } from '../../../support/cpuTime';
import { Chance } from '../../support/chance';
import { convertWorkflow, exactText, GraphError, listClasses, readApp } from '../../../../client';
import { definitions, graphNames, graphText } from './support/recordings';
import { refusalsOf as refusalsIn } from './support/converted';
import { picture, preview, primitive, reroute } from './support/nodes';
import { file, into, type Json } from './support/sockets';

const refusalsOf = (workflow: unknown) => refusalsIn(workflow, definitions);

describe('very large files', () => {
	/** A chain of reroutes from node 0 to the node after them, and to others. */
	const chain = (length: number, others: Json[] = []): Json => {
		const reroutes = Array.from({ length }, (_, at) => reroute(at + 1, at + 1));
		const links = Array.from({ length: length + 1 }, (_, at) => [at + 1, at, 0, at + 1, 0, 'IMAGE']);
		const linksOfOthers = others.flatMap(({ id, inputs }) =>
			(inputs as Json[]).map(({ link }, slot) => [link, length, 0, id, slot, 'IMAGE']),
		);
		return file([picture(0), ...reroutes, preview(length + 1, length + 1), ...others], [...links, ...linksOfOthers]);
	};

	it('reads fifty thousand links of one primitive', () => {
		const at = Array.from({ length: 50_000 }, (_, index) => index);
		const before = cpuMs();
		const { graph } = convertWorkflow(
			file(
				[
					primitive(1, [5], 'INT', at),
					{ id: 2, type: 'EmptyImage', inputs: [...at].reverse().map((link) => into(`x${link}`, 'INT', link)) },
				],
				at.map((link) => [link, 1, 0, 2, link, 'INT']),
			),
			definitions,
		);
		expect(Object.keys(graph)).toEqual(['2']);
		expect(cpuMs() - before).toBeLessThan(3_000);
	});

	it('follows a long chain once, also if many inputs lead to it', () => {
		const targets = Array.from({ length: 5_000 }, (_, at) => preview(10_000 + at, 10_000 + at));
		expect(refusalsOf(chain(5_000, targets))).toEqual([]);
	});

	it('refuses a chain that it would have to follow for thousands of types', () => {
		const inputs = Array.from({ length: 1_000 }, (_, at) => into(`i${at}`, `T${at}`, 10_000 + at));
		expect(refusalsOf(chain(2_000, [{ ...preview(10_000), inputs }]))).toEqual([expect.objectContaining({ refusal: 'too_large' })]);
	});

	const saved = (id: number, name: string): Json => ({ ...preview(id, null), type: 'SaveImage', widgets_values: [name] });

	it('reads ten megabytes in one value, and as many names', () => {
		const text = 'a'.repeat(10_000_000);
		const string = { id: 1, type: 'PrimitiveString', widgets_values: [text] };
		const { graph } = convertWorkflow(file([string, saved(2, '%PrimitiveString.value%'.repeat(400_000))]), definitions);
		expect(graph['1']?.inputs.value).toHaveLength(text.length);
		expect(refusalsOf(file([{ id: 1, type: text }]))).toHaveLength(1);
		const node = { id: text, type: 'EmptyImage' };
		const detail = `two of its nodes have the id ${'a'.repeat(60)}…`;
		expect(refusalsOf(file([node, node]))).toEqual([{ refusal: 'broken_file', detail }]);
	});

	it('limits file names that contain long values of other nodes', () => {
		const string = { id: 1, type: 'PrimitiveString', widgets_values: ['x'.repeat(10_000)] };
		const names = Array.from({ length: 50 }, (_, at) => saved(at + 2, '%PrimitiveString.value%'.repeat(400)));
		expect(exactText(convertWorkflow(file([string, ...names]), definitions).graph).length).toBeLessThan(50 * 25_000);
	});
});

const ODD: unknown[] = [
	...'0 __proto__ constructor Reroute PrimitiveNode SetNode GetNode 12:3 *'.split(' '),
	...[-20, -10, -1, 0, 0.5, 2, 4, 1e308],
	...[null, true, '', [], {}, [[]], [null], { nodes: [] }, JSON.parse('{"__proto__":{"name":"x"}}')],
];

/** The paths of all values in a file. */
function placesIn(value: unknown): Array<[Json, string]> {
	if (typeof value !== 'object' || value === null) return [];
	return Object.keys(value).flatMap((key): Array<[Json, string]> => [[value as Json, key], ...placesIn((value as Json)[key])]);
}

function damaged(text: string, chance: Chance): unknown {
	const workflow = JSON.parse(text) as Json;
	for (let changes = 1 + chance.below(4); changes > 0; changes--) {
		const places = placesIn(workflow);
		const [holder, key] = places[chance.below(places.length)] ?? [workflow, 'nodes'];
		const [other] = places[chance.below(places.length)] ?? [workflow];
		if (chance.next() < 0.2) delete holder[key];
		else holder[key] = structuredClone(chance.next() < 0.3 ? other : chance.oneOf(ODD));
	}
	return JSON.parse(JSON.stringify(workflow));
}

/** Reads the file as an app that marks widgets of its nodes. */
function readDamagedApp(workflow: unknown, chance: Chance): void {
	const ids = [...ODD, 1, 5, '5:10', '5:5:5'];
	const marks = Array.from({ length: 5 }, () => [chance.oneOf(ids), chance.oneOf([...ODD, 'seed', 'text', 'value'])]);
	const extra = { linearData: chance.oneOf<unknown>([null, 'text', { inputs: marks, outputs: ids }]) };
	readApp({ ...(workflow as Json), extra }, {}, definitions);
}

describe('files with random damage', () => {
	it.each(graphNames().map((name, at) => [name, at] as const))('%s becomes a graph or is refused', (name, at) => {
		const chance = new Chance(at + 1);
		const text = graphText(name);
		// Large and small files get the same amount of work.
		const turns = Math.min(10, Math.ceil(10_000 / text.length));
		for (let turn = 0; turn < turns; turn++) {
			const workflow = damaged(text, chance);
			for (const use of [
				() => convertWorkflow(workflow, definitions),
				() => listClasses(workflow),
				() => readDamagedApp(workflow, chance),
			]) {
				try {
					use();
				} catch (error) {
					if (!(error instanceof GraphError))
						throw new Error(`${name}, turn ${turn}: ${JSON.stringify(workflow).slice(0, 2_000)}`, { cause: error });
				}
			}
		}
	});
});
