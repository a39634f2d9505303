/** Status words, the job list and the job read. */
import { until } from '../../support/until';
import { startSandbox, type Sandbox } from '../../../sandbox';
import type { ApiGraph } from '../../../sandbox/graphEngine/types';
import { Caller } from '../support/caller';
import { failing, picture, slowPicture, textFile } from '../support/graphs';
import { listen } from './support/socket';
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
beforeEach(() => sandbox.configure({ workers: 4, v1StatusWords: 'specification', v1JobsRead: true }));

const interrupt = async () => await v1.call('POST', '/api/interrupt');

describe('the status route', () => {
	test('its fields', async () => {
		const { id } = await v1.finished(failing());
		const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string;
		expect(await v1.get(`/api/job/${String(id)}/status`)).toEqual({
			id,
			status: 'error',
			created_at: time,
			updated_at: time,
			last_state_update: time,
			assigned_inference: expect.any(String) as string,
			error_message: 'out of memory',
		});
	});

	test("403 for another account's job, 404 for one that is unknown or past its retention", async () => {
		const path = `/api/job/${sandbox.seeds.foreignJob}/status`;
		expect(await v1.call('GET', path)).toMatchObject({ status: 403, json: { code: 'forbidden' } });
		expect((await other.call('GET', path)).status).toBe(200);
		for (const id of ['unknown', sandbox.seeds.expiredJob])
			expect(await v1.call('GET', `/api/job/${id}/status`)).toMatchObject({ status: 404, json: { code: 'not_found' } });
	});

	test.each([
		['specification', ['submitted', 'queued_waiting', 'executing', 'success', 'error', 'cancelled']],
		['openapi', ['pending', 'waiting_to_dispatch', 'in_progress', 'completed', 'error', 'cancelled']],
		['jobs', ['pending', 'pending', 'in_progress', 'completed', 'failed', 'cancelled']],
	] as const)('the words of %s', async (v1StatusWords, words) => {
		sandbox.configure({ v1StatusWords, workers: 0 });
		const [next, waiting] = [await v1.started(slowPicture(500)), await v1.started(picture())];
		const seen = [await v1.status(next), await v1.status(waiting)];
		sandbox.configure({ workers: 4 });
		await until(() => sandbox.ledger.executedNodes.some(({ jobId, nodeId }) => jobId === next && nodeId === 'sample'));
		seen.push(await v1.status(next));
		seen.push(await v1.status(String((await v1.finished(picture())).id)));
		seen.push(await v1.status(String((await v1.finished(failing())).id)));
		await interrupt();
		await new Caller(sandbox, 'hosted').read(next);
		seen.push(await v1.status(next));
		expect(seen).toEqual(words);
	});

	test.each([
		'submitted',
		'queued_waiting',
		'preparing',
		'executing',
		'cancel_requested',
		'success',
		'error',
		'non_retryable_error',
		'lost',
		'cancelled',
		'a_new_word',
	])('setV1Status: %s, until it is taken back', async (word) => {
		const jobId = sandbox.seeds.pinnedJob;
		sandbox.setV1Status(jobId, word);
		expect(await v1.status(jobId)).toBe(word);
		sandbox.setV1Status(jobId, null);
		expect(await v1.status(jobId)).toBe('success');
	});
});

