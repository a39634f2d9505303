/** Hosted and deployment, where the service is strict or where its documents leave a choice. */
import { startSandbox, type Sandbox } from '../../sandbox';
import { Caller } from './support/caller';
import { picture } from './support/graphs';

let sandbox: Sandbox;
let hosted: Caller;
let deployment: Caller;
beforeAll(async () => {
	sandbox = await startSandbox();
	hosted = new Caller(sandbox, 'hosted');
	deployment = new Caller(sandbox, 'deployment');
});
afterAll(async () => await sandbox.close());
afterEach(() => sandbox.configure({ linkOrigin: null, notFoundCodes: 'specification', listTimes: 'told', lastCursor: 'absent' }));

test('relative links contain the mount prefix', async () => {
	const mounted = await startSandbox({ mountPrefix: '/gateway/one', links: 'relative' });
	const caller = new Caller(mounted, 'deployment');
	const { json } = await caller.submit(picture());
	const self = `/gateway/one/api/v2/jobs/${String(json.id)}`;
	expect(json.urls).toEqual({ self, events: `${self}/events`, cancel: `${self}/cancel`, logs: `${self}/logs` });
	expect((await caller.call('GET', new URL(self, mounted.urls.deployment).href)).status).toBe(200);
	expect(mounted.requests('GET /api/v2/jobs/:id')).toHaveLength(1);
	await mounted.close();
});

describe('configured answers', () => {
	test('links lead to the origin of linkOrigin', async () => {
		sandbox.configure({ linkOrigin: 'http://elsewhere.example' });
		const { json } = await hosted.call('GET', `/jobs/${sandbox.seeds.pinnedJob}`);
		expect(json).toHaveProperty('urls.self', expect.stringMatching(/^http:\/\/elsewhere\.example\/api/));
	});

	test('a 404 names the kind of what is missing with notFoundCodes "service"', async () => {
		sandbox.configure({ notFoundCodes: 'service' });
		expect((await hosted.call('GET', '/jobs/x/workflow')).code).toBe('job_not_found');
		expect((await hosted.call('GET', '/assets/x')).code).toBe('asset_not_found');
	});

	test.each(['deployment', 'self_hosted'] as const)('the list of %s has no times with listTimes "absent"', async (surface) => {
		const caller = new Caller(sandbox, surface);
		await caller.finished(picture());
		const timesOf = async () =>
			Object.keys(((await caller.call('GET', '/jobs')).json.jobs as object[])[0] ?? {}).filter((name) => /_(at|time)$/.test(name));
		expect((await timesOf()).length).toBeGreaterThan(1);
		sandbox.configure({ listTimes: 'absent' });
		expect(await timesOf()).toEqual([]);
	});

	test.each([
		['null', null],
		['empty', ''],
		['absent', undefined],
	] as const)('the cursor of the last page is %s', async (lastCursor, cursor) => {
		for (let count = 0; count < 2; count++) await deployment.finished(picture());
		sandbox.configure({ lastCursor });
		expect((await deployment.call('GET', '/jobs?limit=100')).json.next_cursor).toBe(cursor);
		expect((await deployment.call('GET', '/jobs?limit=1')).json.next_cursor).toEqual(expect.stringMatching(/./));
	});
});

describe('what is refused', () => {
	test.each([
		['a key of 41 characters', { ['k'.repeat(41)]: 'x' }],
		['a key with a space', { 'a b': 'x' }],
		['257 bytes', { a: `${'ж'.repeat(128)}x` }],
		['a number', { a: 5 }],
		['a line break', { a: 'x\ny' }],
		['a character that changes the writing direction', { a: 'x\u202ey' }],
		['17 entries', Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, 'x']))],
	])('a deployment refuses labels with %s', async (_name, metadata) => {
		expect(await deployment.submit(picture(), { rest: { metadata } })).toMatchObject({ status: 422, code: 'metadata_invalid' });
	});

	test('a deployment accepts the largest labels, and hosted accepts none', async () => {
		const rest = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`a_.-${index}`, '']));
		const metadata = { ['k'.repeat(40)]: 'ж'.repeat(128), ...rest };
		expect((await deployment.submit(picture(), { rest: { metadata } })).status).toBe(201);
		expect((await hosted.submit(picture(), { rest: { metadata: { a: 'b' } } })).code).toBe('metadata_not_supported');
	});

	test.each([
		['a label with a space', 'metadata[a b]=x', 'invalid_metadata_filter'],
		['a label with a line break', 'metadata[a]=x%0Ay', 'invalid_metadata_filter'],
		['a label twice', 'metadata[a]=1&metadata[a]=2', 'invalid_metadata_filter'],
		['four labels', 'metadata[a]=1&metadata[b]=1&metadata[c]=1&metadata[d]=1', 'invalid_metadata_filter'],
		['a cursor that the service did not issue', 'cursor=none-of-yours', 'invalid_cursor'],
	])('the list of a deployment refuses %s', async (_what, query, code) => {
		expect(await deployment.call('GET', `/jobs?${query}`)).toMatchObject({ status: 400, code });
	});

	test('a submission refuses unknown fields of extra_data and reserved fields', async () => {
		const keys = { api_key_service_org: 'x', auth_token_comfy_org: 'y' };
		expect((await hosted.submit(picture(), { rest: { extra_data: keys } })).status).toBe(201);
		expect(await hosted.submit(picture(), { rest: { extra_data: { other: 'x' } } })).toMatchObject({ status: 422, code: 'invalid_body' });
		expect((await hosted.submit(picture(), { rest: { inputs: {} } })).code).toBe('invalid_workflow');
	});

	test('an upload refuses an expires_in of less than a minute or more than a week', async () => {
		const { json } = await hosted.upload('short-lived', { expires_in: '60' });
		expect(Date.parse(String(json.expires_at)) - Date.now()).toBeLessThanOrEqual(60_000);
		for (const expires_in of ['59', '604801', 'soon'])
			expect(await hosted.upload('x', { expires_in })).toMatchObject({ status: 422, code: 'invalid_body' });
	});

	test('an upload that breaks off stores nothing', async () => {
		const parts = ['content_type', 'file_path']
			.map((name) => `--xyz\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nimage/png\r\n`)
			.join('');
		const body = `${parts}--xyz\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf`;
		const headers = { 'content-type': 'multipart/form-data; boundary=xyz' };
		expect(await hosted.call('POST', '/assets', { body, headers })).toMatchObject({ status: 422, code: 'invalid_body' });
		expect((await hosted.upload('half')).status).toBe(201);
	});
});
