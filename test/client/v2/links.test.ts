import { connect, ConnectionError, type Job, waitForJob, withScheme } from '../../../client';
import { parseBaseUrl, resolveLink } from '../../../client/requests/address';
import { quickGraph } from '../support/graphs';
import { accessTo, useSandbox } from '../support/sandbox';
import { startSandbox } from '../../../sandbox';
import { json, serve } from '../support/server';

test.each([
	['https://a.test', 'https://a.test', ''],
	[' https://a.test/ ', 'https://a.test', ''],
	['https://a.test/api/v2', 'https://a.test', ''],
	['https://a.test/api', 'https://a.test', ''],
	['http://127.0.0.1:8189/gateway/one/', 'http://127.0.0.1:8189', '/gateway/one'],
	['http://127.0.0.1:8189/gateway/api/v2', 'http://127.0.0.1:8189', '/gateway'],
	['HTTPS://A.test:443/x?y#z', 'https://a.test', '/x'],
	['https://a.test/api/comfy', 'https://a.test', '/api/comfy'],
	// Copied from an example of a request.
	['http://127.0.0.1:8188/prompt', 'http://127.0.0.1:8188', ''],
	['http://127.0.0.1:8188/api/prompt/', 'http://127.0.0.1:8188', ''],
	['http://127.0.0.1:8188/view?filename=a.png', 'http://127.0.0.1:8188', ''],
	['http://127.0.0.1:8188/api/upload/image', 'http://127.0.0.1:8188', ''],
	['https://a.test/comfy/api/prompt', 'https://a.test', '/comfy'],
	['https://a.test/gateway/api/v2/jobs/1/events', 'https://a.test', '/gateway'],
])('the address %j is read as %s with the prefix %j', (text, origin, prefix) => expect(parseBaseUrl(text)).toEqual({ origin, prefix }));

test.each([
	['127.0.0.1:8188', 'http', 'http://127.0.0.1:8188'],
	['[::1]:8188', 'http', 'http://[::1]:8188'],
	['cloud.comfy.org', 'https', 'https://cloud.comfy.org'],
	['https://a.test', 'http', 'https://a.test'],
	['ftp://a.test', 'http', 'ftp://a.test'],
	['mailto:a', 'http', 'mailto:a'],
	['not a url', 'http', 'not a url'],
] as const)('the address %j with the default scheme %s becomes %j', (text, scheme, address) =>
	expect(withScheme(text, scheme)).toBe(address),
);

test.each(['', 'service.test', '127.0.0.1:8189', 'localhost:8189', 'ftp://a.test', 'https://user:marker@a.test', 'file:///etc/passwd'])(
	'%j is refused as the address of a service',
	(baseUrl) => {
		const opening = () => connect({ interface: 'v2', baseUrl });
		expect(opening).toThrow(ConnectionError);
		expect(opening).toThrow(expect.objectContaining({ trouble: 'invalid_address', mayHaveArrived: false }));
		expect(opening).not.toThrow(/marker/);
	},
);

/** A link is the origin that the service sees (its `Host`), followed by a path. A relative link has no origin. */
const RELATIVE = '';
const FRONT = 'https://front.test';

