/** Hosted and deployment, where the specification leaves room or a client could be fooled. */
import { startSandbox, type Sandbox } from '../../sandbox';
import { Caller } from './support/caller';
import { picture, slowPicture, textFile, withAsset } from './support/graphs';

let sandbox: Sandbox;
let hosted: Caller;
let deployment: Caller;
beforeAll(async () => {
	sandbox = await startSandbox();
	hosted = new Caller(sandbox, 'hosted');
	deployment = new Caller(sandbox, 'deployment');
});
afterAll(async () => await sandbox.close());
afterEach(() => {
	sandbox.configure({ workers: 4, links: 'absolute', linkOrigin: null, notFoundCodes: 'specification', hashes: 'given' });
	sandbox.setCredits('main', Infinity);
	sandbox.setQueueLimit(Infinity);
});

test('the key goes in the bearer header, and nowhere else', async () => {
	const path = `/jobs/${sandbox.seeds.pinnedJob}`;
	expect((await hosted.call('GET', path)).status).toBe(200);
	expect((await hosted.call('GET', path, { key: null, headers: { 'x-api-key': sandbox.keys.apiKey } })).code).toBe('unauthorized');
	expect((await hosted.call('GET', path, { key: sandbox.keys.partnerKey })).code).toBe('unauthorized');
	expect((await deployment.call('GET', '/jobs')).status).toBe(200);
});

describe('links', () => {
	test('relative ones hold the mount prefix', async () => {
		const mounted = await startSandbox({ mountPrefix: '/gateway/one', links: 'relative' });
		const caller = new Caller(mounted, 'deployment');
		const { json } = await caller.submit(picture());
		const self = `/gateway/one/api/v2/jobs/${String(json.id)}`;
		expect(json.urls).toEqual({ self, events: `${self}/events`, cancel: `${self}/cancel`, logs: `${self}/logs` });
		expect((await caller.call('GET', new URL(self, mounted.urls.deployment).href)).status).toBe(200);
		expect(mounted.requests('GET /api/v2/jobs/:id')).toHaveLength(1);
		await mounted.close();
	});

	test('only deployments link to logs', async () => {
		expect((await hosted.submit(picture())).json.urls).not.toHaveProperty('logs');
	});

	test('they can lead to another origin', async () => {
		sandbox.configure({ linkOrigin: 'http://elsewhere.example' });
		expect((await hosted.call('GET', `/jobs/${sandbox.seeds.pinnedJob}`)).json).toHaveProperty(
			'urls.self',
			expect.stringMatching(/^http:\/\/elsewhere\.example\/api/),
		);
	});
});

test('a 404 may say which thing is missing', async () => {
	sandbox.configure({ notFoundCodes: 'service' });
	expect((await hosted.call('GET', '/jobs/x/workflow')).code).toBe('job_not_found');
	expect((await hosted.call('GET', '/assets/x')).code).toBe('asset_not_found');
});

