/** v1 over HTTP: what costs money, and where its documents leave a choice. */
import sharp from 'sharp';
import { startSandbox, type Behaviour, type Sandbox } from '../../../sandbox';
import type { ApiGraph } from '../../../sandbox/graphEngine/types';
import { digest } from '../../../sandbox/ledger';
import { until } from '../../support/until';
import { Caller } from '../support/caller';
import { picture, slowPicture } from '../support/graphs';
import { V1 } from './support';

let sandbox: Sandbox;
let v1: V1;
let other: V1;
beforeAll(async () => {
	sandbox = await startSandbox();
	v1 = new V1(sandbox);
	other = new V1(sandbox, sandbox.keys.otherApiKey);
});
afterAll(async () => await sandbox.close());
afterEach(() => {
	sandbox.clearFaults();
	sandbox.configure({
		v1ErrorBody: 'code_message',
		v1Rejections: 'status_400',
		v1QueueDelete: 'pending_and_running',
		v1View: 'redirect',
		v1JobsRead: true,
		workers: 4,
	});
	sandbox.setCredits('main', Infinity);
	sandbox.setSubscription('main', true);
});

const runs = (): number => sandbox.ledger.runs.length;
const statusOf = (jobId: string) => sandbox.job(jobId)?.status;

const INVALID = { error: { type: 'prompt_outputs_failed_validation' } };

describe('a submission', () => {
	const badNumber: ApiGraph = {
		...picture(),
		image: { class_type: 'EmptyImage', inputs: { width: 0, height: 8, batch_size: 1, color: 0 } },
	};

	test('that is sent twice makes two jobs, even with an Idempotency-Key', async () => {
		const prompt = picture();
		const ids = [];
		for (let count = 0; count < 2; count++) {
			const { json } = await v1.call('POST', '/api/prompt', { json: { prompt }, headers: { 'idempotency-key': 'same' } });
			ids.push(json.prompt_id);
		}
		expect(sandbox.ledger.runs.slice(-2)).toMatchObject(ids.map((jobId) => ({ jobId, idempotencyKey: undefined })));
		expect(new Set(ids).size).toBe(2);
	});

	test.each(['api_key_service_org', 'api_key_comfy_org'])('keeps the partner key of extra_data.%s secret', async (field) => {
		const key = `${sandbox.keys.partnerKey}-${field}`;
		const jobId = await v1.started(picture(), { extra_data: { [field]: key, extra_pnginfo: {} } });
		expect(sandbox.ledger.runs.at(-1)).toMatchObject({ jobId, surface: 'hosted', account: 'main', partnerKeyField: field });
		expect(sandbox.ledger.partnerKeys.at(-1)).toBe(digest(key));
		expect((await v1.call('GET', `/api/jobs/${jobId}`)).text).not.toContain(key);
	});

	test('without credits or without a subscription makes no job, and does not ask to try again', async () => {
		const before = runs();
		sandbox.setCredits('main', 0);
		expect(await v1.prompt(picture())).toMatchObject({ status: 402, json: { code: 'insufficient_credits' } });
		sandbox.setSubscription('main', false);
		const refused = await v1.prompt(picture());
		expect([refused.status, refused.json.code, refused.headers.has('retry-after')]).toEqual([429, 'subscription_inactive', false]);
		expect(runs()).toBe(before);
		expect((await new Caller(sandbox, 'hosted').submit(picture())).code).toBe('insufficient_credits');
		expect((await other.prompt(picture())).status).toBe(200);
	});

	test.each([
		['ok_with_error', ['error', 'node_errors']],
		['ok_with_node_errors', ['node_errors']],
	] as const)('that is invalid makes no job with status 200 (%s)', async (v1Rejections, fields) => {
		sandbox.configure({ v1Rejections });
		const before = runs();
		for (const prompt of [badNumber, { image: { class_type: 'NoSuchNode', inputs: {} } }]) {
			const { status, json } = await v1.prompt(prompt);
			expect([status, Object.keys(json)]).toEqual([200, fields]);
		}
		expect(runs()).toBe(before);
		expect((await v1.prompt(picture())).json).toHaveProperty('prompt_id');
	});

	test.each<[Behaviour['v1ErrorBody'], string, unknown]>([
		['code_message', '{"code":"insufficient_credits","message":"Not enough credits"}', INVALID],
		[
			'engine',
			'{"error":{"type":"insufficient_credits","message":"Not enough credits","details":"","extra_info":{}},"node_errors":{}}',
			INVALID,
		],
		['error_text', '{"error":"Not enough credits"}', { error: 'Prompt outputs failed validation' }],
		['message_only', '{"message":"Not enough credits"}', { message: 'Prompt outputs failed validation' }],
		['text', 'Not enough credits', {}],
		['empty', '', {}],
	])('is refused with errors written as "%s"', async (v1ErrorBody, body, invalid) => {
		sandbox.configure({ v1ErrorBody });
		expect((await v1.prompt(badNumber)).json).toMatchObject(invalid as object);
		sandbox.setCredits('main', 0);
		expect(await v1.prompt(picture())).toMatchObject({ status: 402, text: body });
	});
});

