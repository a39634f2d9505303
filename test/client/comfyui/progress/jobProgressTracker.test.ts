import { readFrame } from '../../../../client/comfyui/frames/readFrame';
import { JobProgressTracker } from '../../../../client/comfyui/progress/jobProgressTracker';
import { badEnds, jobFrames, JPEG, namedPreviewFrame, previewFrame, text } from '../../support/frames';
import { decodeImages } from '../../support/outputs';

const JOB = 'j';
const tracker = () => new JobProgressTracker(JOB, decodeImages);
type Message = string | Buffer;
/** Returns the events that the tracker makes of messages. */
const take = (job: JobProgressTracker, ...messages: Message[]) => messages.flatMap((message) => job.handle(readFrame(message).frame));
const frame = (type: string, data: Record<string, unknown> = {}) => text(type, { prompt_id: JOB, ...data });
const executed = (node: string, filename: string) => frame('executed', { node, output: { images: [{ filename }] } });

const ended = (status: string, service_status: string) => ({ kind: 'status', status, service_status, queue_position: null });
const failure = expect.objectContaining({ code: 'OOMError', node_id: '2', class_type: 'KSampler' }) as object;

test('the events of a whole job are reported in order, and kept', () => {
	const job = tracker();
	const events = take(job, ...jobFrames(JOB));
	expect(
		events
			.map((event) => (event.kind === 'progress' ? `${event.progress.nodes_done}/${event.progress.nodes_total}` : event.kind))
			.join(' '),
	).toBe('status cached 1/2 node 1/3 1/3 1/3 preview text preview node 2/4 output 3/4 3/3 status');
	expect(events[0]).toEqual(ended('running', 'execution_start'));
	expect(events.at(-2)).toMatchObject({ progress: { value: 1 } });
	expect(events.at(-1)).toEqual(ended('succeeded', 'execution_success'));
	expect(job.job).toEqual({
		outputs: [expect.objectContaining({ node_id: '3', name: 'a.png' })],
		node_outputs: { '3': { images: [{ filename: 'a.png', subfolder: '', type: 'output' }], text: ['a cat'] } },
		job_error: null,
		isComplete: true,
	});
});

test.each([
	[0, [{ kind: 'failed', job_error: failure }, ended('failed', 'execution_error')], failure],
	[1, [ended('canceled', 'execution_interrupted')], null],
])('the bad end %d of a job is reported with its reason', (index, events, job_error) => {
	const job = tracker();
	expect(take(job, badEnds(JOB)[index] as string)).toEqual(events);
	expect(job.job.job_error).toEqual(job_error);
});

test('an end is reported once, and only outputs follow it', () => {
	const job = tracker();
	take(job, frame('execution_success'));
	expect(
		take(job, frame('execution_success'), frame('execution_error'), frame('executing', { node: '1' }), frame('execution_start')),
	).toEqual([]);
	expect(take(job, executed('9', 'late.png'))).toEqual([
		{ kind: 'output', output: expect.objectContaining({ name: 'late.png' }) as object },
	]);
});

test('executing without a node reports nothing', () => {
	const job = tracker();
	take(job, frame('execution_start'), frame('executing', { node: '1' }));
	expect(job.isRunning).toBe(true);
	expect(take(job, frame('executing', { node: null }))).toEqual([]);
	expect([job.isRunning, job.hasEnded]).toEqual([false, false]);
});

test('the same progress in two frames is reported once', () => {
	const job = tracker();
	take(job, frame('executing', { node: '1' }));
	const state = frame('progress_state', { nodes: { '1': { value: 1, max: 4, state: 'running' } } });
	expect(take(job, state, frame('progress', { node: '1', value: 1, max: 4 }), state)).toHaveLength(1);
});

test('a node that progress_state mentions first is still reported, once', () => {
	const state = frame('progress_state', { nodes: { '1': { value: 0, max: 4, state: 'running' } } });
	const events = take(tracker(), state, frame('executing', { node: '1' }), frame('executing', { node: '1' }));
	expect(events.filter(({ kind }) => kind === 'node')).toEqual([{ kind: 'node', node_id: '1' }]);
});

test('a preview without a node belongs to the running node', () => {
	const job = tracker();
	take(job, frame('executing', { node: '4' }));
	expect(take(job, previewFrame(1, JPEG))).toEqual([{ kind: 'preview', node_id: '4', content_type: 'image/jpeg', data: JPEG }]);
	expect(take(job, namedPreviewFrame({ prompt_id: JOB, node_id: '5' }, JPEG))).toMatchObject([{ node_id: '5' }]);
});

test('a new size of the graph reports progress while the job runs', () => {
	const job = tracker();
	expect(job.setTotal(10)).toBeUndefined();
	take(job, frame('execution_start'), frame('execution_cached', { nodes: ['1', '2'] }));
	expect(job.setTotal(20)).toMatchObject({ kind: 'progress', progress: { value: 0.2, nodes_total: 20 } });
	take(job, frame('execution_success'));
	expect(job.setTotal(20)).toBeUndefined();
});

describe('the kept results are complete', () => {
	const start = frame('execution_start');
	const end = frame('execution_success');
	const cached = frame('execution_cached', { nodes: [] });

	test.each<[string, boolean, (job: JobProgressTracker) => void]>([
		['from start to end', true, (job) => take(job, start, end)],
		['also when it failed', true, (job) => take(job, start, badEnds(JOB)[0] as string)],
		['not without the start', false, (job) => take(job, end)],
		['not before the end', false, (job) => take(job, start)],
		['also with a gap before the start', true, (job) => (take(job, cached), job.markGap(), take(job, start, end))],
		['not with a gap after the start', false, (job) => (take(job, start), job.markGap(), take(job, end))],
		['also with a gap after the end', true, (job) => (take(job, start, end), job.markGap())],
	])('%s: %s', (_when, expected, during) => {
		const job = tracker();
		during(job);
		expect(job.job.isComplete).toBe(expected);
	});

	test('not when the results were too large to keep', () => {
		const job = tracker();
		const large = (node: string) => frame('executed', { node, output: { text: ['x'.repeat(3 * 1024 * 1024)] } });
		take(job, start, large('1'), large('1'));
		expect(Object.keys(job.job.node_outputs)).toEqual(['1']);
		expect(take(job, large('2'), executed('3', 'a.png'), end).filter(({ kind }) => kind === 'output')).toHaveLength(1);
		expect(job.job).toMatchObject({ isComplete: false, outputs: [{ name: 'a.png' }] });
	});
});

test('a node that runs again replaces its results', () => {
	const job = tracker();
	take(job, executed('9', 'first.png'), executed('9', 'second.png'));
	expect(job.job.outputs).toMatchObject([{ name: 'second.png' }]);
});
