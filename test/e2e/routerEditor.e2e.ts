import { sandboxCredentials } from '../../scripts/sandboxCredentials';
import { edited, type RouterWay, routerWays } from './support/router';
import { openSession, type Session } from './support/session';
import { nobody } from './support/strangers';

let session: Session;
beforeAll(async () => {
	session = await openSession();
});
afterAll(() => session.close());

/** Every page of the list of models, as scrolling down in the editor asks for them. */
async function pagesOf(way: RouterWay, filter?: string): Promise<Array<Array<{ name: string; value: string }>>> {
	const pages = [];
	let paginationToken: string | undefined;
	do {
		const page = await session.rest.listResults(edited(session, 'model', '', way), { filter, paginationToken });
		pages.push(page.results);
		paginationToken = page.paginationToken;
	} while (paginationToken !== undefined);
	return pages;
}

test.each(routerWays)('the list of models pages to its end with a %s credential', async (way) => {
	const pages = await pagesOf(way);
	const ids = pages.flat().map(({ value }) => value);
	expect(pages.length).toBeGreaterThan(2);
	expect(ids.length).toBeGreaterThan(250);
	expect(new Set(ids).size).toBe(ids.length);
	expect(pages.flat()).toContainEqual(
		expect.objectContaining({ value: 'aurora/image-2', name: 'aurora / image-2 (refusals may be charged)' }),
	);
});

test('the list of models searches by provider and name', async () => {
	const found = (await pagesOf('comfyApi', 'Orchid image')).flat();
	expect(found.map(({ value }) => value)).toEqual(['orchid/image-1', 'orchid/image-2', 'orchid/image-3-fast']);
	expect((await pagesOf('comfyApi', 'no such model')).flat()).toEqual([]);
});

const fieldsOf = async (model: string) => await session.rest.mapperFields(edited(session, 'form', model));

test.each<[string, object]>([
	['aurora/image-2', { prompt: 'string', style: 'options', 'size.width': 'number', num_images: 'number', enhance_prompt: 'boolean' }],
	['lab/speech', { text: 'string', voice: 'options', 'voice_settings.stability': 'number', language: 'string' }],
	['lab/every-feature', { prompt: 'string', count: 'number', tags: 'array', 'box.corner.x': 'number', labels: 'object' }],
])('the form of %s has the inputs of its own schema', async (model, expected) => {
	const { fields } = await fieldsOf(model);
	expect(Object.fromEntries(fields.map(({ id, type }) => [id, type]))).toMatchObject(expected);
	expect(fields.find(({ id }) => ['prompt', 'text'].includes(id))?.displayName).toMatch(/^Required: /);
});

test('a model without a schema says so, and names the next step', async () => {
	const { fields, emptyFieldsNotice } = await fieldsOf('lab/no-schema');
	expect(fields).toEqual([]);
	expect(emptyFieldsNotice).toMatch(/Set Input Mode to JSON/);
});

/** Tests a credential of this type with these changes, as the editor does. */
async function testOf(way: RouterWay, changes: Record<string, string> = {}) {
	const good = sandboxCredentials(session.sandbox).find(({ type }) => type === way);
	if (!good) throw new Error(`No credential of type ${way}`);
	const data = { ...good.data, ...changes };
	return await session.rest.testCredential({ ...(await session.rest.createCredential({ ...good, data })), data });
}

test.each(routerWays)('testing a %s credential says that it is good', async (way) => {
	await expect(testOf(way)).resolves.toMatchObject({ status: 'OK' });
});

test('the test of a JWT names what is wrong if it has expired, is no token of the service, or has a wrong address', async () => {
	const expired = session.sandbox.jwt({ expiresInSeconds: -60 });
	const results = [
		await testOf('comfyRouterJwtApi', { token: expired }),
		await testOf('comfyRouterJwtApi', { token: 'not-a-token' }),
		await testOf('comfyRouterJwtApi', { routerUrl: await nobody() }),
	];
	expect(results.map(({ status }) => status)).toEqual(['Error', 'Error', 'Error']);
	expect(results.map(({ message }) => message)).toEqual([
		expect.stringMatching(/expired/),
		expect.stringMatching(/did not accept/),
		expect.stringMatching(/refused/),
	]);
	for (const { message } of results) for (const secret of [expired, 'not-a-token']) expect(message).not.toContain(secret);
});
