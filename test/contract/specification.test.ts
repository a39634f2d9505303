/** The sandbox answers as the specification says, row by row. */
import { startSandbox, type Sandbox } from '../../sandbox';
import { everyKind, picture } from './graphs';
import { calmDown, provocations } from './provocations';
import { freshBytes, hashOf, Service, UNKNOWN_ID, type Called } from './service';
import * as rows from './specificationRows';

let sandbox: Sandbox;
let hosted: Service;
let deployment: Service;
beforeAll(async () => {
	sandbox = await startSandbox();
	hosted = new Service(sandbox, 'hosted');
	deployment = new Service(sandbox, 'deployment');
});
afterAll(async () => await sandbox.close());
afterEach(() => calmDown(sandbox));

const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
const at = (value: unknown, path: string): unknown =>
	path.split('.').reduce((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value);
const provoke = async (code: string): Promise<Called> => {
	const provocation = provocations[code];
	if (!provocation) throw new Error(`Nothing provokes ${code}`);
	return await provocation(sandbox, hosted, deployment);
};

describe('error codes', () => {
	test.each(rows.errorCodes)('$code has status $status', async (row) => {
		const { status, code, headers } = await provoke(row.code);
		expect([code, status]).toEqual([row.code, row.status]);
		if ('retryAfter' in row) expect(headers.get('retry-after')).toMatch(/^\d+$/);
	});

	test('invalid_workflow tells problems per node, as entries with field and reason', async () => {
		const { json } = await provoke('invalid_workflow');
		expect(at(json, 'error.details.node_errors')).toEqual({ magic: [{ field: 'class_type', reason: expect.any(String) }] });
	});
});

describe.each(rows.errorCodes)('the envelope of $code', ({ code }) => {
	test.each(rows.envelopeFields)('$field', async ({ field, types, required }) => {
		const value = at((await provoke(code)).json, field);
		if (required || value !== undefined) expect(types).toContain(typeOf(value));
	});
});

describe('GET workflow', () => {
	const read = async (name: string, key?: string | null) =>
		await hosted.call('getJobWorkflow', { name, ...(key !== undefined && { key }) });
	const refusing = (status: number, code: string) =>
		sandbox.inject({ on: 'GET /api/v2/jobs/:id/workflow', answer: { status, code, ...(status === 429 && { retryAfter: 2 }) } });
	const provokeRead: Record<string, () => Promise<Called>> = {
		'the workflow': async () => await read(sandbox.seeds.pinnedJob),
		'missing or invalid credentials': async () => await read(sandbox.seeds.pinnedJob, null),
		'authenticated but not allowed': async () => (refusing(403, 'forbidden'), await read(sandbox.seeds.pinnedJob)),
		unknown: async () => await read(UNKNOWN_ID),
		'not owned by the caller': async () => await read(sandbox.seeds.foreignJob),
		'past its retention deadline': async () => await read(sandbox.seeds.expiredJob),
		'request rate exceeded': async () => (refusing(429, 'rate_limited'), await read(sandbox.seeds.pinnedJob)),
		'request rate exceeded, for an id that does not exist': async () => (refusing(429, 'rate_limited'), await read(UNKNOWN_ID)),
		'unexpected failure': async () => (refusing(500, 'upstream_error'), await read(sandbox.seeds.pinnedJob)),
	};

	test.each(rows.workflowStatuses)('$status: $meaning', async ({ status, code, meaning }) => {
		const called = await provokeRead[meaning]?.();
		expect([called?.status, called?.code ?? null]).toEqual([status, code]);
		if (status === 429) expect(called?.headers.get('retry-after')).toBe('2');
	});

	test.each(rows.workflowFields)('field $field', async (row) => {
		for (const job of [sandbox.seeds.pinnedJob, sandbox.seeds.deletedVersionJob]) {
			const value = (await read(job)).json[row.field];
			expect(row.types).toContain(typeOf(value));
			if ('values' in row) expect(row.values).toContain(value);
		}
	});

	const graph = picture();
	const submitWithPartnerKey = async (service: Service) => {
		const { json } = await service.call('submitJob', {
			json: { workflow: graph, extra_data: { api_key_service_org: sandbox.keys.partnerKey } },
		});
		return await service.call('getJobWorkflow', { name: String(json.id) });
	};
	const rules: Record<(typeof rows.workflowRules)[number], () => Promise<void>> = {
		'pinned to a version: format save, exactly as saved, with canvas layout and frontend-only nodes': async () => {
			const { format, workflow } = (await read(sandbox.seeds.pinnedJob)).json as {
				format: string;
				workflow: { nodes: Array<{ type: string; pos: unknown }>; links: unknown[] };
			};
			expect(format).toBe('save');
			expect(workflow.links).toEqual(expect.any(Array));
			expect(workflow.nodes.map(({ type }) => type)).toEqual(expect.arrayContaining(['Note']));
			expect(workflow.nodes.every(({ pos }) => pos !== undefined)).toBe(true);
		},
		"submitted through v2: format api, the shape of the submission's workflow field": async () => {
			expect((await submitWithPartnerKey(hosted)).json).toEqual({ workflow: graph, format: 'api' });
		},
		'pinned to a version deleted since: format api, and no error': async () => {
			const { status, json } = await read(sandbox.seeds.deletedVersionJob);
			expect([status, json.format, Object.values(json.workflow as object)[0]]).toEqual([
				200,
				'api',
				expect.objectContaining({ class_type: expect.any(String) }),
			]);
		},
		'never extra_data': async () => {
			const { bytes } = await submitWithPartnerKey(hosted);
			expect(bytes.toString('utf8')).not.toMatch(new RegExp(`extra_data|api_key|${sandbox.keys.partnerKey}`));
		},
		'the executed graph on a serverless deployment': async () => {
			expect((await submitWithPartnerKey(deployment)).json).toEqual({ workflow: graph, format: 'api' });
		},
	};
	test.each(rows.workflowRules)('%s', async (rule) => await rules[rule]());
});

describe('authentication', () => {
	test.each(rows.authentication)('$surface, $credential: accepted $accepted', async ({ surface, credential, accepted }) => {
		const key = { 'account key': sandbox.keys.apiKey, 'static token': sandbox.keys.bearer, 'wrong key': 'wrong', none: null }[credential];
		if (surface === 'storage') {
			const name = String((await hosted.upload(freshBytes('stored'))).json.id);
			const location = (await hosted.call('getAssetContent', { name })).headers.get('location') ?? '';
			const stored = await fetch(location, { headers: key === null ? {} : { authorization: `Bearer ${key}` } });
			expect(stored.ok).toBe(accepted);
		} else {
			const called = await new Service(sandbox, surface).call('getJob', { name: UNKNOWN_ID, key });
			expect([called.status, called.code]).toEqual(accepted ? [404, 'not_found'] : [401, 'unauthorized']);
		}
	});
});

test.each(rows.surfaces)('%s runs a workflow through the same interface', async (surface) => {
	const job = await new Service(sandbox, surface).run(picture());
	expect(job.json).toMatchObject({ status: 'succeeded', outputs: [{ node_id: 'save' }] });
});

const designRules: Record<(typeof rows.designRules)[number], () => Promise<void>> = {
	'poll first: a job and its outputs are reachable by plain GET, without the stream': async () => {
		const { json } = await hosted.run(everyKind());
		expect((json.outputs as unknown[]).length).toBeGreaterThan(5);
		expect(sandbox.requests(`GET /api/v2/jobs/${String(json.id)}/events`)).toEqual([]);
	},
	'resumable: an idempotent submission makes one job, which is retrievable by its id': async () => {
		const headers = { 'idempotency-key': 'one job' };
		const { json } = await hosted.submit(picture(), headers);
		await hosted.submit(picture(), headers);
		expect(sandbox.ledger.runs.filter(({ idempotencyKey }) => idempotencyKey === 'one job')).toMatchObject([{ jobId: json.id }]);
		expect((await hosted.call('getJob', { name: String(json.id) })).status).toBe(200);
	},
	'resumable: until expires_at, and not after': async () => {
		sandbox.configure({ jobLifetimeMs: 3_000 });
		const { json } = await hosted.run(picture());
		sandbox.configure({ jobLifetimeMs: 3_600_000 });
		await new Promise((resolve) => setTimeout(resolve, Date.parse(String(json.expires_at)) - Date.now() + 5));
		for (const operation of ['getJob', 'getJobWorkflow'])
			expect((await hosted.call(operation, { name: String(json.id) })).status).toBe(404);
	},
	'identical inputs are not uploaded twice': async () => {
		const bytes = freshBytes('twice');
		await hosted.upload(bytes);
		expect((await hosted.call('hasAssetByHash', { name: hashOf(bytes) })).status).toBe(200);
		expect((await hosted.call('createAssetFromHash', { json: { hash: hashOf(bytes), file_path: 'again.png' } })).json.hash).toBe(
			hashOf(bytes),
		);
	},
	'answers embed follow-up links': async () => {
		const { urls, outputs } = (await hosted.run(picture())).json as { urls: Record<string, string>; outputs: Array<{ url: string }> };
		const headers = { authorization: `Bearer ${sandbox.keys.apiKey}` };
		for (const name of ['self', 'events'])
			expect((await fetch(new URL(urls[name] as string, hosted.address), { headers })).status).toBe(200);
		expect((await fetch(new URL(urls.cancel as string, hosted.address), { method: 'POST', headers })).status).toBe(200);
		expect((await fetch(outputs[0]?.url as string)).headers.get('content-type')).toBe('image/png');
	},
};
test.each(rows.designRules)('%s', async (rule) => await designRules[rule]());