describe('the queue', () => {
	/** One that runs, two that wait, one of another account that waits as well. */
	async function fill(): Promise<{ running: string; waiting: [string, string]; foreign: string }> {
		sandbox.configure({ workers: 1 });
		const running = await v1.started(slowPicture(1000));
		await until(() => statusOf(running) === 'running');
		const waiting: [string, string] = [await v1.started(picture()), await new Caller(sandbox, 'hosted').started(picture())];
		return { running, waiting, foreign: await other.started(picture()) };
	}
	const change = async (json: unknown) => await v1.call('POST', '/api/queue', { json });
	afterEach(async () => {
		sandbox.configure({ workers: 4 });
		for (const account of [v1, other]) {
			await account.call('POST', '/api/queue', { json: { clear: true } });
			await account.call('POST', '/api/interrupt');
		}
		await until(() => sandbox.jobs('hosted').every(({ status }) => !['queued', 'running', 'canceling'].includes(status)));
	});

	test('deletes waiting and running jobs of the own account, and records each cancel', async () => {
		const { running, waiting, foreign } = await fill();
		const cancels = sandbox.ledger.cancels.length;
		expect((await change({ delete: [running, waiting[0], foreign, 'unknown'] })).json).toEqual({
			deleted: [running, waiting[0]],
			cleared: false,
		});
		await until(() => statusOf(running) === 'canceled' && statusOf(waiting[1]) === 'succeeded' && statusOf(foreign) === 'succeeded');
		expect(statusOf(waiting[0])).toBe('canceled');
		expect(sandbox.ledger.cancels.slice(cancels).map(({ jobId }) => jobId)).toEqual([running, waiting[0]]);
	});

	test('keeps a running job with v1QueueDelete "pending_only"', async () => {
		sandbox.configure({ v1QueueDelete: 'pending_only' });
		const { running, waiting } = await fill();
		expect((await change({ delete: [running, waiting[0]] })).json).toEqual({ deleted: [waiting[0]], cleared: false });
		expect([statusOf(running), statusOf(waiting[0])]).toEqual(['running', 'canceled']);
	});

	test.each([[{ remove: ['a'] }], [{ delete: 'a' }], [{ delete: [5] }], [{ clear: 'yes' }], [[]]])('refuses %j', async (json) => {
		expect(await change(json)).toMatchObject({ status: 400, json: { code: 'invalid_request' } });
	});

	test('an interrupt stops all running jobs of the own account, and no other job', async () => {
		sandbox.configure({ workers: 3 });
		const [one, two] = [await v1.started(slowPicture(1000)), await v1.started(slowPicture(1000))];
		const foreign = await other.started(slowPicture(1000));
		const waiting = await v1.started(picture());
		await until(() => [one, two, foreign].every((id) => statusOf(id) === 'running'));
		expect(await v1.call('POST', '/api/interrupt')).toMatchObject({ status: 200, text: '' });
		await until(() => statusOf(one) === 'canceled' && statusOf(two) === 'canceled' && statusOf(waiting) === 'succeeded');
		expect(statusOf(foreign)).toBe('running');
	});
});

describe('jobs', () => {
	test('have times in seconds, and times of their execution in milliseconds', async () => {
		const before = Date.now();
		const job = await v1.finished(slowPicture(2));
		for (const field of ['create_time', 'update_time']) expect(Math.abs(Number(job[field]) * 1000 - before)).toBeLessThan(5_000);
		expect(Number(job.execution_start_time)).toBeGreaterThanOrEqual(before);
		expect(Number(job.execution_end_time)).toBeGreaterThan(Number(job.execution_start_time));
	});

	test('of another account are forbidden to the status route, unknown to the job read, and not listed', async () => {
		const { foreignJob } = sandbox.seeds;
		expect(await v1.call('GET', `/api/job/${foreignJob}/status`)).toMatchObject({ status: 403, json: { code: 'forbidden' } });
		expect((await v1.call('GET', `/api/jobs/${foreignJob}`)).status).toBe(404);
		expect((await v1.call('GET', '/api/jobs')).text).not.toContain(foreignJob);
	});

	test('cannot be read with v1JobsRead off', async () => {
		sandbox.configure({ v1JobsRead: false });
		for (const path of ['/api/jobs', `/api/jobs/${sandbox.seeds.pinnedJob}`]) expect((await v1.call('GET', path)).status).toBe(404);
	});
});

describe('files', () => {
	const image = async (width: number): Promise<Buffer> =>
		await sharp({ create: { width, height: 1, channels: 3, background: 'red' } })
			.png()
			.toBuffer();
	const upload = async (bytes: Uint8Array, fields: Record<string, string> = {}, filename = 'cat.png') => {
		const body = new FormData();
		body.append('image', new Blob([new Uint8Array(bytes)]), filename);
		for (const [name, value] of Object.entries(fields)) body.append(name, value);
		return await v1.call('POST', '/api/upload/image', { body });
	};

	test('get their names from their bytes; folder, name and overwrite have no effect', async () => {
		const { json } = await upload(await image(2), { type: 'input', overwrite: 'true', subfolder: 'deep/down' });
		expect(json).toEqual({ name: expect.stringMatching(/^[0-9a-f]{64}\.png$/) as string, subfolder: '', type: 'input' });
		expect((await upload(await image(2), { type: 'temp' }, 'dog.jpeg')).json).toEqual({ name: json.name, subfolder: '', type: 'temp' });
	});

	test('come from storage, or with v1View "inline" at once and in parts', async () => {
		const { json } = await upload(await image(3));
		const path = `/api/view?filename=${String(json.name)}&type=input`;
		const { status, headers } = await v1.call('GET', path);
		expect([status, headers.get('location')?.startsWith(sandbox.urls.storage)]).toEqual([302, true]);
		sandbox.inject({ on: 'GET /api/view', fault: { kind: 'expired_link' } });
		expect((await fetch((await v1.call('GET', path)).headers.get('location') ?? '')).status).toBe(400);
		sandbox.configure({ v1View: 'inline' });
		expect(await v1.call('GET', path, { headers: { range: 'bytes=1-3' } })).toMatchObject({ status: 206, text: 'PNG' });
	});
});
