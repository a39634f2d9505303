import { GraphError } from '../../../../client';
import { toRunnable } from '../../../../client/graph/convert/blueprint';

const socket = (name: string, type: string, more: object = {}) => ({ name, type, ...more });

/** A file whose only node shows these sockets. */
const fileOf = (node: object, more: object = {}, sockets: object[] = []) => ({
	nodes: [{ id: 3, type: 'sub', pos: [100, 50], inputs: [], outputs: [], ...node }],
	links: [],
	definitions: { subgraphs: [{ id: 'other' }, { id: 'sub', inputs: sockets }] },
	...more,
});

const IMAGES = { outputs: [socket('first', 'IMAGE', { links: null }), socket('second', 'IMAGE', { label: 'the second' })] };

test('two outputs get two nodes with the next free IDs, and links as lists in version 0.4', () => {
	const { file, notes } = toRunnable('two', fileOf(IMAGES, { version: 0.4, last_node_id: 9, last_link_id: 4 }));
	expect(file).toMatchObject({
		last_node_id: 11,
		last_link_id: 6,
		links: [
			[5, 3, 0, 10, 0, 'IMAGE'],
			[6, 3, 1, 11, 0, 'IMAGE'],
		],
		nodes: [
			{ id: 3, outputs: [{ links: [5] }, { links: [6] }] },
			{ id: 10, pos: [500, 50], inputs: [{ name: 'images', link: 5 }] },
			{ id: 11, title: 'Save Image (the second)', pos: [500, 370], inputs: [{ name: 'images', link: 6 }] },
		],
	});
	expect(notes.map(({ nodeId, value }) => [nodeId, value])).toEqual([
		['10', 'first'],
		['11', 'the second'],
	]);
});

test('a file of version 1 has links as objects, and its state is continued', () => {
	const { file } = toRunnable(
		'one',
		fileOf({ pos: { 0: 7, 1: 8 }, ...IMAGES }, { version: 1, state: { lastNodeId: 5, lastLinkId: 2, lastRerouteId: 1 } }),
	);
	expect(file).toMatchObject({
		state: { lastNodeId: 7, lastLinkId: 4, lastRerouteId: 1 },
		links: [
			{ id: 3, origin_id: 3, origin_slot: 0, target_id: 6, target_slot: 0, type: 'IMAGE' },
			{ id: 4, origin_id: 3, origin_slot: 1, target_id: 7, target_slot: 0, type: 'IMAGE' },
		],
	});
	expect((file.nodes as Array<{ pos: unknown }>)[1]?.pos).toEqual([407, 8]);
});

test('an input gets a node that loads a file, unless it is a widget, linked, optional, or of another type', () => {
	const inputs = [
		socket('picture', 'IMAGE', { link: null }),
		socket('sound', 'AUDIO'),
		socket('width', 'IMAGE', { widget: { name: 'width' } }),
		socket('linked', 'IMAGE', { link: 1 }),
		socket('extra', 'IMAGE'),
		socket('also extra', 'VIDEO', { shape: 7 }),
		socket('model', 'MODEL'),
		socket('odd', '__proto__'),
	];
	const { file, notes } = toRunnable('in', fileOf({ inputs }, {}, [socket('extra', 'IMAGE', { shape: 7 })]));
	expect(notes.map(({ note, className, value }) => [note, className, value])).toEqual([
		['input_node_added', 'LoadImage', 'picture'],
		['input_node_added', 'LoadAudio', 'sound'],
	]);
	expect(file.links).toEqual([
		[1, 4, 0, 3, 0, 'IMAGE'],
		[2, 5, 0, 3, 1, 'AUDIO'],
	]);
});

test('a blueprint without such sockets stays as it is', () => {
	const file = fileOf({ outputs: [socket('model', 'MODEL'), 7, null] });
	expect(toRunnable('same', file)).toEqual({ file, notes: [] });
});

test.each<[what: string, file: Record<string, unknown>]>([
	['no nodes', { ...fileOf({}), nodes: undefined }],
	['a node that is none', { ...fileOf({}), nodes: [7] }],
	['a node of a class', fileOf({ type: 'SaveImage' })],
	['a node without a type', fileOf({ type: undefined }, { definitions: { subgraphs: [{}] } })],
])('a file with %s is refused with the name of the blueprint', (_, file) => {
	try {
		toRunnable('broken', file);
		throw new Error('It was accepted');
	} catch (error) {
		expect(error instanceof GraphError && error.facts).toMatchObject({ fault: 'not_a_blueprint', name: 'broken' });
	}
});
