/** The router's catalog, schemas and authentication answer as the specification says, row by row. */
import { startSandbox } from '../../../sandbox';
import { sharedSandbox } from '../../nodes/support/sandbox';
import type { Answered } from '../openApi';
import { bucketOf, calmDown, contract, RouterCaller } from './caller';

const HOUR_MS = 60 * 60 * 1000;

const sandbox = sharedSandbox();
const router = new RouterCaller(sandbox);
afterEach(() => calmDown(sandbox));

const list = async (query?: string): Promise<Answered> => await router.call('listModels', query === undefined ? {} : { query });
const refusal = ({ status, ...rest }: Answered) => [status, bucketOf({ status, ...rest })];

test('an invalid or expired cursor is 400 invalid_input, and never restarts the list', async () => {
	expect(refusal(await list('cursor=abc'))).toEqual([400, 'invalid_input']);
	const { next_cursor: cursor } = (await list()).json;
	sandbox.advanceClock(HOUR_MS + 1);
	expect(refusal(await list(new URLSearchParams({ cursor: String(cursor) }).toString()))).toEqual([400, 'invalid_input']);
});

describe('schema rules', () => {
	const schema = async (ifNoneMatch?: string, model = 'lab/image'): Promise<Answered> =>
		await router.call('getInputSchema', { model, headers: ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch } });
	const tag = async (): Promise<string> => (await schema()).headers.get('etag') ?? '';
	const checks: Record<string, () => Promise<void>> = {
		'200 carries a strong ETag and Cache-Control private, must-revalidate': async () => {
			const { headers } = await schema();
			expect([headers.get('etag'), headers.get('cache-control')]).toEqual([expect.stringMatching(/^"[^"]+"$/), 'private, must-revalidate']);
		},
		'304 has no body and the same ETag when the tag matches': async () => {
			const { status, headers, bytes } = await schema(await tag());
			expect([status, headers.get('etag'), bytes.length]).toEqual([304, await tag(), 0]);
		},
		'If-None-Match is compared weakly': async () => {
			expect((await schema(`"other", W/${await tag()}`)).status).toBe(304);
		},
		'If-None-Match * matches any document': async () => {
			expect((await schema('*')).status).toBe(304);
		},
		'another tag gets the document': async () => {
			expect((await schema('"other"')).status).toBe(200);
			expect((await schema(await tag(), 'lab/slow')).status).toBe(200);
		},
		'it is the document that calls are validated by': async () => {
			const { json } = await schema(undefined, 'lab/slow');
			expect(JSON.stringify(json)).toContain('"ms":{"type":"integer"');
			expect((await router.run('lab/slow', { ms: 'soon' })).json).toEqual({
				detail: [expect.objectContaining({ loc: ['body', 'ms'], type: 'int_type', input: 'soon' })],
			});
		},
		'x-service-input-schema-authored is false where any object is taken': async () => {
			const flags = await Promise.all(
				['lab/open', 'lab/image'].map(async (model) => (await schema(undefined, model)).json['x-service-input-schema-authored']),
			);
			expect(flags).toEqual([false, true]);
			expect((await router.run('lab/open', { whatever: [1] })).json).toEqual({ input: { whatever: [1] } });
			sandbox.configure({ requestIdHeader: 'X-Comfy-Request-Id' });
			const raw = await fetch(`${router.address}/models/lab/open/openapi.json`, { headers: { 'x-api-key': sandbox.keys.apiKey } });
			expect(await raw.json()).toMatchObject({ 'x-comfy-input-schema-authored': false });
		},
		'input_schema_url is absent where no schema was written': async () => {
			expect((await router.call('getModel', { model: 'lab/no-schema' })).json).not.toHaveProperty('input_schema_url');
			expect((await router.call('getModel', { model: 'lab/open' })).json.input_schema_url).toMatch(/^https:\/\//);
		},
	};
	test.each(Object.entries(checks))('%s', async (_, check) => await check());
});

describe('authentication', () => {
	test.each<[credential: string, isAccepted: boolean, headers: () => Record<string, string>]>([
		['a JWT as bearer', true, () => ({ authorization: `Bearer ${sandbox.keys.jwt}` })],
		['X-API-Key', true, () => ({ 'x-api-key': sandbox.keys.apiKey })],
		['an API key as bearer', true, () => ({ authorization: `Bearer ${sandbox.keys.otherApiKey}` })],
		['X-API-Key beside a wrong bearer', true, () => ({ 'x-api-key': sandbox.keys.apiKey, authorization: 'Bearer wrong' })],
		['a wrong X-API-Key beside a JWT', false, () => ({ 'x-api-key': 'comfyui-wrong', authorization: `Bearer ${sandbox.keys.jwt}` })],
		['an expired JWT', false, () => ({ authorization: `Bearer ${sandbox.jwt({ expiresInSeconds: -1 })}` })],
		['a forged JWT', false, () => ({ authorization: `Bearer ${sandbox.jwt({ expiresInSeconds: 60 }).replace(/.{4}$/, 'AAAA')}` })],
		['no credential', false, () => ({})],
	])('the credential %s is accepted: %s', async (_, isAccepted, headers) => {
		for (const { id } of contract.operations.values()) {
			const { status } = await router.call(id, {
				apiKey: null,
				headers: headers(),
				model: 'lab/free',
				request: 'none',
				...(id !== 'submitRequest' && id !== 'runModel' ? {} : { json: { prompt: 'x' } }),
			});
			expect([id, status === 401]).toEqual([id, !isAccepted]);
		}
	});

	test('a new token is accepted for its account, and the tokens of a closed sandbox are valid in the next one', async () => {
		const by = (token: string) => ({ apiKey: null, headers: { authorization: `Bearer ${token}` } });
		const other = by(sandbox.jwt({ expiresInSeconds: 60, account: 'other' }));
		expect((await router.run('lab/members-only', { prompt: 'x' }, other)).status).toBe(403);
		const successor = await startSandbox({ keys: sandbox.keys });
		expect((await new RouterCaller(successor).call('listModels', by(sandbox.keys.otherJwt))).status).toBe(200);
		await successor.close();
	});
});

test.each(['v1', 'v2'] as const)('a router that has %s only answers a bare 404 below the other prefix', async (prefix) => {
	sandbox.configure({ routerPrefixes: prefix });
	const headers = { 'x-api-key': sandbox.keys.apiKey };
	for (const one of ['v1', 'v2'] as const) {
		const answer = await fetch(`${sandbox.urls.router}/${one}/models`, { headers });
		expect([answer.status, answer.headers.get('x-service-error-type')]).toEqual([one === prefix ? 200 : 404, null]);
	}
});
