import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { useSandbox } from '../client/support/sandbox';
import { deadOrigin } from '../client/support/server';
import { type Credential, nodes } from './support/engine';
import { credentialFor, type Way } from './support/flavours';

const harness = useSandbox();
const CANARY = 'canary-5d1c7';
const HOUR = 3_600_000;

let saved: string[] = [];
const save = (path: string, modifiedAt?: number): void => {
	saved.push(path);
	for (const surface of ['engine', 'hosted'] as const) harness.sandbox.saveWorkflow(path, { nodes: [] }, { surface, modifiedAt });
};
afterEach(() => {
	for (const path of saved) for (const surface of ['engine', 'hosted'] as const) harness.sandbox.deleteWorkflow(path, { surface });
	saved = [];
	harness.sandbox.configure({ engineUserdata: 'full', engineUsers: null, engineTemplates: 'there', v1Userdata: 'there' });
});

let asked = 0;
/** What n8n gives to a node while it is being set up. Each test is a server of its own, as far as what is kept of servers goes. */
const editor = ({ type, data, interface: chosen }: Credential, savedWorkflow?: IDataObject): ILoadOptionsFunctions => {
	const fresh = { ...data, partnerApiKey: `of-test-${asked++}` };
	return {
		getCurrentNodeParameter: (name: string) => ({ authentication: type, 'options.interface': chosen, savedWorkflow })[name],
		getCredentials: async () => fresh,
		getNode: () => ({ id: '1', name: 'Run', type: 'n8n-nodes-comfy.comfyRunWorkflow', typeVersion: 1, position: [0, 0], parameters: {} }),
		getTimezone: () => 'Asia/Tokyo',
		helpers: {},
	} as unknown as ILoadOptionsFunctions;
};
const searchIn = async (context: ILoadOptionsFunctions, ...words: [string?, string?]): Promise<INodeListSearchResult> =>
	await nodes.comfyRunWorkflow.methods.listSearch.searchSavedWorkflows.call(context, ...words);
const search = async (way: Way = 'bare_engine', ...words: [string?, string?]) =>
	await searchIn(editor(credentialFor(harness.sandbox, way)), ...words);
const names = async (...given: Parameters<typeof search>) => (await search(...given)).results.map(({ name }) => name);

describe('the list of saved workflows', () => {
	it.each(['comfyRunWorkflow', 'comfySubmitWorkflow'] as const)('is what %s searches for Saved Workflow', (node) => {
		expect(nodes[node].methods.listSearch).toHaveProperty('searchSavedWorkflows');
	});

	it.each(['bare_engine', 'self_hosted'] as Way[])('newest first, apps told in words, templates below (%s)', async (way) => {
		save('plain.json', Date.parse('2026-11-01T01:02:03.000Z'));
		save('portraits/red fox.app.json', Date.parse('2026-11-02T20:00:00.000Z'));
		expect((await search(way)).results).toMatchObject([
			{ name: 'red fox (app) · portraits · 2026-11-03 05:00', value: 'portraits/red fox.app.json' },
			{ name: 'plain · 2026-11-01 10:02', value: 'plain.json' },
			{ name: 'Template · Getting Started · Plain Colour', value: 'template:sandbox_plain_colour' },
			{ name: 'Template · Image · Colour By Choice', value: 'template:sandbox_colour_app' },
			{ name: 'Template · Image · Red', value: 'template:sandbox_red' },
			{ name: 'Template · sandbox-colours · Green & Co', value: 'template:sandbox-colours/Green & Co' },
		]);
	});

	it.each(['hosted', 'v1'] as Way[])('those of the account (%s)', async (way) => {
		save('mine.json', Date.parse('2026-11-01T01:02:03.000Z'));
		expect((await search(way)).results).toMatchObject([{ name: 'mine · 2026-11-01 10:02', value: 'mine.json' }]);
	});

	it.each([
		['FOX', ['red fox (app) · portraits · 2026-11-03 05:00']],
		['portraits 2026-11', ['red fox (app) · portraits · 2026-11-03 05:00']],
		['app', ['red fox (app) · portraits · 2026-11-03 05:00', 'Template · Image · Colour By Choice']],
		['template red', ['Template · Image · Red']],
		['nothing like it', []],
	])('is found by words: %s', async (words, wanted) => {
		save('portraits/red fox.app.json', Date.parse('2026-11-02T20:00:00.000Z'));
		expect(await names('bare_engine', words)).toEqual(wanted);
	});

	it.each(['plain.json', 'of-another-server.json'])('has what is chosen first, and as it was when it was chosen (%s)', async (value) => {
		save('plain.json', Date.parse('2026-11-01T01:02:03.000Z'));
		const onDay = (day: number) => ({
			mode: 'list',
			value,
			cachedResultName: `plain · of day ${day}`,
			cachedResultUrl: 'https://a.example',
		});
		const chosen = onDay(1);
		const { results } = await searchIn(editor(credentialFor(harness.sandbox, 'bare_engine'), chosen));
		expect(results[0]).toEqual({ name: chosen.cachedResultName, value, url: chosen.cachedResultUrl });
		expect(results.filter((entry) => entry.value === value)).toHaveLength(1);
		const nowhere = await searchIn(
			editor({ ...credentialFor(harness.sandbox, 'bare_engine'), data: { baseUrl: await deadOrigin() } }, onDay(2)),
		);
		expect(nowhere.results).toMatchObject([{ value }, { value: '' }]);
	});

	it('comes a page at a time, and every entry once', async () => {
		const now = Date.now();
		for (let place = 0; place < 250; place++) save(`many/w${place}.json`, now - place * HOUR);
		const context = editor(credentialFor(harness.sandbox, 'bare_engine'));
		const values: unknown[] = [];
		let token: string | undefined;
		let pages = 0;
		do {
			const page = await searchIn(context, '', token);
			values.push(...page.results.map(({ value }) => value));
			token = page.paginationToken as string | undefined;
			pages++;
		} while (token !== undefined && pages < 9);
		expect(pages).toBe(3);
		expect(new Set(values).size).toBe(254);
		expect(values.slice(0, 2)).toEqual(['many/w0.json', 'many/w1.json']);
		expect(harness.sandbox.requests('GET /templates/index.json')).toHaveLength(1);
	});

	it('what was just saved is there at once', async () => {
		const context = editor(credentialFor(harness.sandbox, 'bare_engine'));
		await searchIn(context);
		save('new.json');
		expect((await searchIn(context)).results[0]).toMatchObject({ value: 'new.json' });
	});

	it('without times by name', async () => {
		harness.sandbox.configure({ engineUserdata: 'names', engineTemplates: 'absent' });
		save('b.json');
		save('a/c.json');
		expect(await names()).toEqual(['c · a', 'b']);
	});
});

