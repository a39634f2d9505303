/** All answers and frames of v1 on the hosted surface match contract/v1.yaml. */
import { startSandbox, type Sandbox } from '../../../sandbox';
import { editorFormat, everyKind, failing, node, picture, slowPicture, unknownClass } from '../graphs';
import { freshBytes, UNKNOWN_ID } from '../service';
import { binaryProblems, textProblems } from './frames';
import { HostedV1, v1 } from './hosted';

let sandbox: Sandbox;
let hosted: HostedV1;
beforeAll(async () => {
	sandbox = await startSandbox({ progressIntervalMs: 10 });
	hosted = new HostedV1(sandbox);
});
afterAll(async () => await sandbox.close());
afterEach(() => sandbox.clearFaults());

test('the check finds wrong answers and frames', () => {
	expect(v1.problemsOf('viewFile', { status: 302, headers: new Headers(), body: Buffer.alloc(0) })).toEqual(['header Location is missing']);
	expect(textProblems('{"type":"executing","data":{"prompt_id":"p"}}')).toEqual(["executing: /data must have required property 'node'"]);
	expect(textProblems('{"type":"news","data":{}}')).toEqual(['news: the type is not documented']);
	expect(binaryProblems(Buffer.from([0, 0, 0, 1, 0, 0, 0, 2, 0xff, 0xd8]))).toEqual(['binary 1: image type 2 tells the wrong format']);
	expect(binaryProblems(Buffer.from([0, 0, 0, 9, 0, 0, 0, 0, 0xff, 0xd8]))).toEqual(['binary 9: binary type 9 is not documented']);
	expect(binaryProblems(Buffer.from([0, 0, 0, 4, 0, 0, 0, 2, 0x7b, 0x7d, 0xff, 0xd8]))).toHaveLength(5);
});

test('uploads and rejected uploads have the documented answers', async () => {
	const image = await hosted.upload('uploadImage', { type: 'input', overwrite: 'true' });
	expect(image).toMatchObject({ status: 200, json: { name: expect.any(String), subfolder: '' } });
	const original = JSON.stringify({ filename: image.json.name, subfolder: '', type: 'input' });
	expect(await hosted.upload('uploadMask', { type: 'input', subfolder: 'ignored', original_ref: original })).toMatchObject({
		status: 200,
		json: { subfolder: '' },
	});
	expect((await hosted.upload('uploadMask')).status).toBe(400);
	expect((await hosted.call('uploadImage', { form: new FormData() })).status).toBe(400);
	expect((await hosted.upload('uploadImage', {}, freshBytes('no picture'))).status).toBe(400);
});

test('a job and its files have the documented answers from the submission to the end', async () => {
	const { status, json } = await hosted.submit(slowPicture(20));
	expect([status, json]).toEqual([200, { prompt_id: expect.any(String), number: expect.any(Number), node_errors: {} }]);
	const name = String(json.prompt_id);
	expect((await hosted.call('getQueueSize')).json).toEqual({ exec_info: { queue_remaining: expect.any(Number) } });
	await hosted.reaches(name);
	const { outputs } = (await hosted.call('getJob', { name })).json as { outputs: Record<string, { images: Array<{ filename: string }> }> };
	const filename = outputs.save?.images[0]?.filename ?? '';
	const viewed = await hosted.call('viewFile', { query: new URLSearchParams({ filename, subfolder: '', type: 'output' }).toString() });
	expect([viewed.status, viewed.headers.get('location')?.startsWith(sandbox.urls.storage)]).toEqual([302, true]);
	sandbox.configure({ v1View: 'inline' });
	expect((await hosted.call('viewFile', { query: new URLSearchParams({ filename }).toString() })).status).toBe(200);
	sandbox.configure({ v1View: 'redirect' });
	expect((await hosted.call('viewFile', { query: 'filename=unknown.png' })).status).toBe(404);
});

test('outputs of every kind and a failed job have the documented answers', async () => {
	const { outputs } = (await hosted.call('getJob', { name: await hosted.run(everyKind()) })).json as {
		outputs: Record<string, Record<string, unknown>>;
	};
	expect(Object.values(outputs).flatMap((output) => Object.keys(output))).toEqual(expect.arrayContaining(['images', 'video', 'audio']));
	const failed = await hosted.call('getJob', { name: await hosted.run(failing()) });
	expect(failed.json.execution_error).toMatchObject({ exception_type: 'OOMError', node_id: 'fail' });
});

test('reads of unknown jobs and of the list have the documented answers', async () => {
	expect((await hosted.call('getJobStatus', { name: UNKNOWN_ID })).status).toBe(404);
	expect((await hosted.call('getJob', { name: UNKNOWN_ID })).status).toBe(404);
	const name = await hosted.run(picture());
	const { jobs, pagination } = (await hosted.call('listJobs', { query: 'limit=1' })).json as {
		jobs: unknown[];
		pagination: object;
	};
	expect(jobs).toMatchObject([{ id: name }]);
	expect(pagination).toMatchObject({ offset: 0, limit: 1, has_more: true });
});

test('rejected submissions have the documented answers', async () => {
	for (const prompt of [unknownClass(), editorFormat(), undefined]) expect((await hosted.submit(prompt)).status).toBe(400);
	sandbox.setCredits('main', 0);
	expect((await hosted.submit(picture())).status).toBe(402);
	sandbox.setCredits('main', Infinity);
});

