import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import type { Behaviour } from '../../../../sandbox';
import { deadOrigin } from '../../../client/support/server';
import { editorContext } from '../../support/editor';
import { type Credential, nodes } from '../../support/engine';
import { credentialFor, type Way } from '../../support/flavours';
import { sharedSandbox } from '../../support/sandbox';

const sandbox = sharedSandbox();

const MARKER = 'marker-5d1c7';
const HOUR = 3_600_000;

let saved: string[] = [];
const save = (path: string, modifiedAt?: number): void => {
	saved.push(path);
	for (const surface of ['engine', 'hosted'] as const) sandbox.saveWorkflow(path, { nodes: [] }, { surface, modifiedAt });
};
afterEach(() => {
	for (const path of saved) for (const surface of ['engine', 'hosted'] as const) sandbox.deleteWorkflow(path, { surface });
	saved = [];
});

let asked = 0;
/** Each test uses another credential, so that caches of servers are not shared. */
const editor = (credential: Credential, savedWorkflow?: IDataObject): ILoadOptionsFunctions =>
	editorContext('comfyRunWorkflow', savedWorkflow === undefined ? {} : { savedWorkflow }, {
		...credential,
		data: { ...credential.data, moreSettings: true, partnerApiKey: `of-test-${asked++}` },
	});
const searchIn = async (context: ILoadOptionsFunctions, ...words: [string?, string?]): Promise<INodeListSearchResult> =>
	await nodes.comfyRunWorkflow.methods.listSearch.searchSavedWorkflows.call(context, ...words);
const search = async (way: Way = 'bare_engine', ...words: [string?, string?]) =>
	await searchIn(editor(credentialFor(sandbox, way)), ...words);
const names = async (...given: Parameters<typeof search>) => (await search(...given)).results.map(({ name }) => name);

describe('the list of saved workflows', () => {
	it.each(['bare_engine', 'self_hosted'] as Way[])(
		'has the newest first, marks apps, and ends with blueprints and templates (%s)',
		async (way) => {
			save('plain.json', Date.parse('2026-11-01T01:02:03.000Z'));
			save('portraits/red fox.app.json', Date.parse('2026-11-02T20:00:00.000Z'));
			expect((await search(way)).results).toMatchObject([
				{ name: 'red fox (app) · portraits · 2026-11-03 05:00', value: 'portraits/red fox.app.json' },
				{ name: 'plain · 2026-11-01 10:02', value: 'plain.json' },
				{ name: 'Blueprint · Colour Picture', value: 'blueprint:Colour Picture' },
				{ name: 'Blueprint · sandbox-colours · Saved Colour', value: 'blueprint:sandbox-colours/Saved Colour' },
				{ name: 'Template · Getting Started · Plain Colour', value: 'template:sandbox_plain_colour' },
				{ name: 'Template · Image · Colour By Choice', value: 'template:sandbox_colour_app' },
				{ name: 'Template · Image · Red', value: 'template:sandbox_red' },
				{ name: 'Template · sandbox-colours · Green & Co', value: 'template:sandbox-colours/Green & Co' },
			]);
		},
	);

	it('has the order of the paths if an older engine lists no times', async () => {
		sandbox.configure({ engineUserdata: 'names' });
		for (const path of ['b.json', 'c.json', 'a.json']) save(path);
		expect((await names()).slice(0, 3)).toEqual(['a', 'b', 'c']);
	});

	it.each(['hosted', 'v1'] as Way[])('has those of the account (%s)', async (way) => {
		save('mine.json', Date.parse('2026-11-01T01:02:03.000Z'));
		expect((await search(way)).results).toMatchObject([{ name: 'mine · 2026-11-01 10:02', value: 'mine.json' }]);
	});

	it.each([
		['FOX', ['red fox (app) · portraits · 2026-11-03 05:00']],
		['portraits 2026-11', ['red fox (app) · portraits · 2026-11-03 05:00']],
		['app', ['red fox (app) · portraits · 2026-11-03 05:00', 'Template · Image · Colour By Choice']],
		['template red', ['Template · Image · Red']],
		['blueprint colour pic', ['Blueprint · Colour Picture']],
		['nothing like it', []],
	])('is found by words: %s', async (words, wanted) => {
		save('portraits/red fox.app.json', Date.parse('2026-11-02T20:00:00.000Z'));
		expect(await names('bare_engine', words)).toEqual(wanted);
	});

	it.each(['plain.json', 'of-another-server.json'])('has the chosen workflow first, as it was when it was chosen (%s)', async (value) => {
		save('plain.json', Date.parse('2026-11-01T01:02:03.000Z'));
		const onDay = (day: number) => ({
			mode: 'list',
			value,
			cachedResultName: `plain · of day ${day}`,
			cachedResultUrl: 'https://a.example',
		});
		const chosen = onDay(1);
		const { results } = await searchIn(editor(credentialFor(sandbox, 'bare_engine'), chosen));
		expect(results[0]).toEqual({ name: chosen.cachedResultName, value, url: chosen.cachedResultUrl });
		expect(results.filter((entry) => entry.value === value)).toHaveLength(1);
		const nowhere = await searchIn(editor(credentialFor(sandbox, 'bare_engine', { baseUrl: await deadOrigin() }), onDay(2)));
		expect(nowhere.results).toMatchObject([{ value }, { value: '' }]);
	});

	it('has the blueprints that the user just published, and the templates of a server without blueprints, which is asked only once', async () => {
		sandbox.configure({ engineBlueprints: 'absent' });
		const context = editor(credentialFor(sandbox, 'bare_engine'));
		const published = ['fox.json', 'portraits/cat.json'];
		try {
			for (const path of published) {
				sandbox.saveWorkflow(path, {}, { folder: 'subgraphs' });
				const { results } = await searchIn(context, 'my blueprints');
				expect(results.at(-1)).toMatchObject({ value: `blueprint:subgraphs/${path.slice(0, -'.json'.length)}` });
			}
			expect((await searchIn(context, 'cat')).results).toMatchObject([{ name: 'Blueprint · My Blueprints · portraits/cat' }]);
			expect((await searchIn(context, 'template')).results).toHaveLength(4);
			expect(sandbox.requests('GET /api/global_subgraphs')).toHaveLength(1);
		} finally {
			for (const path of published) sandbox.deleteWorkflow(path, { folder: 'subgraphs' });
		}
	});

	it('has the templates if the blueprints cannot be read, and both when they can be read again', async () => {
		const context = editor(credentialFor(sandbox, 'bare_engine'));
		sandbox.inject({ on: 'GET /api/global_subgraphs', answer: { status: 400, json: { error: 'not now' } }, times: 2 });
		expect((await searchIn(context, 'template')).results).toHaveLength(4);
		expect(JSON.stringify(await searchIn(context, 'colour'))).not.toContain('Blueprint');
		expect((await searchIn(context, 'blueprint')).results).toHaveLength(2);
	});

	it('has pages with every entry once, and a workflow immediately after it was saved', async () => {
		const now = Date.now();
		for (let place = 0; place < 250; place++) save(`many/w${place}.json`, now - place * HOUR);
		const context = editor(credentialFor(sandbox, 'bare_engine'));
		const pages: INodeListSearchResult[] = [];
		while (pages.length === 0 || pages.at(-1)?.paginationToken !== undefined)
			pages.push(await searchIn(context, '', pages.at(-1)?.paginationToken as string | undefined));
		const values = pages.flatMap(({ results }) => results.map(({ value }) => value));
		expect(pages).toHaveLength(3);
		expect(new Set(values).size).toBe(256);
		expect(values.slice(0, 2)).toEqual(['many/w0.json', 'many/w1.json']);
		expect(sandbox.requests('GET /templates/index.json')).toHaveLength(1);
		save('new.json', now + HOUR);
		expect((await searchIn(context)).results[0]).toMatchObject({ value: 'new.json' });
	});
});

