import { cpuMs } from '../../../support/cpuTime';
import { classesIn, convertWorkflow, exactText, GraphError } from '../../../../client';
import { definitions, graphNames, graphText } from './support/recordings';
import { refusalsOf as refusalsIn } from './support/converted';
import { file, picture, preview, reroute } from './support/nodes';

type Json = Record<string, unknown>;

const refusalsOf = (workflow: unknown) => refusalsIn(workflow, definitions);

describe('files that are too large to be drawn', () => {
	const chain = (length: number, type: (id: number) => Json): Json => {
		const nodes = [
			picture(0, { outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [1] }] }),
			...Array.from({ length }, (_, at) => type(at + 1)),
		];
		return file(
			[...nodes, preview(length + 1, length + 1)],
			Array.from({ length: length + 1 }, (_, at) => [at + 1, at, 0, at + 1, 0, 'IMAGE']),
		);
	};

	it('reads fifty thousand links', () => {
		const { graph } = convertWorkflow(
			chain(50_000, (id) => reroute(id, id, [id + 1])),
			definitions,
		);
		expect(graph).toMatchObject({ 50001: { inputs: { images: ['0', 0] } } });
	});

	it('reads fifty thousand links of one primitive', () => {
		const at = Array.from({ length: 50_000 }, (_, index) => index);
		const before = cpuMs();
		const { graph } = convertWorkflow(
			file(
				[
					{ id: 1, type: 'PrimitiveNode', outputs: [{ name: 'INT', type: 'INT', links: at }], widgets_values: [5] },
					{ id: 2, type: 'EmptyImage', inputs: [...at].reverse().map((link) => ({ name: `x${link}`, type: 'INT', link })) },
				],
				at.map((link) => [link, 1, 0, 2, link, 'INT']),
			),
			definitions,
		);
		expect(Object.keys(graph)).toEqual(['2']);
		expect(cpuMs() - before).toBeLessThan(3_000);
	});

	const longWay = (length: number, targets: Json[]): unknown => {
		const workflow = chain(length, (id) => reroute(id, id, [id + 1]));
		return { ...workflow, nodes: [...(workflow.nodes as Json[]), ...targets] };
	};

	it('goes a long way once, however many inputs lead there', () => {
		const targets = Array.from({ length: 5_000 }, (_, at) => preview(10_000 + at, 5_001));
		expect(refusalsOf(longWay(5_000, targets))).toEqual([]);
	});

	it('ends where it would have to go it for thousands of types', () => {
		const inputs = Array.from({ length: 1_000 }, (_, at) => ({ name: `i${at}`, type: `T${at}`, link: 2_001 }));
		expect(refusalsOf(longWay(2_000, [{ ...preview(10_000), inputs }]))).toEqual([expect.objectContaining({ refusal: 'too_large' })]);
	});

	it('reads ten megabytes in one value, and as many names', () => {
		const text = 'a'.repeat(10_000_000);
		const { graph } = convertWorkflow(
			file([
				{ id: 1, type: 'PrimitiveString', widgets_values: [text] },
				{
					id: 2,
					type: 'SaveImage',
					inputs: [{ name: 'images', type: 'IMAGE' }],
					widgets_values: ['%PrimitiveString.value%'.repeat(400_000)],
				},
			]),
			definitions,
		);
		expect(graph['1']?.inputs.value).toHaveLength(text.length);
		expect(refusalsOf(file([{ id: 1, type: text }]))).toHaveLength(1);
		expect(
			refusalsOf(
				file([
					{ id: text, type: 'Note' },
					{ id: text, type: 'Note' },
				]),
			),
		).toEqual([{ refusal: 'broken_file', detail: `two of its nodes have the id ${'a'.repeat(60)}…` }]);
	});
});

it('names of files that name each other’s long values stay short', () => {
	const { graph } = convertWorkflow(
		file([
			{ id: 1, type: 'PrimitiveString', widgets_values: ['x'.repeat(10_000)] },
			...Array.from({ length: 50 }, (_, at) => ({
				id: at + 2,
				type: 'SaveImage',
				inputs: [{ name: 'images', type: 'IMAGE' }],
				widgets_values: ['%PrimitiveString.value%'.repeat(400)],
			})),
		]),
		definitions,
	);
	expect(exactText(graph).length).toBeLessThan(50 * 25_000);
});

/** The same numbers for the same seed. */
function numbersOf(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
		return state / 2 ** 32;
	};
}

const ODD: unknown[] = [
	null,
	true,
	0,
	-1,
	1e308,
	0.5,
	'',
	'0',
	'__proto__',
	'constructor',
	[],
	{},
	[[]],
	[null],
	{ nodes: [] },
	'Reroute',
	'PrimitiveNode',
	'SetNode',
	'GetNode',
	-10,
	-20,
	'12:3',
	JSON.parse('{"__proto__":{"name":"x"}}'),
	2,
	4,
	'*',
];

/** Every place of a file at which something stands. */
function placesIn(value: unknown): Array<[Json, string]> {
	if (typeof value !== 'object' || value === null) return [];
	return Object.keys(value).flatMap((key): Array<[Json, string]> => [[value as Json, key], ...placesIn((value as Json)[key])]);
}

function damaged(text: string, next: () => number): unknown {
	const workflow = JSON.parse(text) as Json;
	for (let changes = 1 + Math.floor(next() * 4); changes > 0; changes--) {
		const places = placesIn(workflow);
		const [holder, key] = places[Math.floor(next() * places.length)] ?? [workflow, 'nodes'];
		const [other] = places[Math.floor(next() * places.length)] ?? [workflow];
		if (next() < 0.2) delete holder[key];
		else holder[key] = next() < 0.3 ? structuredClone(other) : ODD[Math.floor(next() * ODD.length)];
	}
	return JSON.parse(JSON.stringify(workflow));
}

describe('files with random damage', () => {
	it.each(graphNames().map((name, at) => [name, at] as const))('%s: becomes a graph or is refused', (name, at) => {
		const next = numbersOf(at + 1);
		const text = graphText(name);
		// As much work for each, large or small.
		const turns = Math.min(60, Math.ceil(60_000 / text.length));
		for (let turn = 0; turn < turns; turn++) {
			const workflow = damaged(text, next);
			for (const use of [() => convertWorkflow(workflow, definitions), () => classesIn(workflow)]) {
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
