import { readFrame } from '../../../../client/comfyui/frames';
import { JobTracker } from '../../../../client/comfyui/progress/jobTracker';
import { badEnds, jobFrames, JPEG, namedPreviewFrame, previewFrame, text } from '../../support/frames';
import { decodeImages } from '../../support/outputs';

const JOB = 'j';
const tracker = () => new JobTracker(JOB, decodeImages);
const take = (job: JobTracker, ...messages: Array<string | Buffer>) => messages.flatMap((message) => job.take(readFrame(message).frame));
const frame = (type: string, data: Record<string, unknown> = {}) => text(type, { prompt_id: JOB, ...data });
const executed = (node: string, filename: string) => frame('executed', { node, output: { images: [{ filename }] } });

test('a whole job in events, in order', () => {
	const events = take(tracker(), ...jobFrames(JOB));
	expect(
		events.map((event) => (event.kind === 'progress' ? `progress ${event.progress.nodes_done}/${event.progress.nodes_total}` : event.kind)),
	).toEqual([
		'status',
		'cached',
		'progress 1/2',
		'node',
		'progress 1/3',
		'progress 1/3',
		'progress 1/3',
		'preview',
		'text',
		'preview',
		'node',
		'progress 2/4',
		'output',
		'progress 3/4',
		'progress 3/3',
		'status',
	]);
	expect(events[0]).toEqual({ kind: 'status', status: 'running', service_status: 'execution_start', queue_position: null });
	expect(events.at(-2)).toMatchObject({ progress: { value: 1 } });
	expect(events.at(-1)).toEqual({ kind: 'status', status: 'succeeded', service_status: 'execution_success', queue_position: null });
});

test('what was gathered of it', () => {
	const job = tracker();
	take(job, ...jobFrames(JOB));
	expect(job.heard).toEqual({
		outputs: [expect.objectContaining({ node_id: '3', name: 'a.png' })],
		node_outputs: { '3': { images: [{ filename: 'a.png', subfolder: '', type: 'output' }], text: ['a cat'] } },
		job_error: null,
		isComplete: true,
	});
});

test('execution_error: why, then failed', () => {
	const job = tracker();
	expect(take(job, badEnds(JOB)[0] as string)).toEqual([
		{ kind: 'failed', job_error: expect.objectContaining({ code: 'OOMError', node_id: '2', class_type: 'KSampler' }) as object },
		{ kind: 'status', status: 'failed', service_status: 'execution_error', queue_position: null },
	]);
	expect(job.heard.job_error).toMatchObject({ code: 'OOMError' });
});

test('execution_interrupted: canceled', () => {
	expect(take(tracker(), badEnds(JOB)[1] as string)).toEqual([
		{ kind: 'status', status: 'canceled', service_status: 'execution_interrupted', queue_position: null },
	]);
});

test('an end is told once, and only outputs come after it', () => {
	const job = tracker();
	take(job, frame('execution_success'));
	expect(
		take(job, frame('execution_success'), frame('execution_error'), frame('executing', { node: '1' }), frame('execution_start')),
	).toEqual([]);
	expect(take(job, executed('9', 'late.png'))).toEqual([
		{ kind: 'output', output: expect.objectContaining({ name: 'late.png' }) as object },
	]);
});

test('executing without a node tells nothing', () => {
	const job = tracker();
	take(job, frame('execution_start'), frame('executing', { node: '1' }));
	expect(job.isRunning).toBe(true);
	expect(take(job, frame('executing', { node: null }))).toEqual([]);
	expect([job.isRunning, job.hasEnded]).toEqual([false, false]);
});

test('the same progress in two frames is told once', () => {
	const job = tracker();
	take(job, frame('executing', { node: '1' }));
	const state = frame('progress_state', { nodes: { '1': { value: 1, max: 4, state: 'running' } } });
	expect(take(job, state, frame('progress', { node: '1', value: 1, max: 4 }), state)).toHaveLength(1);
});

test('a node that progress_state told of first is still announced, once', () => {
	const state = frame('progress_state', { nodes: { '1': { value: 0, max: 4, state: 'running' } } });
	const events = take(tracker(), state, frame('executing', { node: '1' }), frame('executing', { node: '1' }));
	expect(events.filter(({ kind }) => kind === 'node')).toEqual([{ kind: 'node', node_id: '1' }]);
});

test('a preview that names no node is of the running one', () => {
	const job = tracker();
	take(job, frame('executing', { node: '4' }));
	expect(take(job, previewFrame(1, JPEG))).toEqual([{ kind: 'preview', node_id: '4', content_type: 'image/jpeg', data: JPEG }]);
	expect(take(job, namedPreviewFrame({ prompt_id: JOB, node_id: '5' }, JPEG))).toMatchObject([{ node_id: '5' }]);
});

test('a size is worth a new progress while the job runs', () => {
	const job = tracker();
	expect(job.setTotal(10)).toBeUndefined();
	take(job, frame('execution_start'), frame('execution_cached', { nodes: ['1', '2'] }));
	expect(job.setTotal(20)).toMatchObject({ kind: 'progress', progress: { value: 0.2, nodes_total: 20 } });
	take(job, frame('execution_success'));
	expect(job.setTotal(20)).toBeUndefined();
});

describe('gathered is complete', () => {
	const isComplete = (during: (job: JobTracker) => void) => {
		const job = tracker();
		during(job);
		return job.heard.isComplete;
	};
	const start = frame('execution_start');
	const end = frame('execution_success');

	test.each<[string, boolean, (job: JobTracker) => void]>([
		['from start to end', true, (job) => take(job, start, end)],
		['also when it failed', true, (job) => take(job, start, badEnds(JOB)[0] as string)],
		['not without the start', false, (job) => take(job, end)],
		['not before the end', false, (job) => take(job, start)],
		[
			'also with a gap before the start',
			true,
			(job) => (take(job, frame('execution_cached', { nodes: [] })), job.gap(), take(job, start, end)),
		],
		['not with a gap after the start', false, (job) => (take(job, start), job.gap(), take(job, end))],
		['also with a gap after the end', true, (job) => (take(job, start, end), job.gap())],
	])('%s: %s', (_when, expected, during) => {
		expect(isComplete(during)).toBe(expected);
	});

	test('not when it was too much to keep', () => {
		const job = tracker();
		const large = (node: string) => frame('executed', { node, output: { text: ['x'.repeat(3 * 1024 * 1024)] } });
		take(job, start, large('1'), large('1'));
		expect(Object.keys(job.heard.node_outputs)).toEqual(['1']);
		expect(take(job, large('2'), executed('3', 'a.png'), end).filter(({ kind }) => kind === 'output')).toHaveLength(1);
		expect(job.heard).toMatchObject({ isComplete: false, outputs: [{ name: 'a.png' }] });
	});
});

test('a node that runs again replaces what it made', () => {
	const job = tracker();
	take(job, executed('9', 'first.png'), executed('9', 'second.png'));
	expect(job.heard.outputs).toMatchObject([{ name: 'second.png' }]);
});
