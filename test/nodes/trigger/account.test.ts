import { previewWithMetadataFrame } from '../../../sandbox/socket/frames';
import { colorGraph, failingGraph, slowGraph } from '../support/graphs';
import { deliver, useScene } from './support/scene';

const scene = useScene();
const of = (items: Array<{ json: object }>): object[] => items.map(({ json }) => json);

describe('the hosted account', () => {
	it('starts one execution for each milestone and one at the end', async () => {
		const trigger = await scene.listen(deliver('milestones'));
		await scene.connected();
		const job = await scene.submit(slowGraph(20, 20, 11));
		await trigger.until(1, 'finished');
		expect(of(trigger.items)).toMatchObject([
			...[25, 50, 75].map((milestone) => ({ kind: 'milestone', milestone, job_id: job.job_id, interface: 'v1', status: 'running' })),
			{
				kind: 'finished',
				job_id: job.job_id,
				status: 'succeeded',
				service_status: 'success',
				percent: 100,
				outputs: [{ node_id: '3', type: 'image' }],
				job_error: null,
			},
		]);
		expect(new Set(trigger.onceKeys).size).toBe(4);
	});

	it('tells each output, and the end', async () => {
		const trigger = await scene.listen(deliver('eachOutput'));
		await scene.connected();
		const job = await scene.submit(colorGraph(21));
		await trigger.until(1, 'finished');
		expect(of(trigger.items)).toMatchObject([
			{ kind: 'output', job_id: job.job_id, node_id: '2', outputs: [{ content_type: 'image/png' }] },
			{ kind: 'finished', job_id: job.job_id },
		]);
	});

	it('tells of a failure with the failing node', async () => {
		const trigger = await scene.listen(deliver('onlyWhenFinished'));
		await scene.connected();
		await scene.submit(failingGraph());
		await trigger.until(1);
		expect(of(trigger.items)).toMatchObject([
			{ kind: 'finished', status: 'failed', job_error: { code: 'OOMError', node_id: '7', class_type: 'SandboxFail' } },
		]);
	});

	it('tells every event, the newest of those that come in floods', async () => {
		const trigger = await scene.listen(
			deliver('everyEvent', { options: { leastSecondsBetween: 3600, includeRawEvent: true, includePreviews: true } }),
		);
		await scene.connected();
		const job = await scene.submit(slowGraph(40, 20, 31));
		await trigger.until(1, 'finished');
		const kinds = trigger.items.map(({ json }) => json.kind);
		expect(kinds).toEqual(expect.arrayContaining(['queue', 'status', 'node', 'progress', 'preview', 'output', 'finished']));
		// The first at once, then what waits when something comes that never waits.
		const percents = trigger.items.flatMap(({ json }) => (json.kind === 'progress' ? [json.percent] : []));
		expect(percents.length).toBeLessThan(5);
		expect(percents.at(-1)).toBe(100);
		const preview = trigger.items.find(({ json }) => json.kind === 'preview');
		expect(preview).toMatchObject({
			json: { job_id: job.job_id, node_id: '2', binary_field: 'data' },
			binary: { data: { mimeType: 'image/jpeg', fileName: 'preview-2.jpg' } },
		});
		expect(trigger.items.find(({ json }) => json.kind === 'progress')?.json.event).toMatchObject({ data: { prompt_id: job.job_id } });
	});

	it('leaves out previews that are too large to keep', async () => {
		const trigger = await scene.listen(deliver('everyEvent', { options: { includePreviews: true }, filters: { eventKinds: ['preview'] } }));
		await scene.connected();
		const metadata = { node_id: '3', display_node_id: '3', real_node_id: '3', prompt_id: 'some-job', parent_node_id: null };
		const image = (bytes: number) => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(bytes)]);
		scene.sandbox.sendFrame(previewWithMetadataFrame(metadata, image(600 * 1024)), 'hosted');
		const [preview] = await trigger.until(1);
		expect(preview?.json).toMatchObject({ kind: 'preview', preview_bytes: 600 * 1024 + 3, preview_content_type: 'image/jpeg' });
		expect(preview?.binary).toBeUndefined();
	});
});