describe('jobs', () => {
	test('outputs can be read while the job runs', async () => {
		const id = await hosted.started({ ...textFile('text'), ...slowPicture(300) });
		for (;;) {
			const job = await hosted.read(id, 'running');
			if ((job.outputs as unknown[]).length === 0) continue;
			expect(job).toMatchObject({
				outputs: [{ node_id: 'file', hash: expect.stringMatching(/^blake3:/), size_bytes: expect.any(Number) }],
				completed_at: null,
			});
			break;
		}
		await hosted.call('POST', `/jobs/${id}/cancel`);
	});

	test('a cancel goes over canceling; in the queue it is done at once', async () => {
		sandbox.configure({ workers: 1 });
		const running = await hosted.started(slowPicture(500));
		await hosted.read(running, 'running');
		const waiting = [await hosted.started(picture()), await hosted.started(picture())];
		expect(await hosted.read(waiting[1] ?? '', 'queued')).toMatchObject({ queue_position: 2, progress: null, started_at: null });
		expect((await hosted.call('POST', `/jobs/${waiting[0]}/cancel`)).json).toMatchObject({ status: 'canceled', started_at: null });
		expect((await hosted.call('GET', `/jobs/${waiting[1]}`)).json.queue_position).toBe(1);
		expect((await hosted.call('POST', `/jobs/${running}/cancel`)).json.status).toBe('canceling');
		expect((await hosted.read(running)).status).toBe('canceled');
		expect((await hosted.read(waiting[1] ?? '')).status).toBe('succeeded');
	});

	test('each costs a credit', async () => {
		sandbox.setCredits('main', 1);
		expect((await hosted.submit(picture())).status).toBe(201);
		expect(await hosted.submit(picture())).toMatchObject({ status: 402, code: 'insufficient_credits' });
		const other = await hosted.call('POST', '/jobs', { key: sandbox.keys.otherApiKey, json: { workflow: picture() } });
		expect(other.status).toBe(201);
	});

	test('a full queue says when to come back', async () => {
		sandbox.configure({ workers: 0 });
		sandbox.setQueueLimit(1);
		const first = await deployment.submit(picture());
		const { status, code, headers } = await deployment.submit(picture());
		expect([first.status, status, code, headers.get('retry-after')]).toEqual([201, 429, 'queue_full', '1']);
	});

	test('past its retention a job is gone, with its workflow, cancel and outputs', async () => {
		const id = await hosted.started(picture());
		const { outputs } = await hosted.read(id);
		const [output] = outputs as [{ id: string }];
		expect((await hosted.call('GET', `/assets/${output.id}`)).status).toBe(200);
		sandbox.expireJob(id);
		for (const path of ['', '/content']) expect((await hosted.call('GET', `/assets/${output.id}${path}`)).code).toBe('not_found');
		for (const [method, path] of [
			['GET', ''],
			['GET', '/workflow'],
			['GET', '/events'],
			['POST', '/cancel'],
		] as const) {
			expect((await hosted.call(method, `/jobs/${id}${path}`)).code).toBe('not_found');
		}
	});

	test('hosted lists nothing; a deployment lists in pages, by label', async () => {
		expect(await hosted.call('GET', '/jobs')).toMatchObject({ status: 501, code: 'not_implemented' });
		const ids = [];
		for (let index = 0; index < 3; index++) ids.unshift(await deployment.started(picture(), { metadata: { batch: 'seven' } }));
		await deployment.started(picture(), { metadata: { batch: 'eight' } });
		const page = async (query: string) =>
			(await deployment.call('GET', `/jobs?metadata[batch]=seven&limit=2${query}`)).json as {
				jobs: Array<{ id: string }>;
				next_cursor?: string;
			};
		const first = await page('');
		const second = await page(`&cursor=${first.next_cursor ?? ''}`);
		expect([...first.jobs, ...second.jobs].map(({ id }) => id)).toEqual(ids);
		expect(second).not.toHaveProperty('next_cursor');
		expect(first.jobs[0]).not.toHaveProperty('outputs');
		const four = 'abcd'
			.split('')
			.map((label) => `metadata[${label}]=1`)
			.join('&');
		expect(await deployment.call('GET', `/jobs?${four}`)).toMatchObject({ status: 400, code: 'invalid_metadata_filter' });
	});

	test('labels are for deployments', async () => {
		expect((await hosted.submit(picture(), { rest: { metadata: { a: 'b' } } })).code).toBe('metadata_not_supported');
		expect((await deployment.submit(picture(), { rest: { metadata: { a: 5 } } })).code).toBe('metadata_invalid');
	});

	test.each([
		['a key of 41 characters', { ['k'.repeat(41)]: 'x' }],
		['a key with a space', { 'a b': 'x' }],
		['257 bytes', { a: `${'ж'.repeat(128)}x` }],
		['a line break', { a: 'x\ny' }],
		['what turns the direction of writing', { a: 'x\u202ey' }],
		['17 of them', Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, 'x']))],
	])('a deployment refuses labels with %s', async (_name, metadata) => {
		expect(await deployment.submit(picture(), { rest: { metadata } })).toMatchObject({ status: 422, code: 'metadata_invalid' });
		const fine = {
			['k'.repeat(40)]: 'ж'.repeat(128),
			...Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`a_.-${index}`, ''])),
		};
		expect((await deployment.submit(picture(), { rest: { metadata: fine } })).status).toBe(201);
	});

	test('a deployment refuses a filter that can be no label', async () => {
		for (const filter of ['metadata[a b]=x', 'metadata[a]=x%0Ay', 'metadata[a]=1&metadata[a]=2']) {
			expect(await deployment.call('GET', `/jobs?${filter}`)).toMatchObject({ status: 400, code: 'invalid_metadata_filter' });
		}
	});

	test('logs: none on hosted, text on a deployment', async () => {
		expect((await hosted.call('GET', `/jobs/${sandbox.seeds.pinnedJob}/logs`)).status).toBe(204);
		const { id } = await deployment.finished(picture());
		expect((await deployment.call('GET', `/jobs/${String(id)}/logs`)).json).toMatchObject({
			text: expect.stringContaining('SaveImage'),
			truncated: false,
			complete: true,
		});
	});

	test('extra_data is closed, and two fields are reserved', async () => {
		expect((await hosted.submit(picture(), { rest: { extra_data: { api_key_service_org: 'x', auth_token_comfy_org: 'y' } } })).status).toBe(
			201,
		);
		expect(await hosted.submit(picture(), { rest: { extra_data: { other: 'x' } } })).toMatchObject({ status: 422, code: 'invalid_body' });
		expect((await hosted.submit(picture(), { rest: { inputs: {} } })).code).toBe('invalid_workflow');
	});

	test('an asset of another account is as missing as one that never was', async () => {
		const { json } = await hosted.upload('mine alone');
		const foreign = await hosted.call('POST', '/jobs', { key: sandbox.keys.otherApiKey, json: { workflow: withAsset(String(json.id)) } });
		const unknown = await hosted.submit(withAsset('never'));
		expect([foreign.status, foreign.json]).toEqual([unknown.status, unknown.json]);
		expect(unknown.json.error).toMatchObject({ code: 'missing_asset', details: { node_errors: { load: [{ field: 'image' }] } } });
	});
});

