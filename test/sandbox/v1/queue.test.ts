/** The queue, interrupts, and what the service says of itself. */
import { until } from '../../support/until';
import { startSandbox, type Sandbox } from '../../../sandbox';
import { describeSandbox } from '../../../sandbox/describeSandbox';
import { Caller } from '../support/caller';
import { picture, slowPicture } from '../support/graphs';
import { V1 } from './support/v1';

let sandbox: Sandbox;
let v1: V1;
let other: V1;
beforeAll(async () => {
	sandbox = await startSandbox();
	v1 = new V1(sandbox);
	other = new V1(sandbox, sandbox.keys.otherApiKey);
});
afterAll(async () => await sandbox.close());
afterEach(async () => {
	sandbox.configure({ workers: 4, v1QueueDelete: 'pending_and_running' });
	for (const account of [v1, other]) {
		await account.call('POST', '/api/queue', { json: { clear: true } });
		await account.call('POST', '/api/interrupt');
	}
	await until(() => sandbox.jobs('hosted').every(({ status }) => !['queued', 'running', 'canceling'].includes(status)));
});

const statusOf = (jobId: string) => sandbox.job(jobId)?.status;
const inQueue = async (account = v1): Promise<unknown> => {
	const { queue_running, queue_pending } = (await account.get('/api/queue')) as Record<string, unknown[][]>;
	return [queue_running, queue_pending].map((entries) => entries?.map(([, id]) => id));
};
/** One that runs, two that wait, one of another account that waits as well. */
async function fill(): Promise<{ running: string; waiting: [string, string]; foreign: string }> {
	sandbox.configure({ workers: 1 });
	const running = await v1.started(slowPicture(1000));
	await until(() => statusOf(running) === 'running');
	return {
		running,
		waiting: [await v1.started(picture()), await new Caller(sandbox, 'hosted').started(picture())],
		foreign: await other.started(picture()),
	};
}

test('entries: number, id, workflow, output nodes, when it came', async () => {
	const { running, waiting, foreign } = await fill();
	const queue = (await v1.get('/api/queue')) as Record<string, unknown[][]>;
	const entry = (id: string) => [expect.any(Number), id, sandbox.job(id)?.graph, ['save'], { create_time: sandbox.job(id)?.createdAt }];
	expect(queue).toEqual({ queue_running: [entry(running)], queue_pending: waiting.map(entry) });
	expect(await inQueue(other)).toEqual([[], [foreign]]);
	const [first, second] = queue.queue_pending ?? [];
	expect(Number(second?.[0])).toBe(Number(first?.[0]) + 1);
});

test('delete cancels jobs that wait and jobs that run, of this account alone', async () => {
	const { running, waiting, foreign } = await fill();
	const cancels = sandbox.ledger.cancels.length;
	const answer = await v1.call('POST', '/api/queue', { json: { delete: [running, waiting[0], foreign, 'unknown'] } });
	expect([answer.status, answer.json]).toEqual([200, { deleted: [running, waiting[0]], cleared: false }]);
	await until(() => statusOf(running) === 'canceled');
	expect(statusOf(waiting[0])).toBe('canceled');
	await until(() => statusOf(waiting[1]) === 'succeeded' && statusOf(foreign) === 'succeeded');
	expect(sandbox.ledger.cancels.slice(cancels).map(({ jobId }) => jobId)).toEqual([running, waiting[0]]);
});

test('pending_only: a running job stays', async () => {
	sandbox.configure({ v1QueueDelete: 'pending_only' });
	const { running, waiting } = await fill();
	expect((await v1.call('POST', '/api/queue', { json: { delete: [running, waiting[0]] } })).json).toEqual({
		deleted: [waiting[0]],
		cleared: false,
	});
	expect([statusOf(running), statusOf(waiting[0])]).toEqual(['running', 'canceled']);
});

test('clear cancels what waits and leaves what runs', async () => {
	const { running, waiting, foreign } = await fill();
	expect((await v1.call('POST', '/api/queue', { json: { clear: true } })).json).toEqual({ deleted: [], cleared: true });
	expect([running, ...waiting, foreign].map(statusOf)).toEqual(['running', 'canceled', 'canceled', 'queued']);
});

test.each([[{ remove: ['a'] }], [{ delete: 'a' }], [{ delete: [5] }], [{ clear: 'yes' }], [[]]])(
	'400 for %j: the body is closed',
	async (json) => {
		expect(await v1.call('POST', '/api/queue', { json })).toMatchObject({ status: 400, json: { code: 'invalid_request' } });
	},
);

