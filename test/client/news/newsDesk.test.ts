import { type JobEvent, NewsDesk } from '../../../client';
import { job, lines, output, progress, status } from '../comfyui/progress/support';

const desk = (memory?: ReturnType<NewsDesk['memory']>): NewsDesk => new NewsDesk({ interface: 'v1', milestones: [25, 50, 75], memory });

const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

describe('milestones', () => {
	it('are told once each, those that were jumped over too', () => {
		const one = desk();
		expect(lines(one.take(progress(0.1), 'a', {}))).toEqual(['a progress 10']);
		expect(lines(one.take(progress(0.6), 'a', {}))).toEqual(['a milestone 25', 'a milestone 50', 'a progress 60']);
		expect(lines(one.take(progress(0.61), 'a', {}))).toEqual(['a progress 61']);
	});

	it('belong to one job each', () => {
		const one = desk();
		one.take(progress(0.3), 'a', {});
		expect(lines(one.take(progress(0.3), 'b', {}))).toEqual(['b milestone 25', 'b progress 30']);
	});

	it('are not told again after a restart', () => {
		const before = desk();
		before.take(progress(0.55), 'a', {});
		expect(lines(desk(throughJson(before.memory())).take(progress(0.8), 'a', {}))).toEqual(['a milestone 75', 'a progress 80']);
	});
});

it('a percent never falls', () => {
	const one = desk();
	one.take(progress(0.5), 'a', {});
	expect(one.take(progress(0.2), 'a', {})).toMatchObject([{ kind: 'progress', percent: 50 }]);
});

describe('an end', () => {
	it('is told when the job has been read, not when a frame tells of it', () => {
		const one = desk();
		one.take(progress(0.5), 'a', {});
		expect(one.take(status('succeeded'), 'a', {})).toEqual([]);
		expect(one.inFlight()).toEqual(['a']);
		expect(one.read(job('a', 'succeeded'))).toMatchObject([{ kind: 'finished', percent: 100, status: 'succeeded' }]);
		expect(one.inFlight()).toEqual([]);
	});

	it('is told once, whatever comes after it', () => {
		const one = desk();
		one.read(job('a', 'succeeded'));
		expect(one.read(job('a', 'succeeded'))).toEqual([]);
		expect(one.take(progress(0.3), 'a', {})).toEqual([]);
		expect(desk(throughJson(one.memory())).read(job('a', 'failed'))).toEqual([]);
	});

	it('of a job that failed tells why, from the frame where the read does not say', () => {
		const one = desk();
		const job_error = { code: 'OOMError', message: 'no memory', node_id: '3', class_type: 'KSampler', traceback: null };
		one.take({ kind: 'failed', job_error }, 'a', {});
		expect(one.read(job('a', 'failed'))).toMatchObject([{ kind: 'finished', status: 'failed', job_error }]);
	});
});

describe('outputs', () => {
	it('are told once each, by frames or by the read at the end', () => {
		const one = desk();
		expect(lines(one.take({ kind: 'output', output: output('one.png') }, 'a', {}))).toEqual(['a output one.png']);
		const outputs = [output('one.png'), output('two.png')];
		expect(lines(one.read(job('a', 'succeeded', { outputs })))).toEqual(['a output two.png', 'a finished succeeded']);
	});

	it('are not told again after a restart', () => {
		const before = desk();
		before.take({ kind: 'output', output: output('one.png') }, 'a', {});
		expect(lines(desk(throughJson(before.memory())).read(job('a', 'succeeded', { outputs: [output('one.png')] })))).toEqual([
			'a finished succeeded',
		]);
	});

	it('of the same name from two nodes are two', () => {
		const one = desk();
		one.take({ kind: 'output', output: output('one.png', '8') }, 'a', {});
		expect(one.take({ kind: 'output', output: output('one.png', '9') }, 'a', {})).toHaveLength(1);
	});
});

it('a status is told when it changes', () => {
	const one = desk();
	expect(
		lines([...one.take(status('running'), 'a', {}), ...one.take(status('running'), 'a', {}), ...one.read(job('a', 'running'))]),
	).toEqual(['a status running']);
});

it('a read tells of milestones that no event has told', () => {
	const reading = { value: 0.5, nodes_done: 2, nodes_total: 4 };
	expect(lines(desk().read(job('a', 'running', { progress: reading })))).toEqual(['a status running', 'a milestone 25', 'a milestone 50']);
});

it.each<[JobEvent, object]>([
	[
		{ kind: 'node', node_id: '4' },
		{ kind: 'node', node_id: '4' },
	],
	[
		{ kind: 'cached', node_ids: ['1', '2'] },
		{ kind: 'cached', node_id: null },
	],
	[
		{ kind: 'text', node_id: '4', text: 'half way' },
		{ kind: 'text', node_id: '4', message: 'half way' },
	],
	[
		{ kind: 'log', level: 'info', message: 'line' },
		{ kind: 'log', message: 'line' },
	],
	[{ kind: 'other', name: 'new', data: 1 }, { kind: 'other' }],
])('%j becomes news of its own kind', (event, expected) => {
	expect(desk().take(event, 'a', 'raw')).toMatchObject([{ ...expected, job_id: 'a', interface: 'v1', event: 'raw' }]);
});

it.each([
	[{ kind: 'queue', queue_remaining: 3 } as const, { kind: 'queue', queue_remaining: 3 }],
	[{ kind: 'notification', message: 'maintenance' } as const, { kind: 'notification', message: 'maintenance' }],
])('%j is news of the account', (event, expected) => {
	expect(desk().take(event, null, 'raw')).toMatchObject([{ ...expected, job_id: null }]);
});

it('forgets the oldest jobs of an account that has very many', () => {
	const one = desk();
	for (let index = 0; index < 1_200; index++) one.take(status('running'), `job-${index}`, {});
	expect(one.inFlight()).toHaveLength(1_000);
	expect(one.inFlight().at(-1)).toBe('job-1199');
	for (let index = 0; index < 700; index++) one.read(job(`ended-${index}`, 'succeeded'));
	expect(Object.keys(one.memory().ended)).toHaveLength(500);
	expect(one.hasEnded('ended-699')).toBe(true);
});