describe('the job read', () => {
	test('times: seconds for the job, milliseconds for its execution', async () => {
		const before = Date.now();
		const job = await v1.finished(slowPicture(2));
		for (const field of ['create_time', 'update_time']) expect(Math.abs(Number(job[field]) * 1000 - before)).toBeLessThan(5_000);
		expect(Number(job.execution_start_time)).toBeGreaterThanOrEqual(before);
		expect(Number(job.execution_end_time)).toBeGreaterThan(Number(job.execution_start_time));
	});

	test('outputs of every kind under its key, previews as temp', async () => {
		const image = ['image', 0];
		const graph: ApiGraph = {
			...picture(),
			preview: { class_type: 'PreviewImage', inputs: { images: image } },
			clip: { class_type: 'CreateVideo', inputs: { images: image, fps: 1 } },
			video: { class_type: 'SaveVideo', inputs: { video: ['clip', 0], filename_prefix: 'v', format: 'auto', codec: 'auto' } },
			tone: { class_type: 'SandboxTone', inputs: { frequency: 440, duration: 0.1 } },
			audio: { class_type: 'SaveAudio', inputs: { audio: ['tone', 0], filename_prefix: 'a' } },
			text: { class_type: 'SaveText', inputs: { text: 'hello', filename_prefix: 't' } },
			empty: { class_type: 'EmptyLatentImage', inputs: { width: 16, height: 16, batch_size: 1 } },
			latent: { class_type: 'SaveLatent', inputs: { samples: ['empty', 0], filename_prefix: 'l' } },
			shape: { class_type: 'SandboxMesh', inputs: {} },
			mesh: { class_type: 'SaveGLB', inputs: { mesh: ['shape', 0], filename_prefix: 'm' } },
			gif: { class_type: 'SandboxFile', inputs: { name: 'a.gif', kind: 'gif', content_type: 'image/gif', text: 'GIF89a' } },
			odd: { class_type: 'SandboxFile', inputs: { name: 'no extension', kind: 'spreadsheet', content_type: 'text/csv', text: 'a;b' } },
		};
		const job = await v1.finished(graph);
		const named = (extension: string, type = 'output') => [
			{ filename: expect.stringMatching(new RegExp(`^[0-9a-f]{64}${extension}$`)) as string, subfolder: '', type },
		];
		expect(job.outputs).toEqual({
			save: { images: named('\\.png') },
			preview: { images: named('\\.png', 'temp') },
			video: { video: named('\\.mp4') },
			audio: { audio: named('\\.wav') },
			text: { text: named('\\.txt') },
			latent: { latents: named('\\.latent') },
			mesh: { '3d': named('\\.glb') },
			gif: { gifs: named('\\.gif') },
			odd: { files: named('') },
		});
		expect(job).toMatchObject({
			outputs_count: 9,
			preview_output: { type: 'output', nodeId: expect.any(String) as string },
			execution_status: { status_str: 'success', completed: true },
			execution_meta: { save: { node_id: 'save' } },
		});
		expect(job.workflow).toEqual(graph);
	});

	test('while it runs there are no outputs', async () => {
		const jobId = await v1.started(slowPicture(500));
		const job = await v1.get(`/api/jobs/${jobId}`);
		expect([Object.keys(job).includes('outputs'), job.status === 'pending' || job.status === 'in_progress']).toEqual([false, true]);
		await interrupt();
	});

	test.each([
		'ValidationError',
		'ModelDownloadError',
		'ImageDownloadError',
		'OOMError',
		'InsufficientFundsError',
		'InactiveSubscriptionError',
		'PanicError',
		'ServiceError',
		'WebSocketError',
		'DispatcherError',
	])('%s arrives in the job read and on the socket', async (exceptionType) => {
		const listener = await listen(sandbox);
		const job = await v1.finished({ fail: { class_type: 'SandboxFail', inputs: { message: 'why', exception_type: exceptionType } } });
		const facts = {
			node_id: 'fail',
			node_type: 'SandboxFail',
			exception_type: exceptionType,
			exception_message: 'why',
			traceback: expect.arrayContaining([`${exceptionType}: why\n`]) as string[],
		};
		expect(job).toMatchObject({ status: 'failed', outputs: {}, execution_status: { status_str: 'error', completed: false } });
		expect(job.execution_error).toEqual({ ...facts, current_inputs: {}, current_outputs: {} });
		await until(() => listener.of('execution_error', String(job.id)).length === 1);
		expect(listener.of('execution_error', String(job.id))[0]).toMatchObject(facts);
		listener.close();
	});

	test('an unknown job, and one of another account, are 404', async () => {
		for (const id of ['unknown', sandbox.seeds.foreignJob, sandbox.seeds.expiredJob])
			expect((await v1.call('GET', `/api/jobs/${id}`)).status).toBe(404);
	});

	test('a service without job reads answers 404 to both', async () => {
		sandbox.configure({ v1JobsRead: false });
		for (const path of ['/api/jobs', `/api/jobs/${sandbox.seeds.pinnedJob}`]) expect((await v1.call('GET', path)).status).toBe(404);
		expect(await v1.status(sandbox.seeds.pinnedJob)).toBe('success');
	});
});

describe('the job list', () => {
	interface Page {
		jobs: Array<Record<string, unknown>>;
		pagination: unknown;
	}
	const list = async (query = '') => (await v1.get(`/api/jobs${query}`)) as unknown as Page;

	test('pages, newest first or oldest first, without outputs and workflows', async () => {
		const ids: unknown[] = [];
		for (let job = 0; job < 3; job++) ids.push((await v1.finished(textFile('txt'))).id);
		const all = await list();
		expect(all.jobs.slice(0, 3).map(({ id }) => id)).toEqual(ids.toReversed());
		expect(all.pagination).toEqual({ offset: 0, limit: 100, total: all.jobs.length, has_more: false });
		const page = await list('?offset=1&limit=2');
		expect([page.jobs, page.pagination]).toEqual([all.jobs.slice(1, 3), { offset: 1, limit: 2, total: all.jobs.length, has_more: true }]);
		expect((await list('?sort_order=asc')).jobs.slice(-3).map(({ id }) => id)).toEqual(ids);
		expect(Object.keys(all.jobs[0] ?? {})).toEqual(
			expect.arrayContaining(['id', 'status', 'create_time', 'outputs_count', 'preview_output']),
		);
		for (const job of all.jobs) expect([job.outputs, job.workflow]).toEqual([undefined, undefined]);
		expect(all.jobs.map(({ id }) => id)).not.toContain(sandbox.seeds.foreignJob);
	});

	test('by status, one or several', async () => {
		await v1.finished(failing());
		const failed = await list('?status=failed');
		expect(new Set(failed.jobs.map(({ status }) => status))).toEqual(new Set(['failed']));
		expect((await list('?status=failed,completed')).jobs.length).toBeGreaterThan(failed.jobs.length);
	});

	test.each(['limit=0', 'limit=1001', 'limit=many', 'offset=-1', 'status=success', 'sort_by=name', 'sort_order=up'])(
		'400 for %s',
		async (query) => {
			expect((await v1.call('GET', `/api/jobs?${query}`)).status).toBe(400);
		},
	);

	test('POST /api/history removes ended jobs from sight, one or all', async () => {
		const { id } = await v1.finished(picture());
		const running = await v1.started(slowPicture(500));
		expect(await v1.call('POST', '/api/history', { json: { delete: [id, running] } })).toMatchObject({ status: 200, text: '' });
		expect((await v1.call('GET', `/api/jobs/${String(id)}`)).status).toBe(404);
		await v1.call('POST', '/api/history', { json: { clear: true } });
		expect((await list()).jobs.map((job) => job.id)).toEqual([running]);
		expect((await v1.call('POST', '/api/history', { json: {} })).status).toBe(400);
		await interrupt();
	});
});
