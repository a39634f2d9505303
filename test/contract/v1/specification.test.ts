/** The sandbox's hosted surface answers on v1 as the specification says, row by row. */
import { randomUUID } from 'node:crypto';
import { startSandbox, type Sandbox } from '../../../sandbox';
import { until } from '../../support/until';
import { node, picture, slowPicture, unknownClass } from '../graphs';
import { calmDown, UNKNOWN_ID } from '../service';
import { HostedV1 } from './hosted';

let sandbox: Sandbox;
let hosted: HostedV1;
beforeAll(async () => {
	sandbox = await startSandbox();
	hosted = new HostedV1(sandbox);
});
afterAll(async () => await sandbox.close());
afterEach(() => {
	calmDown(sandbox);
	sandbox.setSubscription('main', true);
	sandbox.configure({ workers: 4, v1StatusWords: 'specification', v1Rejections: 'status_400' });
});

const loadPicture = (name: unknown) => ({
	load: node('LoadImage', { image: name }),
	save: node('SaveImage', { images: ['load', 0], filename_prefix: 'loaded' }),
});

const pathOfOutput = async (name: string): Promise<string> => {
	const { outputs } = (await hosted.call('getJob', { name })).json as { outputs: { save: { images: Array<Record<string, string>> } } };
	return new URLSearchParams(outputs.save.images[0]).toString();
};

describe('endpoints', () => {
	const checks: Record<string, () => Promise<void>> = {
		'GET /api/object_info': async () => {
			const { LoadImage, SaveImage } = (await hosted.call('getNodeDefinitions')).json;
			expect(LoadImage).toMatchObject({ input: { required: { image: expect.any(Array) } }, output: ['IMAGE', 'MASK'] });
			expect(SaveImage).toMatchObject({ input: { required: { images: expect.any(Array) } }, output: [] });
		},
		'POST /api/upload/image': async () => {
			for (const type of ['input', 'temp']) {
				const { status, json } = await hosted.upload('uploadImage', { type, overwrite: 'false' });
				expect([status, json]).toEqual([200, expect.objectContaining({ name: expect.any(String), subfolder: expect.any(String) })]);
			}
		},
		'POST /api/upload/mask': async () => {
			const image = await hosted.upload('uploadImage');
			const original = JSON.stringify({ filename: image.json.name, subfolder: '', type: 'input' });
			const { status, json } = await hosted.upload('uploadMask', { type: 'input', subfolder: 'clipspace', original_ref: original });
			expect([status, json]).toEqual([200, expect.objectContaining({ name: expect.any(String), subfolder: '' })]);
		},
		'POST /api/prompt': async () => {
			expect((await hosted.submit(picture())).json.prompt_id).toMatch(/^[0-9a-f-]{36}$/);
			sandbox.configure({ v1Rejections: 'ok_with_error' });
			expect(await hosted.submit(unknownClass())).toMatchObject({ status: 200, json: { error: expect.anything() } });
		},
		'GET /api/job/{prompt_id}/status': async () => {
			expect(await hosted.status(await hosted.run(picture()))).toBe('success');
		},
		'GET /api/view': async () => {
			const { status, headers } = await hosted.call('viewFile', { query: await pathOfOutput(await hosted.run(picture())) });
			expect([status, new URL(headers.get('location') ?? '').origin]).toEqual([302, sandbox.urls.storage]);
		},
		'GET /api/queue': async () => {
			const { queue_running, queue_pending } = (await hosted.call('getQueue')).json;
			expect([queue_running, queue_pending]).toEqual([expect.any(Array), expect.any(Array)]);
		},
		'POST /api/queue': async () => {
			sandbox.configure({ workers: 1 });
			const jobs = [await hosted.started(slowPicture(1000)), await hosted.started(slowPicture(1000))];
			await hosted.reaches(String(jobs[0]), 'executing');
			await hosted.call('changeQueue', { json: { delete: jobs } });
			for (const job of jobs) expect(await hosted.reaches(job)).toBe('cancelled');
		},
		'POST /api/interrupt': async () => {
			const job = await hosted.started(slowPicture(1000));
			await hosted.reaches(job, 'executing');
			await hosted.call('interrupt');
			expect(await hosted.reaches(job)).toBe('cancelled');
		},
		'GET /ws': async () => {
			const listeners = [await hosted.listen({ clientId: randomUUID() }), await hosted.listen()];
			const job = await hosted.started(picture(), { client_id: randomUUID() });
			await Promise.all(listeners.map(async (listener) => await listener.ended(job)));
			const types = listeners.map(({ texts }) => texts.filter(({ data }) => data.prompt_id === job).map(({ type }) => type));
			expect(types[0]).toEqual(types[1]);
			await Promise.all(listeners.map(async (listener) => await listener.close()));
		},
	};
	test.each(Object.entries(checks))('%s', async (_, check) => await check());
});

