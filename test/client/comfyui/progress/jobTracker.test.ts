import { type Frame, readFrame } from '../../../../client/comfyui/frames';
import { JobTracker } from '../../../../client/comfyui/progress/jobTracker';
import { badEnds, jobFrames, JPEG, namedPreviewFrame, previewFrame, text, progressTextFrame } from '../../support/frames';
import { decodeImages } from '../../support/outputs';
import { OverallPercent } from '../../../../client/comfyui/progress/overallPercent';
import { TrackedJobs } from '../../../../client/comfyui/progress/trackedJobs';

const JOB = 'j';
const tracker = () => new JobTracker(JOB, decodeImages);
type Message = string | Buffer;
/** What a tracker of one job, or of an account's jobs, makes of messages. */
const take = <Event>(job: { take(frame: Frame): Event[] }, ...messages: Message[]) =>
	messages.flatMap((message) => job.take(readFrame(message).frame));
const frame = (type: string, data: Record<string, unknown> = {}) => text(type, { prompt_id: JOB, ...data });
const executed = (node: string, filename: string) => frame('executed', { node, output: { images: [{ filename }] } });

const ended = (status: string, service_status: string) => ({ kind: 'status', status, service_status, queue_position: null });
const failure = expect.objectContaining({ code: 'OOMError', node_id: '2', class_type: 'KSampler' }) as object;