describe('where nothing can be listed one line says what to do', () => {
	const line = async (...given: Parameters<typeof search>): Promise<IDataObject> => {
		const { results } = await search(...given);
		expect(results).toHaveLength(1);
		return results[0] as unknown as IDataObject;
	};

	it('nothing saved yet: above the templates', async () => {
		expect((await search()).results[0]).toEqual({
			name: 'No workflow is saved in ComfyUI yet. Open one there, choose Save, then search here again.',
			value: '',
		});
		expect(await names()).toHaveLength(5);
		expect(await names('bare_engine', 'red')).toEqual(['Template · Image · Red']);
	});

	it('nothing saved, and no templates', async () => {
		harness.sandbox.configure({ engineTemplates: 'absent' });
		expect(await line()).toMatchObject({
			name: expect.stringMatching(/^No workflow is saved in ComfyUI yet, and it brings no templates/),
			value: '',
		});
	});

	it('a deployment: no key leaves for the hosted address', async () => {
		expect(await line('deployment')).toMatchObject({
			name: expect.stringMatching(/^A deployment keeps no saved workflows\. Choose/),
			value: '',
		});
		expect(harness.sandbox.requests()).toEqual([]);
	});

	it.each([
		['v1 that keeps none', 'v1' as Way, { v1Userdata: 'absent' as const }, /^This service keeps no saved workflows .*Workflow From/],
		['several users', 'bare_engine' as Way, { engineUsers: { ann_1: 'Ann' } }, /--multi-user.*comfy-user/],
	])('%s', async (_, way, behaviour, words) => {
		harness.sandbox.configure(behaviour);
		expect(await line(way)).toMatchObject({ name: expect.stringMatching(words), value: '' });
	});

	it('a wrong key', async () => {
		const { type, data, interface: chosen } = credentialFor(harness.sandbox, 'v1');
		const { results } = await searchIn(editor({ type, data: { ...data, apiKey: CANARY }, interface: chosen } as Credential));
		expect(results).toEqual([{ name: expect.stringMatching(/^The service did not accept the API Key\. Check/), value: '' }]);
		expect(JSON.stringify(results)).not.toContain(CANARY);
	});

	it('a server that does not run', async () => {
		const { type, data, interface: chosen } = credentialFor(harness.sandbox, 'bare_engine');
		const { results } = await searchIn(editor({ type, data: { ...data, baseUrl: await deadOrigin() }, interface: chosen } as Credential));
		expect(results).toEqual([{ name: expect.stringMatching(/\w\. \w/), value: '' }]);
	});
});

describe('F: a server whose saved workflows have hostile names', () => {
	const entryFor = async (path: string) => {
		save(path, Date.parse('2026-11-01T01:02:03.000Z'));
		return (await search()).results.find(({ value }) => !String(value).startsWith('template:') && value !== '');
	};

	it.each([
		['control characters', 'a\u0000b\u001b[31mc\r\nd.json', 'ab[31mcd'],
		['marks that turn the direction of writing', 'invoice\u202egpj.exe.json', 'invoicegpj.exe'],
		['characters that are not seen', 'pay\u200b\u2060pal.json', 'paypal'],
		['HTML', '<img src=x onerror=alert(1)>.json', '<img src=x onerror=alert(1)>'],
	])('F: shows %s in one plain line and keeps the path', async (_, path, shown) => {
		expect(await entryFor(path)).toMatchObject({ name: `${shown} · 2026-11-01 10:02`, value: path });
	});

	it('F: cuts a name of 5,000 characters', async () => {
		expect((await entryFor(`${'a'.repeat(5_000)}.json`))?.name).toHaveLength(300);
	});

	it('F: does not offer a name that n8n would run as an expression', async () => {
		expect(await entryFor('={{ $env.SECRET }}.json')).toBeUndefined();
	});

	it('F: does not offer a name that leads out of the folder', async () => {
		expect(await entryFor('../../etc/passwd.json')).toBeUndefined();
	});

	it('F: offers a path once, however often it is listed', async () => {
		const entry = { path: 'twice.json', size: 2, modified: 1 };
		harness.sandbox.inject({ on: 'GET *', surface: 'engine', times: Infinity, answer: { status: 200, json: [entry, entry] } });
		const { results } = await search();
		harness.sandbox.clearFaults();
		expect(results.filter(({ value }) => value === 'twice.json').length).toBeLessThanOrEqual(1);
	});
});