describe('rules', () => {
	const checks: Record<string, () => Promise<void>> = {
		'submissions may be concurrent; jobs run in parallel up to the limit and extra jobs queue': async () => {
			sandbox.configure({ workers: 2 });
			const jobs = await Promise.all([1, 2, 3].map(async () => await hosted.started(slowPicture(1000))));
			await until(() => jobs.filter((job) => sandbox.job(job)?.status === 'running').length === 2);
			const { queue_running, queue_pending } = (await hosted.call('getQueue')).json as Record<string, unknown[]>;
			expect([queue_running?.length, queue_pending?.length]).toEqual([2, 1]);
			await hosted.call('changeQueue', { json: { delete: jobs } });
		},
		'partner nodes: extra_data.api_key_service_org is taken': async () => {
			const name = await hosted.started(picture(), { extra_data: { api_key_service_org: sandbox.keys.partnerKey } });
			expect(sandbox.ledger.runs.find(({ jobId }) => jobId === name)?.partnerKeyField).toBe('api_key_service_org');
		},
		'the download redirect is fetched with no added headers, and refuses the key': async () => {
			const { headers } = await hosted.call('viewFile', { query: await pathOfOutput(await hosted.run(picture())) });
			const location = headers.get('location') ?? '';
			expect((await fetch(location)).status).toBe(200);
			expect((await fetch(location, { headers: { 'x-api-key': sandbox.keys.apiKey } })).status).toBe(400);
		},
		'the name of an upload is an input value of nodes': async () => {
			const { json } = await hosted.upload('uploadImage');
			expect(await hosted.status(await hosted.run(loadPicture(json.name)))).toBe('success');
		},
	};
	test.each(Object.entries(checks))('%s', async (_, check) => await check());
});

describe.each<[words: 'specification' | 'openapi' | 'jobs', inFlight: string[], ends: string[]]>([
	[
		'specification',
		['non_retryable_error', 'lost', 'submitted', 'queued_waiting', 'preparing', 'executing', 'cancel_requested'],
		['success', 'error', 'cancelled'],
	],
	['openapi', ['waiting_to_dispatch', 'pending', 'in_progress'], ['completed', 'error', 'cancelled']],
	['jobs', ['pending', 'in_progress'], ['completed', 'failed', 'cancelled']],
])('job statuses, %s', (words, others, ends) => {
	test('no other word is said from the submission to each end', async () => {
		sandbox.configure({ v1StatusWords: words });
		const said = new Set<string>();
		const follow = async (name: string): Promise<string> => {
			for (;;) {
				const status = await hosted.status(name);
				said.add(status);
				if (ends.includes(status)) return status;
			}
		};
		const stopped = await hosted.started(slowPicture(1000));
		const inFlight = await hosted.status(stopped);
		await hosted.call('changeQueue', { json: { delete: [stopped] } });
		const fails = await hosted.started({ fail: node('SandboxFail', { message: 'out of memory', exception_type: 'OOMError' }) });
		expect([await follow(await hosted.started(slowPicture(10))), await follow(fails), await follow(stopped)]).toEqual(ends);
		expect(ends).not.toContain(inFlight);
		expect([...said].filter((word) => ![...others, ...ends].includes(word))).toEqual([]);
	});
});

/** Table "v1 HTTP statuses". */
test.each<[status: number, meaning: string, provoke: () => Promise<{ status: number }>]>([
	[400, 'bad workflow', async () => await hosted.submit(unknownClass())],
	[400, 'missing fields', async () => await hosted.call('submitPrompt', { json: {} })],
	[401, 'missing API key', async () => await hosted.call('getQueue', { key: null })],
	[401, 'invalid API key', async () => await hosted.call('getQueue', { key: 'wrong' })],
	[402, 'insufficient credits', async () => (sandbox.setCredits('main', 0), await hosted.submit(picture()))],
	[429, 'subscription inactive', async () => (sandbox.setSubscription('main', false), await hosted.submit(picture()))],
])('%d: %s', async (status, _meaning, provoke) => expect((await provoke()).status).toBe(status));

describe('authentication', () => {
	test.each([
		['a route', 'X-API-Key', true],
		['a route', 'none', false],
		['a route', 'wrong', false],
		['the WebSocket', 'token', true],
		['the WebSocket', 'none', false],
		['the WebSocket', 'wrong', false],
	] as const)('%s, %s: accepted %s', async (entry, credential, accepted) => {
		const given = { 'X-API-Key': sandbox.keys.apiKey, token: sandbox.keys.apiKey, none: null, wrong: 'wrong' }[credential];
		if (entry === 'a route') {
			expect((await hosted.call('getJobStatus', { name: UNKNOWN_ID, key: given })).status).toBe(accepted ? 404 : 401);
		} else if (accepted) {
			await (await hosted.listen({ token: given })).close();
		} else {
			await expect(hosted.listen({ token: given })).rejects.toThrow('401');
		}
	});
});