test('the events of a whole job are reported in order, and gathered', () => {
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
	expect(job.heard).toEqual({
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
	expect(job.heard.job_error).toEqual(job_error);
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
	const start = frame('execution_start');
	const end = frame('execution_success');
	const cached = frame('execution_cached', { nodes: [] });

	test.each<[string, boolean, (job: JobTracker) => void]>([
		['from start to end', true, (job) => take(job, start, end)],
		['also when it failed', true, (job) => take(job, start, badEnds(JOB)[0] as string)],
		['not without the start', false, (job) => take(job, end)],
		['not before the end', false, (job) => take(job, start)],
		['also with a gap before the start', true, (job) => (take(job, cached), job.gap(), take(job, start, end))],
		['not with a gap after the start', false, (job) => (take(job, start), job.gap(), take(job, end))],
		['also with a gap after the end', true, (job) => (take(job, start, end), job.gap())],
	])('%s: %s', (_when, expected, during) => {
		const job = tracker();
		during(job);
		expect(job.heard.isComplete).toBe(expected);
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

describe('the percent of a job', () => {
	const sized = (total: number): OverallPercent => {
		const percent = new OverallPercent();
		percent.setTotal(total);
		return percent;
	};
	const node = (nodeId: string, value: number, max: number, state: string) => ({ nodeId, value, max, state });

	test('by the size of the graph: cached and finished nodes, and what is done of the running one', () => {
		const percent = sized(4);
		expect(percent.snapshot()).toEqual({ value: 0, nodes_done: 0, nodes_total: 4, current_node: null, step: null, steps: null });
		percent.cached(['1']);
		percent.executing('2');
		expect(percent.snapshot()).toEqual({ value: 0.25, nodes_done: 1, nodes_total: 4, current_node: '2', step: null, steps: null });
		percent.stepped('2', 5, 10);
		expect(percent.snapshot()).toEqual({ value: 0.375, nodes_done: 1, nodes_total: 4, current_node: '2', step: 5, steps: 10 });
		percent.executing('3');
		expect(percent.snapshot()).toMatchObject({ value: 0.5, nodes_done: 2, current_node: '3', step: null });
		percent.executed('3');
		expect(percent.snapshot()).toMatchObject({ value: 0.75, nodes_done: 3, current_node: null });
	});

	test('without a size, at least one more node may come', () => {
		const percent = new OverallPercent();
		percent.executing('1');
		expect(percent.snapshot()).toMatchObject({ value: 0, nodes_total: 2 });
		percent.executing('2');
		expect(percent.snapshot()).toMatchObject({ value: 1 / 3, nodes_done: 1, nodes_total: 3 });
		percent.executing(null);
		expect(percent.snapshot()).toMatchObject({ value: 2 / 3, nodes_done: 2, nodes_total: 3, current_node: null });
	});

	test('progress_state gives the size where it lists pending nodes', () => {
		const percent = new OverallPercent();
		percent.told([node('1', 1, 1, 'finished'), node('2', 1, 2, 'running'), node('3', 0, 1, 'pending'), node('4', 0, 1, 'pending')]);
		expect(percent.snapshot()).toEqual({ value: 0.375, nodes_done: 1, nodes_total: 4, current_node: '2', step: 1, steps: 2 });
		percent.told([node('1', 1, 1, 'finished'), node('2', 2, 2, 'finished'), node('3', 0, 1, 'running'), node('4', 0, 1, 'running')]);
		expect(percent.snapshot()).toMatchObject({ value: 0.5, nodes_done: 2, nodes_total: 4, current_node: '3' });
		const without = new OverallPercent();
		without.told([node('1', 1, 1, 'finished')]);
		expect(without.snapshot()).toMatchObject({ value: 0.5, nodes_total: 2 });
	});

	test('nodes that run at the same time all count', () => {
		const percent = sized(4);
		percent.executing('2');
		percent.told([node('1', 1, 4, 'running'), node('2', 3, 4, 'running')]);
		expect(percent.snapshot()).toMatchObject({ value: 0.25, current_node: '2', step: 3, steps: 4 });
	});

	test('nodes inside of nodes count once each, and stretch a size that is too small', () => {
		const percent = sized(2);
		for (const nodeId of ['5', '5.0.0.7', '12:3', '5.0.0.7', '12:3']) percent.executing(nodeId);
		expect(percent.snapshot()).toMatchObject({ nodes_total: 3, nodes_done: 2 });
	});

	test('never falls, and is not the whole before success', () => {
		const percent = sized(2);
		percent.executing('1');
		percent.stepped('1', 8, 10);
		expect(percent.snapshot()).toMatchObject({ value: 0.4, step: 8 });
		percent.stepped('1', 1, 10);
		expect(percent.snapshot()).toMatchObject({ value: 0.4, step: 1 });
		percent.cached(['1', '2']);
		expect(percent.snapshot()).toMatchObject({ value: 0.99, nodes_done: 2 });
		expect(percent.succeeded()).toEqual({ value: 1, nodes_done: 2, nodes_total: 2, current_node: null, step: null, steps: null });
	});

	test('a size that comes late replaces what was guessed', () => {
		const percent = new OverallPercent();
		percent.cached(['1', '2', '3']);
		expect(percent.snapshot().value).toBe(0.75);
		percent.setTotal(30);
		expect(percent.snapshot().value).toBe(0.1);
	});

	test('a step without a node belongs to the running one; of a node that is done it is late', () => {
		const percent = sized(2);
		percent.stepped(null, 1, 2);
		expect(percent.snapshot().value).toBe(0);
		percent.executing('1');
		percent.stepped(null, 1, 2);
		expect(percent.snapshot()).toMatchObject({ value: 0.25, step: 1, steps: 2 });
		percent.executing('2');
		percent.stepped('1', 1, 2);
		expect(percent.snapshot()).toMatchObject({ value: 0.5, nodes_done: 1, current_node: '2', step: null });
	});

	test.each([
		[0, 0, 0],
		[5, 0, 0],
		[9, 3, 0.5],
	])('step %d of %d is worth %d of two nodes', (value, max, expected) => {
		const percent = sized(2);
		percent.stepped('1', value, max);
		expect(percent.snapshot().value).toBe(expected);
	});

	test('endless nodes are not counted one by one', () => {
		const percent = new OverallPercent();
		for (let nodeId = 0; nodeId < 20_000; nodeId++) percent.cached([String(nodeId)]);
		expect(percent.size).toBe(5_000);
	});
});

describe('the jobs of an account', () => {
	const tracked = () => new TrackedJobs(decodeImages);
	const start = (jobId: string) => text('execution_start', { prompt_id: jobId });
	const end = (jobId: string) => text('execution_success', { prompt_id: jobId });
	const namesOfJob = [
		['a preview', previewFrame(1, JPEG), 'preview'],
		['a text', progressTextFrame('1', 'words'), 'text'],
		['progress', text('progress', { node: '1', value: 1, max: 2 }), 'progress'],
	] as const;

	test('news of the account', () => {
		const status = text('status', { status: { exec_info: { queue_remaining: 2 } } });
		expect(take(tracked(), status, text('notification', { value: 'Hello' }), text('new', 1), 'x')).toEqual([
			{ event: { kind: 'queue', queue_remaining: 2 }, jobId: null },
			{ event: { kind: 'notification', message: 'Hello' }, jobId: null },
			{ event: { kind: 'other', name: 'new', data: 1 }, jobId: null },
			{ event: { kind: 'other', name: 'malformed', data: { reason: 'the text is no JSON' } }, jobId: null },
		]);
	});

	test('notifications and unknown types that name a job are news of that job', () => {
		const messages = [text('notification', { value: 'Hello', prompt_id: 'j' }), text('new', { prompt_id: 'j' })];
		expect(take(tracked(), ...messages)).toMatchObject([{ jobId: 'j' }, { jobId: 'j' }]);
	});

	test.each(namesOfJob)('%s that names no job belongs to the only one that runs', (_what, message, kind) => {
		const jobs = tracked();
		take(jobs, start('ended'), end('ended'), start('j'));
		expect(take(jobs, message)).toMatchObject([{ event: { kind }, jobId: 'j' }]);
	});

	test.each(namesOfJob)('%s that names no job belongs to none when two run, or none does', (_what, message, kind) => {
		for (const running of [[], ['a', 'b']]) {
			const jobs = tracked();
			take(jobs, ...running.map(start));
			expect(take(jobs, message)).toMatchObject([{ event: { kind: kind === 'progress' ? 'other' : kind }, jobId: null }]);
		}
	});

	test('what ran before a gap may not run any more', () => {
		const jobs = tracked();
		take(jobs, start('a'));
		jobs.gap();
		take(jobs, start('b'));
		expect(take(jobs, previewFrame(1, JPEG))).toMatchObject([{ jobId: 'b' }]);
	});

	test('of a job nobody heard of nothing is known', () => {
		const jobs = tracked();
		jobs.setTotal('j', 3);
		expect(jobs.heardOf('j')).toBeUndefined();
		take(jobs, start('j'));
		expect(jobs.heardOf('j')).toMatchObject({ isComplete: false });
	});

	test('a size that was known before the start is used', () => {
		const jobs = tracked();
		jobs.setTotal('j', 4);
		const cached = text('execution_cached', { prompt_id: 'j', nodes: ['1'] });
		expect(take(jobs, cached).at(-1)).toMatchObject({ event: { progress: { value: 0.25 } } });
	});

	test('of many jobs the oldest ended ones are forgotten first', () => {
		const jobs = tracked();
		take(jobs, start('running'), start('ended'), end('ended'));
		for (let at = 0; at < 999; at++) take(jobs, start(`later-${at}`));
		expect([jobs.heardOf('ended'), jobs.heardOf('running')]).toEqual([undefined, expect.any(Object)]);
		take(jobs, start('one more'));
		expect([jobs.heardOf('running'), jobs.heardOf('later-0')]).toEqual([undefined, expect.any(Object)]);
	});

	test('of large jobs fewer are remembered', () => {
		const jobs = tracked();
		const large = 'x'.repeat(3 * 1024 * 1024);
		for (let at = 0; at < 20; at++)
			take(jobs, text('executed', { prompt_id: `j${at}`, node: '1', output: { text: [large] } }), end(`j${at}`));
		const kept = Array.from({ length: 20 }, (_, at) => jobs.heardOf(`j${at}`)).filter((gathered) => gathered !== undefined);
		expect(kept).toHaveLength(10);
		expect(jobs.heardOf('j19')).toBeDefined();
	});
});
