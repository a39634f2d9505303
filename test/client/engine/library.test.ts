import {
	ApiError,
	connect,
	exactText,
	GraphError,
	readChosenWorkflow,
	templateChoice,
	UnreadableAnswerError,
	type WorkflowLibrary,
} from '../../../client';
import { failureOf } from '../support/bytes';
import { serve } from '../support/server';
import { useEngine } from './support/engine';

const engine = useEngine();
const LIST = 'GET /api/userdata';
const FILE = 'GET /api/userdata/:file';
const WORKFLOW = { nodes: [], links: [], version: 0.4 };

let saved: string[] = [];
const save = (path: string, workflow: unknown = WORKFLOW, modifiedAt?: number): void => {
	saved.push(path);
	engine.sandbox.saveWorkflow(path, workflow, { modifiedAt });
};
afterEach(() => {
	for (const path of saved) engine.sandbox.deleteWorkflow(path);
	saved = [];
	engine.sandbox.configure({
		engineUserdata: 'full',
		engineUserdataTimes: 'milliseconds',
		engineUsers: null,
		engineTemplates: 'there',
		engineDecodedPaths: false,
	});
});

const quick = { readBudgetMs: 0 };
const library = (settings = {}): WorkflowLibrary => engine.connect(settings).library as WorkflowLibrary;
const codeOf = async (promise: Promise<unknown>): Promise<unknown> => {
	const error = await failureOf(promise);
	return error instanceof ApiError ? [error.code, error.details] : error;
};

describe('the list of saved workflows', () => {
	test('the list leaves out what is no workflow, no name, hidden, or listed twice, and has paths of one kind', async () => {
		const json = [
			['a/b.json', 'a', 'b.json'],
			'c\\d.json',
			...['.index.json', 'a/.trash/b.json', 'notes.txt', 'a//b.json', '', null, 7, {}, { path: 7 }],
			{ path: '__proto__.json', size: 'x', modified: {} },
			{ path: '__proto__.json' },
		];
		engine.sandbox.inject({ on: LIST, surface: 'engine', answer: { status: 200, json } });
		expect((await library().list()).map(({ path }) => path)).toEqual(['a/b.json', 'c/d.json', '__proto__.json']);
	});

	test('a server with a page in place of the list has no library, unlike one whose answer is no list', async () => {
		engine.sandbox.inject({ on: LIST, surface: 'engine', answer: { status: 200, html: true } });
		expect(await codeOf(library(quick).list())).toEqual(['no_library', undefined]);
		engine.sandbox.inject({ on: LIST, surface: 'engine', answer: { status: 200, json: { files: [] } } });
		expect(await failureOf(library(quick).list())).toBeInstanceOf(UnreadableAnswerError);
	});
});

describe('one saved workflow', () => {
	test.each(['portraits/ünï & 50% #1?.app.json', 'a%20b.json', '__proto__.json'])(
		'the saved workflow %s is read with every digit of its seeds',
		async (path) => {
			save(path, '{"nodes":[],"extra":{"seed":18446744073709551615}}');
			const read = await library().read(path);
			expect(exactText(read)).toBe('{"nodes":[],"extra":{"seed":18446744073709551615}}');
		},
	);

	test('a saved workflow is read behind a proxy that decodes paths', async () => {
		engine.sandbox.configure({ engineDecodedPaths: true });
		save('portraits/fox.json');
		await expect(library().read('portraits/fox.json')).resolves.toEqual(WORKFLOW);
	});

	test.each(['../comfy.settings.json', 'a/../b.json', '/etc/x.json', 'a\0.json', '', '\ud800.json'])(
		'the path %j is refused before a request',
		async (path) => {
			expect(await codeOf(library().read(path))).toEqual(['workflow_not_found', { path }]);
			expect(engine.count(FILE)).toBe(0);
		},
	);

	test.each([
		['nothing', '', 'not_json'],
		['half of one', '{"nodes": [', 'not_json'],
		['a list', '[]', 'not_a_graph'],
	])('a file that holds %s is refused after one request', async (_, text, fault) => {
		save('broken.json', text);
		const error = await failureOf(library().read('broken.json'));
		expect(error instanceof GraphError && error.facts.fault).toBe(fault);
		expect(engine.count(FILE)).toBe(1);
	});

	const LARGE = Buffer.alloc(33 * 1024 * 1024, ' ');

	test.each([
		['announced', true],
		['unannounced', false],
	])('a file that is too large is refused, its size %s', async (_, isAnnounced) => {
		const server = await serve((_request, response) => {
			response.writeHead(200, { 'content-type': 'application/json', ...(isAnnounced && { 'content-length': LARGE.length }) });
			response.end(LARGE);
		});
		const connection = connect({ interface: 'engine', baseUrl: server.origin });
		expect(await codeOf((connection.library as WorkflowLibrary).read('large.json'))).toEqual([
			'workflow_too_large',
			{ longest_bytes: 32 * 1024 * 1024 },
		]);
		await connection.close();
		await server.close();
	});
});