describe.each([
	{ keepsLinks: false, name: 'without Use This Address For Links' },
	{ keepsLinks: true, name: 'with Use This Address For Links' },
])('a link, $name,', ({ keepsLinks }) => {
	const requestedUrl = (address: string, link: string) => {
		const base = { address: parseBaseUrl(address), root: '/api/v2', keepsLinks };
		return resolveLink(link, base.address.origin, base)?.href;
	};

	test.each([
		// A service without a prefix.
		[FRONT, FRONT, '/api/v2/jobs/a', `${FRONT}/api/v2/jobs/a`],
		[FRONT, RELATIVE, '/api/v2/jobs/a', `${FRONT}/api/v2/jobs/a`],
		// The reverse proxy removes the prefix.
		[`${FRONT}/comfy`, FRONT, '/api/v2/jobs/a', `${FRONT}/comfy/api/v2/jobs/a`],
		[`${FRONT}/comfy`, FRONT, '/api/v2/jobs/b/events?from=1', `${FRONT}/comfy/api/v2/jobs/b/events?from=1`],
		[`${FRONT}:8443/comfy`, `${FRONT}:8443`, '/api/v2/jobs/a', `${FRONT}:8443/comfy/api/v2/jobs/a`],
		// The reverse proxy keeps the prefix, or reports it to the service.
		[`${FRONT}/comfy`, RELATIVE, '/comfy/api/v2/jobs/b', `${FRONT}/comfy/api/v2/jobs/b`],
		[`${FRONT}/team/comfy`, FRONT, '/team/comfy/api/v2/jobs/a', `${FRONT}/team/comfy/api/v2/jobs/a`],
		// The reverse proxy removes the start of the prefix.
		[`${FRONT}/team/comfy`, FRONT, '/comfy/api/v2/jobs/a', `${FRONT}/team/comfy/api/v2/jobs/a`],
		[`${FRONT}/team/comfy`, RELATIVE, '/api/v2/jobs/b', `${FRONT}/team/comfy/api/v2/jobs/b`],
	])('to the interface leads to the address: %s, %s, %s', (address, host, path, requested) =>
		expect(requestedUrl(address, host + path)).toBe(requested),
	);

	test.each([
		// The reverse proxy does not forward the host, or it forwards it without TLS.
		[`${FRONT}/comfy`, 'http://127.0.0.1:8189', '/api/v2/jobs/a', `${FRONT}/comfy/api/v2/jobs/a`],
		[`${FRONT}/comfy`, 'http://comfy-api:8189', '/comfy/api/v2/jobs/b', `${FRONT}/comfy/api/v2/jobs/b`],
		[`${FRONT}/comfy`, 'http://front.test', '/api/v2/assets/a/content?x=1', `${FRONT}/comfy/api/v2/assets/a/content?x=1`],
		// The reverse proxy replaces the prefix by a different one.
		[`${FRONT}/comfy`, 'http://127.0.0.1:8189', '/mounted/api/v2/jobs/a', `${FRONT}/comfy/api/v2/jobs/a`],
		[`${FRONT}/comfy`, FRONT, '/mounted/api/v2/jobs/a', `${FRONT}/comfy/api/v2/jobs/a`],
		[FRONT, 'http://127.0.0.1:8189', '/mounted/api/v2/jobs/b', `${FRONT}/api/v2/jobs/b`],
	])('to the interface elsewhere is moved to the address only with the option: %s, %s, %s', (address, host, path, moved) =>
		expect(requestedUrl(address, host + path)).toBe(keepsLinks ? moved : host + path),
	);

	test.each([
		// Other paths of the origin.
		[`${FRONT}/comfy`, FRONT, '/files/a.png?signature=1'],
		[`${FRONT}/comfy`, FRONT, '/storage/api/v20/b.png'],
		[`${FRONT}/comfy`, FRONT, '/comfy/files/a.png'],
		[`${FRONT}/comfy`, FRONT, '/api/view?filename=a.png'],
		// Storage on a different origin.
		[`${FRONT}/comfy`, 'https://storage.test', '/a.png?signature=1'],
		[FRONT, 'https://storage.test', '/b.png?signature=%2F1'],
	])('to a file elsewhere stays as it is: %s, %s, %s', (address, host, path) =>
		expect(requestedUrl(address, host + path)).toBe(host + path),
	);

	test.each(['http://[broken', 'https://'])('is none: %s', (link) => expect(requestedUrl(`${FRONT}/comfy`, link)).toBeUndefined());
});

test.each([
	['/api/v2/jobs/a', 'http://moved.test/api/v2/jobs/a'],
	['/files/b?y=1', 'http://moved.test/files/b?y=1'],
])('the relative link %s is resolved against the origin of the response', (link, expected) =>
	expect(resolveLink(link, 'http://moved.test', { address: parseBaseUrl(`${FRONT}/comfy`), root: '/api/v2' })?.href).toBe(expected),
);

test.each([
	['/v2/router', '/v2/router/v2/models/m/requests/r'],
	['/v2/router', '/v2/models/m/requests/r'],
])('the prefix %s that begins with the root occurs once in the URL of the link %s', (prefix, link) =>
	expect(resolveLink(link, FRONT, { address: { origin: FRONT, prefix }, root: '/v2' })?.href).toBe(
		`${FRONT}/v2/router/v2/models/m/requests/r`,
	),
);