it('the list of saved workflows has one line above the templates if nothing is saved, and names without times', async () => {
	const [notice, ...templates] = (await search()).results;
	expect(notice).toEqual({ name: expect.stringMatching(/^ComfyUI has no saved workflows yet\. Open a workflow/), value: '' });
	expect(templates).toHaveLength(6);
	sandbox.configure({ engineUserdata: 'names', engineTemplates: 'absent', engineBlueprints: 'absent' });
	save('b.json');
	save('a/c.json');
	expect(await names()).toEqual(['c · a', 'b']);
});

it.each<[what: string, way: Way, behaviour: Partial<Behaviour>, changes: IDataObject, words: RegExp]>([
	[
		'without templates',
		'bare_engine',
		{ engineTemplates: 'absent', engineBlueprints: 'absent' },
		{},
		/^ComfyUI has no saved workflows and no templates yet/,
	],
	['of a deployment', 'deployment', {}, {}, /^A deployment has no saved workflows\. Choose/],
	['of v1 that keeps none', 'v1', { v1Userdata: 'absent' }, {}, /^This service has no saved workflows .*Workflow From/],
	['of several users', 'bare_engine', { engineUsers: { ann_1: 'Ann' } }, {}, /--multi-user.*Sign-In to ComfyUI User/],
	['for a wrong key', 'v1', {}, { apiKey: MARKER }, /^The server did not accept the API Key\. Check/],
	['of a server that does not run', 'bare_engine', {}, { baseUrl: 'http://127.0.0.1:9' }, /the connection was refused\. \w/],
])('a list of saved workflows %s is one line that says what to do', async (_, way, behaviour, changes, words) => {
	sandbox.configure(behaviour);
	const { results } = await searchIn(editor(credentialFor(sandbox, way, changes)));
	expect(results).toEqual([{ name: expect.stringMatching(words), value: '' }]);
	expect(JSON.stringify(results)).not.toContain(MARKER);
	if (way === 'deployment') expect(sandbox.requests()).toEqual([]);
});

describe('a server whose saved workflows have hostile names', () => {
	const entryFor = async (path: string) => {
		save(path, Date.parse('2026-11-01T01:02:03.000Z'));
		return (await search()).results.find(({ value }) => !/^(template|blueprint):/.test(String(value)) && value !== '');
	};

	it.each([
		['control characters', 'a\u0000b\u001b[31mc\r\nd.json', 'ab[31mcd'],
		['marks that turn the direction of writing', 'invoice\u202egpj.exe.json', 'invoicegpj.exe'],
		['characters that are not seen', 'pay\u200b\u2060pal.json', 'paypal'],
		['HTML', '<img src=x onerror=alert(1)>.json', '<img src=x onerror=alert(1)>'],
	])('shows %s in one plain line and keeps the path', async (_, path, shown) => {
		expect(await entryFor(path)).toMatchObject({ name: `${shown} · 2026-11-01 10:02`, value: path });
	});

	it('does not offer a name that n8n would run, or one that leaves the folder', async () => {
		for (const path of ['={{ $env.SECRET }}.json', '../../etc/passwd.json']) expect(await entryFor(path)).toBeUndefined();
	});
});