test('interrupt stops every running job of the account, and nothing else', async () => {
	sandbox.configure({ workers: 3 });
	const [one, two, foreign] = [
		await v1.started(slowPicture(1000)),
		await v1.started(slowPicture(1000)),
		await other.started(slowPicture(1000)),
	];
	const waiting = await v1.started(picture());
	await until(() => [one, two, foreign].every((id) => statusOf(id) === 'running'));
	expect(await v1.call('POST', '/api/interrupt')).toMatchObject({ status: 200, text: '' });
	await until(() => statusOf(one) === 'canceled' && statusOf(two) === 'canceled' && statusOf(waiting) === 'succeeded');
	expect(statusOf(foreign)).toBe('running');
	expect((await v1.call('POST', '/api/interrupt')).status).toBe(200);
});

test('object_info defines every class as ComfyUI does', async () => {
	const all = (await v1.get('/api/object_info')) as Record<string, Record<string, unknown>>;
	expect(Object.keys(all)).toEqual(
		expect.arrayContaining(['LoadImage', 'LoadImageMask', 'ImageCompositeMasked', 'SaveImage', 'SandboxSampler', 'SandboxTalk']),
	);
	expect(all.EmptyImage).toEqual({
		input: {
			required: {
				width: ['INT', { default: 512, min: 1, max: 16_384 }],
				height: ['INT', { default: 512, min: 1, max: 16_384 }],
				batch_size: ['INT', { default: 1, min: 1, max: 4096 }],
				color: ['INT', { default: 0, min: 0, max: 0xffffff }],
			},
		},
		input_order: { required: ['width', 'height', 'batch_size', 'color'] },
		output: ['IMAGE'],
		output_is_list: [false],
		output_name: ['IMAGE'],
		name: 'EmptyImage',
		display_name: 'Empty Image',
		description: '',
		python_module: 'nodes',
		category: 'make',
		output_node: false,
	});
	const one = await v1.get('/api/object_info/ImageCompositeMasked');
	expect(one).toEqual({ ImageCompositeMasked: all.ImageCompositeMasked });
	expect(all.ImageCompositeMasked).toMatchObject({
		input: { required: { destination: ['IMAGE'], resize_source: ['BOOLEAN', { default: false }] }, optional: { mask: ['MASK'] } },
		input_order: { optional: ['mask'] },
	});
	expect(all.SaveVideo).toMatchObject({
		output_node: true,
		input: { required: { format: [['auto', 'mp4'], {}], filename_prefix: ['STRING', { default: '' }] } },
	});
	expect((await v1.call('GET', '/api/object_info/NoSuchNode')).status).toBe(404);
});

test('LoadImage offers the files of the account', async () => {
	await new Caller(sandbox, 'hosted').upload('bytes', { file_path: 'inputs/mine.png' });
	const offered = async (account: V1) =>
		((await account.get('/api/object_info/LoadImage')).LoadImage as { input: { required: { image: unknown } } }).input.required.image;
	expect([await offered(v1), await offered(other)]).toEqual([
		[['inputs/mine.png'], { image_upload: true }],
		[[], { image_upload: true }],
	]);
});

test('system_stats, features and user', async () => {
	expect(await v1.get('/api/system_stats')).toMatchObject({
		system: { comfyui_version: expect.any(String) as string },
		devices: [{ type: 'cpu' }],
	});
	expect(await v1.get('/api/features')).toEqual({ supports_preview_metadata: true, max_upload_size: 50 * 1024 * 1024 });
	expect(await v1.get('/api/user')).toEqual({ status: 'active' });
});

test('v1 answers carry a request id, stand open to faults, and are told to people', async () => {
	sandbox.inject({ on: 'GET /api/queue', surface: 'hosted', answer: { status: 500, json: { code: 'internal_error', message: 'x' } } });
	const faulty = await v1.call('GET', '/api/queue');
	expect([faulty.status, faulty.headers.get('x-service-request-id')]).toEqual([500, expect.stringMatching(/^req_/)]);
	expect(describeSandbox(sandbox)).toMatch(/v1 \(deprecated\) +http:\/\/\S+\/api .*X-API-Key[\s\S]*ws:\/\/\S+\/ws\?/);
});

test('under a mount prefix, and only on hosted', async () => {
	const mounted = await startSandbox({ mountPrefix: '/gateway/one' });
	const prefixed = new V1(mounted);
	expect((await prefixed.call('GET', '/api/queue')).status).toBe(200);
	expect(mounted.requests('GET /api/queue', 'hosted')).toHaveLength(1);
	expect((await fetch(`${mounted.urls.deployment}/api/queue`, { headers: { 'x-api-key': mounted.keys.apiKey } })).status).toBe(404);
	await mounted.close();
});