describe('templates', () => {
	test.each([
		['a page in place of the index', { html: true }],
		['an index that is none', { json: { groups: [] } }],
		['groups of any shape', { json: [null, 7, { templates: 'x' }, { templates: [null, { name: 7 }, { name: '../x' }, { name: '' }] }] }],
	])('no template is listed from %s', async (_, answer) => {
		engine.sandbox.inject({ on: 'GET /templates/index.json', surface: 'engine', answer: { status: 200, ...answer } });
		expect((await library().templates()).map(({ group }) => group)).toEqual(['sandbox-colours']);
	});

	test.each(['nowhere', 'nopack/nothing', '../index', 'a/b/c', ''])('%j is refused as a template', async (name) => {
		expect(await codeOf(library().template(name))).toEqual([
			'template_not_found',
			{ [name === '../index' || name === '' ? 'path' : 'name']: name },
		]);
	});
});

describe('blueprints', () => {
	const LIST_ROUTE = 'GET /api/global_subgraphs';
	const entry = (name: unknown, source: unknown = 'templates', node_pack: unknown = 'custom_nodes.a-pack') => ({
		source,
		name,
		info: { node_pack },
	});
	const answerList = (json: unknown) => engine.sandbox.inject({ on: LIST_ROUTE, surface: 'engine', answer: { status: 200, json } });

	test('the list leaves out what has no name or no pack, and of two with one name the second', async () => {
		const packs = { e: entry('One', 'custom_node'), f: entry('One', 'custom_node', 'custom_nodes.a/b'), g: entry('Two', 'custom_node', 7) };
		const names = { '': entry('None'), a: entry('One'), b: entry('One'), c: entry('../x'), d: entry(''), h: null, i: 7, j: {} };
		answerList({ ...names, ...packs });
		expect((await library().blueprints()).map(({ name }) => name)).toEqual(['One', 'a-pack/One']);
	});

	test.each([
		['a web page', { html: true }],
		['a list', { json: [] }],
		['no route', { status: 404 }],
	])('no blueprint is listed from %s', async (_, answer) => {
		engine.sandbox.inject({ on: LIST_ROUTE, surface: 'engine', answer: { status: 200, ...answer } });
		expect(await library().blueprints()).toEqual([]);
	});

	test('an answer without the text of the file is not readable, and is not mistaken for a missing blueprint', async () => {
		engine.sandbox.inject({ on: 'GET /api/global_subgraphs/:id', surface: 'engine', answer: { status: 200, json: { name: 'x' } } });
		expect(await failureOf(library(quick).blueprint('Colour Picture'))).toBeInstanceOf(UnreadableAnswerError);
	});

	test.each(['subgraphs/../x', 'subgraphs//x'])('the saved blueprint %j is refused before a request', async (name) => {
		expect(await codeOf(library().blueprint(name))).toEqual(['blueprint_not_found', expect.anything()]);
		expect(engine.count(FILE)).toBe(0);
	});

	test('saved blueprints are listed by their paths, and none if the server keeps no files or several users', async () => {
		const folder = { folder: 'subgraphs' } as const;
		for (const path of ['one.json', 'in/two.json', 'notes.txt']) engine.sandbox.saveWorkflow(path, {}, folder);
		expect((await library().savedBlueprints()).map(({ name }) => name).sort()).toEqual(['subgraphs/in/two', 'subgraphs/one']);
		engine.sandbox.configure({ engineUserdata: 'absent' });
		expect(await library(quick).savedBlueprints()).toEqual([]);
		engine.sandbox.configure({ engineUserdata: 'full', engineUsers: { ann: 'Ann' } });
		expect(await library(quick).savedBlueprints()).toEqual([]);
		for (const path of ['one.json', 'in/two.json', 'notes.txt']) engine.sandbox.deleteWorkflow(path, folder);
	});
});

describe('what was chosen', () => {
	test.each([
		['portraits/fox.app.json', 'portraits/fox.app.json'],
		['portraits/fox', 'portraits/fox.app.json'],
		['fox', 'portraits/fox.app.json'],
		['Fox', 'portraits/fox.app.json'],
		['/workflows/portraits/fox.app.json', 'portraits/fox.app.json'],
		['workflows/portraits/fox', 'portraits/fox.app.json'],
		['cat', 'cat.json'],
		['deep/workflows/cat', 'deep/workflows/cat.json'],
		['workflows/cat.json', 'workflows/cat.json'],
	])('the name %s leads to %s', async (name, path) => {
		for (const one of ['portraits/fox.app.json', 'cat.json', 'deep/workflows/cat.json', 'workflows/cat.json']) save(one, { of: one });
		await expect(readChosenWorkflow(library(), name)).resolves.toMatchObject({ content: { of: path }, choice: { from: 'saved', path } });
	});

	test('a template is read by its value in the list, unless that is the path of a workflow', async () => {
		const there = library();
		for (const { name } of (await there.templates()).slice(0, 2))
			await expect(readChosenWorkflow(there, templateChoice(name))).resolves.toMatchObject({ choice: { from: 'template', name } });
		save('template:mine.json');
		await expect(readChosenWorkflow(there, 'template:mine.json')).resolves.toMatchObject({ choice: { from: 'saved' } });
	});

	test.each(['portraits/foxes.json', 'foxes'])('the missing workflow %s is reported with similar names', async (name) => {
		save('animals/fox.json');
		save('zebra.json');
		expect(await codeOf(readChosenWorkflow(library(), name))).toEqual(['workflow_not_found', { path: name, near: ['animals/fox.json'] }]);
	});
});
