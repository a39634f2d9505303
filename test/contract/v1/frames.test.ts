/** The frames of the sandbox's hosted surface are those of the specification, row by row. */
import { startSandbox, type Sandbox } from '../../../sandbox';
import { everyKind, node, slowPicture } from '../graphs';
import { HostedV1 } from './hosted';
import * as rows from './specificationRows';

let sandbox: Sandbox;
let hosted: HostedV1;
beforeAll(async () => {
	sandbox = await startSandbox();
	hosted = new HostedV1(sandbox);
});
afterAll(async () => await sandbox.close());

test.each(rows.exceptionTypes)('exception type %s', async (exceptionType) => {
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

	test.each(rows.textEvents)('$type', async ({ type, data }) => {
		const listener = await hosted.listen();
		const job = await hosted.started(graphOf(type));
		await listener.next('executing', job);
		if (type === 'execution_interrupted') await hosted.call('interrupt');
		await listener.ended(job);
		const frame = await listener.next(type);
		for (const field of data) expect([field, at(frame.data, field)]).not.toEqual([field, undefined]);
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

	test.each(rows.binaryTypes)('$code, $name: $variant', async ({ code, variant }) => {
		sandbox.configure({ v1Previews: variant.endsWith('PNG') && code === 1 ? 'png' : code === 1 ? 'plain' : 'metadata' });
		const listener = await hosted.listen();
		const job = await hosted.started(talking());
		await listener.ended(job);
		const [frame] = listener.binaries.filter((binary) => binary.code === code);
		if (code === 1) expect(frame?.imageType).toBe(variant.endsWith('PNG') ? 2 : 1);
		if (code === 3) expect([frame?.nodeId, frame?.rest.toString('utf8')]).toEqual(['talk', 'Ümlaut']);
		if (code === 4) {
			for (const field of rows.metadataFields) expect(Object.keys(frame?.metadata ?? {})).toContain(field);
			expect(frame?.metadata).toMatchObject({ node_id: 'sample', prompt_id: job, parent_node_id: null });
		}
		await listener.close();
		expect(listener.problems).toEqual([]);
	});
});
