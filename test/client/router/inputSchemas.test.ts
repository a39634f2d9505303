import { json } from '../support/server';
import { useRouterAnswers } from './support/answering';
import { useRouterSandbox } from './support/sandbox';

const harness = useRouterSandbox();
const answers = useRouterAnswers();

const SCHEMA = 'GET /v2/models/:provider/:model/openapi.json';

const documentOf = (schema: object, rest: object = {}, id = 'lab/open') => ({
	openapi: '3.1.0',
	...rest,
	paths: {
		[`/v1/models/${id}/requests`]: { post: { requestBody: { content: { 'application/json': { schema: { title: 'not this one' } } } } } },
		[`/v1/models/${id}`]: { post: { requestBody: { content: { 'application/json': { schema } } } } },
	},
});

describe('the cache', () => {
	test('keeps one document with its ETag for each model of a connection', async () => {
		const [one, other] = [harness.connect(), harness.connect()];
		const models = ['aurora/image-2', 'lab/slow', 'harbor/image-2'];
		const read = async () => await Promise.all(models.map(async (model) => await one.router.inputSchema(model)));
		const first = await read();
		const asked = harness.sandbox.requests(SCHEMA);
		expect(asked.map(({ status, headers }) => [status, headers['if-none-match']])).toEqual(models.map(() => [200, undefined]));
		expect(new Set(first.map(({ request_id }) => request_id))).toEqual(new Set(asked.map(({ requestId }) => requestId)));
		const second = await read();
		const again = harness.sandbox.requests(SCHEMA).slice(models.length);
		expect(again.map(({ status }) => status)).toEqual(models.map(() => 304));
		expect(new Set(again.map(({ headers }) => headers['if-none-match'])).size).toBe(models.length);
		second.forEach((schema, index) => expect(schema).toEqual({ ...first[index], request_id: schema.request_id }));
		expect(second[0]?.document).not.toEqual(second[1]?.document);
		await other.router.inputSchema('lab/slow');
		expect(harness.sandbox.requests(SCHEMA).at(-1)?.status).toBe(200);
	});

	test('is revalidated every time, takes a document that has changed, and keeps none without an ETag', async () => {
		const router = answers.answering(
			json(200, documentOf({ title: 'one' }), { etag: '"1"', 'cache-control': 'private, max-age=300' }),
			json(200, documentOf({ title: 'two' }), { etag: '"2"' }),
			(_request, response) => void response.writeHead(304, { etag: '"2"', 'x-comfy-request-id': 'req-304' }).end(),
			json(200, documentOf({ title: 'three' })),
		);
		await router.inputSchema('lab/open');
		await expect(router.inputSchema('lab/open')).resolves.toMatchObject({ schema: { title: 'two' } });
		await expect(router.inputSchema('lab/open')).resolves.toMatchObject({ schema: { title: 'two' }, request_id: 'req-304' });
		for (let reads = 0; reads < 2; reads++) await router.inputSchema('lab/open');
		expect(answers.server.seen.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"1"', '"2"', '"2"', undefined]);
	});

	test('has no document for a 304 to an unconditional request', async () => {
		const router = answers.answering((_request, response) => void response.writeHead(304).end());
		await expect(router.inputSchema('lab/open')).rejects.toMatchObject({ facts: { status: 304 } });
	});
});

describe('a document', () => {
	const read = async (document: object) => await answers.answering(json(200, document)).inputSchema('lab/open');

	test("holds the body of the run of this model, with its $refs in place, not that of the queue's route", async () => {
		const schema = { $ref: '#/components/schemas/Input' };
		await expect(read(documentOf(schema))).resolves.toMatchObject({ schema, authored: true });
		const other = documentOf({ title: 'another model' }, {}, 'lab/first');
		const two = { ...other, paths: { ...other.paths, ...documentOf(schema).paths } };
		await expect(read(two)).resolves.toMatchObject({ schema });
		await expect(read(documentOf(schema, {}, '{id}'))).resolves.toMatchObject({ schema });
	});

	test.each(['x-service-input-schema-authored', 'x-comfy-input-schema-authored'])('says with %s whether it was written', async (flag) => {
		await expect(read(documentOf({ type: 'object' }, { [flag]: false }))).resolves.toMatchObject({ authored: false });
		await expect(read(documentOf({ type: 'object', [flag]: false }))).resolves.toMatchObject({ authored: false });
		await expect(read(documentOf({ type: 'object' }, { [flag]: true }))).resolves.toMatchObject({ authored: true });
	});

	test('may keep the flag, and the body, behind a $ref', async () => {
		const components = {
			requestBodies: { Body: { content: { 'application/json': { schema: { $ref: '#/components/schemas/In~1put' } } } } },
			schemas: { 'In/put': { 'x-comfy-input-schema-authored': false } },
		};
		const document = { components, paths: { '/models/lab/open': { post: { requestBody: { $ref: '#/components/requestBodies/Body' } } } } };
		await expect(read(document)).resolves.toMatchObject({ schema: { $ref: '#/components/schemas/In~1put' }, authored: false });
	});

	test('without a body holds no schema, and was not written', async () => {
		await expect(read({ openapi: '3.1.0', paths: {} })).resolves.toMatchObject({ schema: undefined, authored: false });
	});
});
