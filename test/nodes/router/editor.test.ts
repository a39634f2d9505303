import type { ILoadOptionsFunctions, INodeListSearchItems } from 'n8n-workflow';

import { deadOrigin } from '../../client/support/deadOrigin';
import { editorContext } from '../support/editor';
import { credentialTestContext, nodes, type RouterCredential } from '../support/engine';
import { routerCredential, routerWays } from '../support/router';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();

const { methods } = nodes.comfyRunRouterModel;
const MARKER = 'marker-5d2b7';

const editor = (credential: RouterCredential, model = ''): ILoadOptionsFunctions =>
	editorContext('comfyRunRouterModel', { model: { __rl: true, mode: 'id', value: model } }, credential);

async function search(filter?: string, credential = routerCredential(sandbox)) {
	const { searchModels } = methods.listSearch;
	const pages: INodeListSearchItems[][] = [];
	let token: string | undefined;
	do {
		const { results, paginationToken } = await searchModels.call(editor(credential), filter, token);
		pages.push(results);
		token = paginationToken as string | undefined;
	} while (token !== undefined);
	return { pages, all: pages.flat() };
}

describe('the list of models', () => {
	it.each(routerWays)('pages through the whole catalog, with provider, name and what refusals cost (%s)', async (way) => {
		sandbox.configure({ routerExtraModels: 240 });
		const { pages, all } = await search(undefined, routerCredential(sandbox, way));
		expect(pages.length).toBeGreaterThan(2);
		expect(all.length).toBeGreaterThan(240);
		expect(new Set(all.map(({ value }) => value)).size).toBe(all.length);
		const names = Object.fromEntries(all.map(({ value, name }) => [value, name]));
		expect(names['lab/image']).toBe('lab / image (rejected runs free)');
		expect(names['lab/refusing-charged']).toBe('lab / refusing-charged (rejected runs charged)');
		expect(names['aurora/image-2']).toBe('aurora / image-2 (rejected runs may be charged)');
	});

	it.each(['image aurora', 'Aurora / Image'])('finds the words "%s" on all pages, and nothing for an unknown model', async (filter) => {
		const { all } = await search(filter);
		expect((await search('no-such-model')).all).toEqual([]);
		expect(all.length).toBeGreaterThan(2);
		expect(all.every(({ value }) => /aurora/.test(String(value)) && /image/.test(String(value)))).toBe(true);
	});
});

it.each(['comfyApi', 'comfyRouterJwtApi'] as const)('the list of models says that the credential is wrong (%s)', async (way) => {
	const wrong = routerCredential(sandbox, way, { apiKey: MARKER, token: MARKER });
	const error = (await search('lab', wrong).catch((cause: unknown) => cause)) as Error;
	expect(error.message).toMatch(/did not accept the (API Key|JWT)/);
	expect(JSON.stringify(error)).not.toContain(MARKER);
});

describe('the form', () => {
	const fields = async (model: string, credential = routerCredential(sandbox)) =>
		await methods.resourceMapping.inputFields.call(editor(credential, model));

	it.each(routerWays)('has the fields of the model, with required ones marked at the start of the label (%s)', async (way) => {
		const { fields: found } = await fields('lab/image', routerCredential(sandbox, way));
		expect(found[0]).toMatchObject({ id: 'prompt', type: 'string', displayName: 'Required: Prompt (1 to 4000 characters)', display: true });
		const byId = Object.fromEntries(found.map((field) => [field.id, field]));
		expect(byId.num_images).toMatchObject({ type: 'number', displayName: 'Number of results (1 to 4)', defaultValue: 1 });
		expect(byId.style).toMatchObject({
			type: 'options',
			defaultValue: 'natural',
			options: [{ name: 'natural', value: 'natural' }, {}, {}],
		});
		expect(byId.enhance_prompt).toMatchObject({ type: 'boolean', defaultValue: false });
		expect(byId['size.width']).toMatchObject({ type: 'number', displayName: 'Size > Width (16 to 256)' });
		expect(byId['size.width']).not.toHaveProperty('defaultValue');
		expect(byId).not.toHaveProperty('output_format');
		// No file and no seed can fill it.
		expect((await fields('lab/large-json')).fields).toMatchObject([
			{ id: 'bytes', required: true, displayName: expect.stringMatching(/^Bytes/) },
		]);
	});

	it('leaves out expressions of a schema', async () => {
		const properties = {
			prompt: { type: 'string', default: '={{ $env.SECRET }}' },
			style: { type: 'string', enum: ['natural', '={{ $json }}'], default: 'natural' },
			count: { type: 'integer', default: 1 },
		};
		const schema = { type: 'object', properties, required: ['style', 'count'] };
		const post = { requestBody: { content: { 'application/json': { schema } } }, responses: {} };
		const json = { openapi: '3.1.0', info: { title: 'x', version: '1' }, paths: { '/models/lab/free': { post } } };
		const fault = sandbox.inject({ on: 'GET /v2/models/:provider/:model/openapi.json', answer: { status: 200, json } });
		const { fields: found } = await fields('lab/free');
		expect(fault.used).toBe(1);
		const byId = Object.fromEntries(found.map((field) => [field.id, field]));
		expect(byId.prompt).not.toHaveProperty('defaultValue');
		expect(byId.style).toMatchObject({ options: [{ value: 'natural' }], defaultValue: 'natural' });
		expect(byId.count).toMatchObject({ defaultValue: 1 });
		expect(JSON.stringify(found)).not.toContain('={{');
	});

	it.each([
		['lab/open', /Set Input Mode to JSON/],
		['lab/no-schema', /Set Input Mode to JSON/],
		['', /Choose a model first/],
		['={{ $json.model }}', /comes from an expression/],
		['Lab/Image', /not a model ID/],
		['lab/imag', /lab\/image/],
	])('says why the model "%s" has none', async (model, notice) => {
		expect(await fields(model)).toEqual({ fields: [], emptyFieldsNotice: expect.stringMatching(notice) });
	});
});

describe('the test of a credential', () => {
	const test = async ({ type, data }: RouterCredential) =>
		await methods.credentialTest[`${type}Test`].call(credentialTestContext(), { id: '1', name: 'test', type, data });

	it.each(routerWays)('%s: a good one passes and runs nothing, under each prefix', async (way) => {
		for (const pathPrefix of ['automatic', '/v1', '/v2']) {
			expect(await test(routerCredential(sandbox, way, { pathPrefix }))).toMatchObject({ status: 'OK' });
		}
		expect(sandbox.requests('POST *')).toEqual([]);
	});

	it.each(routerWays)('%s: a wrong one is named, and not shown', async (way) => {
		const { status, message } = await test(routerCredential(sandbox, way, { apiKey: MARKER, token: MARKER }));
		expect(status).toBe('Error');
		expect(message).toMatch(
			way === 'comfyApi' ? /did not accept the API Key.*Comfy API credential/s : /did not accept the JWT.*Comfy Router JWT API credential/s,
		);
		expect(message).not.toContain(MARKER);
	});

	it('reports a wrong prefix and a router that is down', async () => {
		sandbox.configure({ routerPrefixes: 'v2' });
		expect(await test(routerCredential(sandbox, 'comfyRouterJwtApi', { pathPrefix: '/v1' }))).toMatchObject({
			status: 'Error',
			message: expect.stringContaining('Router URL'),
		});
		sandbox.configure({ routerPrefixes: 'both' });
		const dead = await test(routerCredential(sandbox, 'comfyRouterJwtApi', { routerUrl: await deadOrigin() }));
		expect(dead.message).toMatch(/connection was refused.*Router URL in the Comfy Router JWT API credential/s);
	});
});