describe.each(['absolute', 'relative'] as const)('%s links under a mount prefix', (links) => {
	const harness = useSandbox({ links, mountPrefix: '/gateway/one' });

	test('links of two jobs below a prefix are followed at the same time, and the prefix is not doubled', async () => {
		const { jobs } = harness.connect('hosted', { baseUrl: `${harness.sandbox.urls.hosted}/api/v2/` });
		const submitted = [await jobs.submit({ graph: quickGraph(1) }), await jobs.submit({ graph: quickGraph(2) })];
		const read = async (job: Job): Promise<void> => {
			expect(job.urls.self).toBe(`${harness.sandbox.urls.hosted}/api/v2/jobs/${job.job_id}`);
			for await (const event of jobs.events(job)) expect(event.kind).toBeTruthy();
			await expect(jobs.cancel(job)).resolves.toMatchObject({ job_id: job.job_id });
		};
		await Promise.all(submitted.map(read));
		const paths = harness.sandbox.requests().map(({ status, path }) => `${status} ${path}`);
		const own = submitted.flatMap(({ job_id }) => ['events', 'cancel'].map((what) => `200 /api/v2/jobs/${job_id}/${what}`));
		expect(paths.slice(2).sort()).toEqual(own.sort());
	});
});

test.each([
	['v1', '/api/job/..%2Fassets%2Fx%3Fy%23z/status'],
	['v2', '/api/v2/jobs/..%2Fassets%2Fx%3Fy%23z'],
] as const)('over %s, a job id is one segment of the address, whatever it holds', async (name, path) => {
	const server = await serve(json(404, {}));
	const { jobs, close } = connect({ interface: name, baseUrl: server.origin, readBudgetMs: 0 });
	await jobs.get('../assets/x?y#z').catch(() => undefined);
	expect(server.seen[0]?.url).toBe(path);
	await Promise.all([close(), server.close()]);
});

test('links of a wrong origin are moved to the base origin on request, and get no token otherwise', async () => {
	const elsewhere = await serve(json(401, { error: { code: 'unauthorized', message: 'no' } }));
	const sandbox = await startSandbox({ linkOrigin: elsewhere.origin });
	const access = { interface: 'v2', ...accessTo(sandbox, 'self_hosted_token') } as const;
	const trusting = connect(access);
	const keeping = connect({ ...access, keepLinksOnBaseOrigin: true });

	const job = await trusting.jobs.submit({ graph: quickGraph() });
	await expect(trusting.jobs.cancel(job)).rejects.toMatchObject({ status: 401 });
	expect(elsewhere.seen.map(({ headers }) => headers.authorization)).toEqual([undefined]);

	await expect(keeping.jobs.cancel(job.job_id)).resolves.toMatchObject({ job_id: job.job_id });
	expect(elsewhere.seen).toHaveLength(1);

	await Promise.all([trusting.close(), keeping.close(), sandbox.close(), elsewhere.close()]);
});

describe('the link of a job to itself', () => {
	const JOB_ID = '55555555-5555-4555-8555-555555555555';
	const ELSEWHERE = 'http://127.0.0.1:1';

	/** Submits a job whose answer carries this link, and waits for it by reads. @returns the paths of the reads, with their tokens. */
	async function readsOf(self: string | null, prefix = ''): Promise<(readonly [string, string | undefined])[]> {
		const urls = self === null ? {} : { self };
		const server = await serve(async (request, response) => {
			const isSubmission = request.method === 'POST';
			await json(isSubmission ? 201 : 200, { id: JOB_ID, status: isSubmission ? 'queued' : 'succeeded', urls })(request, response);
		});
		const { jobs, close } = connect({ interface: 'v2', baseUrl: server.origin + prefix, token: 'key' });
		const submitted = await jobs.submit({ graph: quickGraph() });
		const { job } = await waitForJob(jobs, JOB_ID, { mode: 'polling', maxWaitMs: 60_000, submitted });
		expect(job.status).toBe('succeeded');
		await Promise.all([close(), server.close()]);
		return server.seen.slice(1).map(({ url, headers }) => [url, headers.authorization] as const);
	}

	test.each([
		['/api/v2/jobs/by-link?region=eu', ''],
		['/comfy/api/v2/jobs/by-link?region=eu', '/comfy'],
		['/api/v2/jobs/by-link?region=eu', '/comfy'],
	])('reads a submitted job through its own link %s, below the prefix "%s"', async (self, prefix) => {
		expect(await readsOf(self, prefix)).toEqual([[`${prefix}/api/v2/jobs/by-link?region=eu`, 'Bearer key']]);
	});

	test.each([
		['no link', null, ''],
		['a link to a different origin', `${ELSEWHERE}/api/v2/jobs/by-link`, ''],
		['a link below a different prefix', '/other/api/v2/jobs/by-link', '/comfy'],
	])('reads a submitted job by its id when the answer has %s', async (_, self, prefix) => {
		expect(await readsOf(self, prefix)).toEqual([[`${prefix}/api/v2/jobs/${JOB_ID}`, 'Bearer key']]);
	});
});
