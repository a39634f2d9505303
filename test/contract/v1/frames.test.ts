/** The frames of the sandbox's hosted surface are those of the specification, row by row. */
import { startSandbox, type Sandbox } from '../../../sandbox';
import { everyKind, node, slowPicture } from '../graphs';
import { HostedV1 } from './hosted';

let sandbox: Sandbox;
let hosted: HostedV1;
beforeAll(async () => {
	sandbox = await startSandbox();
	hosted = new HostedV1(sandbox);
});
afterAll(async () => await sandbox.close());

/** List "v1 execution errors". */
test.each([
	'ValidationError',
	'ModelDownloadError',
	'ImageDownloadError',
	'OOMError',
	'InsufficientFundsError',
	'InactiveSubscriptionError',
])('exception type %s', async (exceptionType) => {
	const listener = await hosted.listen();
	const job = await hosted.started({ fail: node('SandboxFail', { message: 'went wrong', exception_type: exceptionType }) });
	const { data } = await listener.next('execution_error', job);
	expect(data).toMatchObject({
		exception_type: exceptionType,
		exception_message: 'went wrong',
		traceback: expect.any(Array),
		node_id: 'fail',
	});
	await listener.close();
});

describe('text events', () => {
	const at = (value: unknown, path: string): unknown =>
		path.split('.').reduce((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value);
	const graphOf = (type: string): Record<string, unknown> => {
		if (type === 'execution_error') return { fail: node('SandboxFail', { message: 'went wrong', exception_type: 'OOMError' }) };
		return slowPicture(type === 'execution_interrupted' ? 1000 : 2);
	};

	test.each<[type: string, ...fields: string[]]>([
		['status', 'status.exec_info.queue_remaining'],
		['notification', 'value'],
		['execution_start', 'prompt_id'],
		['executing', 'prompt_id', 'node'],
		['progress', 'prompt_id', 'value', 'max'],
		['progress_state', 'prompt_id', 'nodes'],
		['executed', 'prompt_id', 'node', 'output'],
		['execution_cached', 'prompt_id', 'nodes'],
		['execution_success', 'prompt_id'],
		['execution_error', 'prompt_id', 'exception_type', 'exception_message', 'traceback'],
		['execution_interrupted', 'prompt_id'],
	])('%s', async (type, ...fields) => {
		const listener = await hosted.listen();
		const job = await hosted.started(graphOf(type));
		await listener.next('executing', job);
		if (type === 'execution_interrupted') await hosted.call('interrupt');
		await listener.ended(job);
		const frame = await listener.next(type);
		for (const field of fields) expect([field, at(frame.data, field)]).not.toEqual([field, undefined]);
		await listener.close();
		expect(listener.problems).toEqual([]);
	});

	test('an empty node in executing means that execution has finished', async () => {
		const listener = await hosted.listen();
		const job = await hosted.started(everyKind());
		await listener.ended(job);
		expect(listener.texts.filter(({ data }) => data.prompt_id === job).at(-1)).toEqual({
			type: 'executing',
			data: expect.objectContaining({ node: null }),
		});
		await listener.close();
	});
});

describe('binary types', () => {
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
