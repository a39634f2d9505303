import { TrackedJobs } from '../../../../client/comfyui/progress/trackedJobs';
import { readFrame } from '../../../../client/comfyui/frames/readFrame';
import { JPEG, previewFrame, progressTextFrame, text } from '../../support/frames';
import { decodeImages } from '../../support/outputs';

/** Returns the events that the jobs of an account make of messages. */
const take = (jobs: TrackedJobs, ...messages: Array<string | Buffer>) =>
	messages.flatMap((message) => jobs.handle(readFrame(message).frame));

describe('the jobs of an account', () => {
	const tracked = () => new TrackedJobs(decodeImages);
	const start = (jobId: string) => text('execution_start', { prompt_id: jobId });
	const end = (jobId: string) => text('execution_success', { prompt_id: jobId });
	const namesOfJob = [
		['a preview', previewFrame(1, JPEG), 'preview'],
		['a text', progressTextFrame('1', 'words'), 'text'],
		['progress', text('progress', { node: '1', value: 1, max: 2 }), 'progress'],
	] as const;

	test('messages without a job are events of the account, and of a job if they name one', () => {
		const status = text('status', { status: { exec_info: { queue_remaining: 2 } } });
		expect(take(tracked(), status, text('notification', { value: 'Hello' }), text('new', 1), 'x')).toEqual([
			{ event: { kind: 'queue', queue_remaining: 2 }, jobId: null },
			{ event: { kind: 'notification', message: 'Hello' }, jobId: null },
			{ event: { kind: 'other', name: 'new', data: 1 }, jobId: null },
			{ event: { kind: 'other', name: 'malformed', data: { reason: 'the text is not JSON' } }, jobId: null },
		]);
		const named = [text('notification', { value: 'Hello', prompt_id: 'j' }), text('new', { prompt_id: 'k' })];
		expect(take(tracked(), ...named)).toMatchObject([{ jobId: 'j' }, { jobId: 'k' }]);
	});

	test.each(namesOfJob)('%s without a job belongs to the only running job, and to no job if two run, or none', (_what, message, kind) => {
		const jobs = tracked();
		const ofNoJob = { event: { kind: kind === 'progress' ? 'other' : kind }, jobId: null };
		expect(take(jobs, message)).toMatchObject([ofNoJob]);
		take(jobs, start('ended'), end('ended'), start('j'));
		expect(take(jobs, message)).toMatchObject([{ event: { kind }, jobId: 'j' }]);
		take(jobs, start('k'));
		expect(take(jobs, message)).toMatchObject([ofNoJob]);
	});

	test('two jobs that ran before a gap do not count as running', () => {
		const jobs = tracked();
		take(jobs, start('a'), start('z'));
		jobs.markGap();
		take(jobs, start('b'));
		expect(take(jobs, previewFrame(1, JPEG))).toMatchObject([{ jobId: 'b' }]);
	});

	test('uses a size that was set before the start', () => {
		const jobs = tracked();
		jobs.setTotal('j', 4);
		const cached = text('execution_cached', { prompt_id: 'j', nodes: ['1'] });
		expect(take(jobs, cached).at(-1)).toMatchObject({ event: { progress: { value: 0.25 } } });
	});

	test('forgets the oldest ended jobs first', () => {
		const jobs = tracked();
		take(jobs, start('running'), start('ended'), end('ended'));
		for (let at = 0; at < 999; at++) take(jobs, start(`later-${at}`));
		expect([jobs.jobFromEvents('ended'), jobs.jobFromEvents('running')]).toEqual([undefined, expect.any(Object)]);
		take(jobs, start('one more'));
		expect([jobs.jobFromEvents('running'), jobs.jobFromEvents('later-0')]).toEqual([undefined, expect.any(Object)]);
	});

	test('keeps fewer jobs if they are large', () => {
		const jobs = tracked();
		const large = 'x'.repeat(3 * 1024 * 1024);
		for (let at = 0; at < 12; at++)
			take(jobs, text('executed', { prompt_id: `j${at}`, node: '1', output: { text: [large] } }), end(`j${at}`));
		const kept = Array.from({ length: 12 }, (_, at) => jobs.jobFromEvents(`j${at}`)).filter((gathered) => gathered !== undefined);
		expect(kept).toHaveLength(10);
		expect(jobs.jobFromEvents('j11')).toBeDefined();
	});
});