test('the queue, its changes and an interrupt have the documented answers', async () => {
	sandbox.configure({ workers: 1 });
	const [running, waiting] = [await hosted.started(slowPicture(1000)), await hosted.started(slowPicture(1000))];
	await hosted.reaches(running, 'executing');
	const { queue_running, queue_pending } = (await hosted.call('getQueue')).json as Record<string, unknown[][]>;
	expect([queue_running?.map(([, id]) => id), queue_pending?.map(([, id]) => id)]).toEqual([[running], [waiting]]);
	expect((await hosted.call('changeQueue', { json: { delete: [waiting] } })).status).toBe(200);
	expect(await hosted.reaches(waiting)).toBe('cancelled');
	expect((await hosted.call('interrupt')).status).toBe(200);
	expect(await hosted.reaches(running)).toBe('cancelled');
	expect((await hosted.call('changeQueue', { json: { clear: true } })).status).toBe(200);
	expect((await hosted.call('changeHistory', { json: { delete: [waiting] } })).status).toBe(200);
	sandbox.configure({ workers: 4 });
});

test('node definitions have the documented answers', async () => {
	const all = (await hosted.call('getNodeDefinitions')).json;
	expect(Object.keys(all)).toEqual(expect.arrayContaining(['LoadImage', 'SaveImage', 'SandboxSampler']));
	expect((await hosted.call('getNodeDefinition', { name: 'SaveImage' })).json).toEqual({ SaveImage: all.SaveImage });
});

test('runs that succeed, fail and are stopped send frames of every documented type', async () => {
	const listener = await hosted.listen();
	await listener.next('status');
	for (const name of [await hosted.started(slowPicture(5)), await hosted.started(everyKind()), await hosted.started(failing())])
		await listener.ended(name);
	const stopped = await hosted.started(slowPicture(1000));
	await listener.next('executing', stopped);
	await hosted.call('interrupt');
	await listener.ended(stopped);
	await listener.close();
	expect(listener.problems).toEqual([]);
	expect(new Set(listener.texts.map(({ type }) => type))).toEqual(
		new Set([
			...['status', 'notification', 'executing', 'executed', 'progress', 'progress_state'],
			...['execution_start', 'execution_cached', 'execution_success', 'execution_error', 'execution_interrupted'],
		]),
	);
	expect(listener.binaries.length).toBeGreaterThan(4);
});

test('no operation works without the key', async () => {
	for (const { id, method } of v1.operations.values()) {
		if (id === 'openSocket') continue;
		const { status } = await hosted.call(id, { name: UNKNOWN_ID, key: 'wrong', ...(method === 'POST' && { json: {} }) });
		expect([id, status]).toEqual([id, 401]);
	}
});

test('the socket is refused without a token and without an upgrade', async () => {
	await expect(hosted.listen('wrong')).rejects.toThrow('401');
	expect((await hosted.call('openSocket')).status).toBe(400);
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
	afterAll(() => sandbox.configure({ v1StatusWords: 'specification' }));

	test('a job has only documented statuses from the submission to each end', async () => {
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

describe('binary types of frames, as the specification lists them', () => {
	afterAll(() => sandbox.configure({ v1Previews: 'metadata' }));
	const talking = () => ({
		...slowPicture(2),
		talk: node('SandboxTalk', { image: ['sample', 0], text: 'Ümlaut' }),
		save: node('SaveImage', { images: ['talk', 0], filename_prefix: 'talk' }),
	});

	test.each([
		[1, 'PREVIEW_IMAGE: image_type 1 = JPEG', 'plain'],
		[1, 'PREVIEW_IMAGE: image_type 2 = PNG', 'png'],
		[3, 'TEXT: node id and progress text', 'metadata'],
		[4, 'PREVIEW_IMAGE_WITH_METADATA: metadata as JSON, then JPEG or PNG', 'metadata'],
	] as const)('%d %s', async (code, _name, v1Previews) => {
		sandbox.configure({ v1Previews });
		const listener = await hosted.listen();
		const job = await hosted.started(talking());
		await listener.ended(job);
		const [frame] = listener.binaries.filter((binary) => binary.code === code);
		if (code === 1) expect(frame?.imageType).toBe(v1Previews === 'png' ? 2 : 1);
		if (code === 3) expect([frame?.nodeId, frame?.rest.toString('utf8')]).toEqual(['talk', 'Ümlaut']);
		if (code === 4) {
			const fields = ['node_id', 'display_node_id', 'real_node_id', 'prompt_id', 'parent_node_id'];
			expect(Object.keys(frame?.metadata ?? {})).toEqual(expect.arrayContaining(fields));
			expect(frame?.metadata).toMatchObject({ node_id: 'sample', prompt_id: job, parent_node_id: null });
		}
		await listener.close();
		expect(listener.problems).toEqual([]);
	});
});

test('every documented success occurs', () => {
	for (const { id, statuses } of v1.operations.values()) {
		const answered = [...(hosted.seen.get(id) ?? [])];
		expect([id, answered]).toEqual([id, expect.arrayContaining(statuses.filter((status) => status < 400))]);
	}
});