describe('assets', () => {
	test('one blob under two names gives two records; one under the same name gives the first', async () => {
		const first = await hosted.upload('shared', { file_path: 'a.png' });
		const named = await hosted.upload('shared', { file_path: 'b.png' });
		const same = await hosted.upload('shared', { file_path: 'a.png' });
		expect([first.status, named.status, same.status]).toEqual([201, 200, 200]);
		expect(named.json).toMatchObject({ hash: first.json.hash, file_path: 'b.png', created_new: false });
		expect([named.json.id === first.json.id, same.json.id === first.json.id]).toEqual([false, true]);
	});

	test('deleting a record leaves the bytes; the hash is known on', async () => {
		const { json } = await hosted.upload('deleted');
		const byHash = `/assets/by-hash/${encodeURIComponent(String(json.hash))}`;
		expect((await hosted.call('DELETE', `/assets/${String(json.id)}`)).status).toBe(204);
		expect((await hosted.call('DELETE', `/assets/${String(json.id)}`)).status).toBe(404);
		expect((await hosted.call('HEAD', byHash)).status).toBe(200);
		const minted = await hosted.call('POST', '/assets/from-hash', { json: { hash: json.hash, file_path: 'again.png' } });
		expect(minted).toMatchObject({ status: 201, json: { content_type: 'image/png', size_bytes: 7 } });
	});

	test('bytes of another account are as unknown as any', async () => {
		const { json } = await hosted.upload('private');
		const asked = { key: sandbox.keys.otherApiKey };
		expect((await hosted.call('HEAD', `/assets/by-hash/${String(json.hash)}`, asked)).status).toBe(404);
		expect((await hosted.call('POST', '/assets/from-hash', { ...asked, json: { hash: json.hash } })).code).toBe('blob_not_found');
		expect((await hosted.call('GET', `/assets/${String(json.id)}`, asked)).status).toBe(404);
	});

	test('an asset that a job reads cannot be deleted until the job has ended', async () => {
		sandbox.configure({ workers: 0 });
		const { json } = await hosted.upload('in use');
		const jobId = await hosted.started(withAsset(String(json.id)));
		expect(await hosted.call('DELETE', `/assets/${String(json.id)}`)).toMatchObject({ status: 409, code: 'asset_in_use' });
		await hosted.call('POST', `/jobs/${jobId}/cancel`);
		expect((await hosted.call('DELETE', `/assets/${String(json.id)}`)).status).toBe(204);
	});

	test('bytes that do not match their announced hash are not kept', async () => {
		const other = (await hosted.upload('other')).json.hash;
		expect(await hosted.upload('surprise', { expected_hash: String(other) })).toMatchObject({ status: 409, code: 'hash_mismatch' });
		expect((await hosted.upload('surprise')).status).toBe(201);
	});

	test('no hashes: none is given, and none is known', async () => {
		sandbox.configure({ hashes: 'null' });
		const { json } = await hosted.upload('unhashed');
		expect(json.hash).toBeNull();
		const { outputs } = await hosted.finished(picture());
		expect(outputs).toMatchObject([{ hash: null }]);
		expect((await hosted.upload('unhashed')).status).toBe(201);
		sandbox.configure({ hashes: 'given' });
		const { hash } = (await hosted.call('GET', `/assets/${String(json.id)}`)).json;
		expect((await hosted.call('HEAD', `/assets/by-hash/${String(hash)}`)).status).toBe(200);
		sandbox.configure({ hashes: 'null' });
		expect((await hosted.call('HEAD', `/assets/by-hash/${String(hash)}`)).status).toBe(404);
	});

	test('expires_in is a minute to a week', async () => {
		const { json } = await hosted.upload('short-lived', { expires_in: '60' });
		expect(Date.parse(String(json.expires_at)) - Date.now()).toBeLessThanOrEqual(60_000);
		for (const bad of ['59', '604801', 'soon'])
			expect(await hosted.upload('x', { expires_in: bad })).toMatchObject({ status: 422, code: 'invalid_body' });
	});

	test('an upload that breaks off leaves nothing', async () => {
		const boundary = 'xyz';
		const parts = ['content_type', 'file_path']
			.map((name) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nimage/png\r\n`)
			.join('');
		const body = `${parts}--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf`;
		const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
		expect(await hosted.call('POST', '/assets', { body, headers })).toMatchObject({ status: 422, code: 'invalid_body' });
		expect((await hosted.upload('half')).status).toBe(201);
	});
});
