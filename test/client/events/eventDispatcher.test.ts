import { type JobEvent, type JobOutput, EventDispatcher } from '../../../client';
import { toPercent } from '../../../client/events/eventDispatcher';
import { job, lines, output, progress, status } from '../comfyui/progress/support';

const dispatcher = (state?: ReturnType<EventDispatcher['state']>): EventDispatcher =>
	new EventDispatcher({ interface: 'v1', milestones: [25, 50, 75], state });

const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

describe('milestones', () => {
	it('are each reported once, also when progress skips one', () => {
		const one = dispatcher();
		expect(lines(one.handleEvent(progress(0.1), 'a', {}))).toEqual(['a progress 10']);
		expect(lines(one.handleEvent(progress(0.6), 'a', {}))).toEqual(['a milestone 25', 'a milestone 50', 'a progress 60']);
		expect(lines(one.handleEvent(progress(0.61), 'a', {}))).toEqual(['a progress 61']);
	});

	it('are counted for each job separately', () => {
		const one = dispatcher();
		one.handleEvent(progress(0.3), 'a', {});
		expect(lines(one.handleEvent(progress(0.3), 'b', {}))).toEqual(['b milestone 25', 'b progress 30']);
	});

	it('are not reported again after a restart', () => {
		const before = dispatcher();
		before.handleEvent(progress(0.55), 'a', {});
		expect(lines(dispatcher(throughJson(before.state())).handleEvent(progress(0.8), 'a', {}))).toEqual(['a milestone 75', 'a progress 80']);
	});
});

it('the percentage never falls', () => {
	const one = dispatcher();
	one.handleEvent(progress(0.5), 'a', {});
	expect(one.handleEvent(progress(0.2), 'a', {})).toMatchObject([{ kind: 'progress', percent: 50 }]);
});

describe('an end', () => {
	it('is reported when the job is read, not at the live event', () => {
		const one = dispatcher();
		one.handleEvent(progress(0.5), 'a', {});
		expect(one.handleEvent(status('succeeded'), 'a', {})).toEqual([]);
		expect(one.inFlight()).toEqual(['a']);
		expect(one.handleJob(job('a', 'succeeded'))).toMatchObject([{ kind: 'finished', percent: 100, status: 'succeeded' }]);
		expect(one.inFlight()).toEqual([]);
	});

	it('is reported once, whatever follows', () => {
		const one = dispatcher();
		one.handleJob(job('a', 'succeeded'));
		expect(one.handleJob(job('a', 'succeeded'))).toEqual([]);
		expect(one.handleEvent(progress(0.3), 'a', {})).toEqual([]);
		expect(dispatcher(throughJson(one.state())).handleJob(job('a', 'failed'))).toEqual([]);
	});

	it('has the error of the live event if the read has none', () => {
		const one = dispatcher();
		const job_error = { code: 'OOMError', message: 'no memory', node_id: '3', class_type: 'KSampler', traceback: null };
		one.handleEvent({ kind: 'failed', job_error }, 'a', {});
		expect(one.handleJob(job('a', 'failed'))).toMatchObject([{ kind: 'finished', status: 'failed', job_error }]);
	});
});

describe('outputs', () => {
	it('are each reported once, from live events or from the read at the end', () => {
		const one = dispatcher();
		expect(lines(one.handleEvent({ kind: 'output', output: output('one.png') }, 'a', {}))).toEqual(['a output one.png']);
		const outputs = [output('one.png'), output('two.png')];
		expect(lines(one.handleJob(job('a', 'succeeded', { outputs })))).toEqual(['a output two.png', 'a finished succeeded']);
	});

	it('are not reported again after a restart', () => {
		const before = dispatcher();
		const [one, two, three] = ['one.png', 'two.png', 'three.png'].map((name) => output(name));
		for (const reported of [one, two]) before.handleEvent({ kind: 'output', output: reported as JobOutput }, 'a', {});
		const outputs = [one, two, three] as JobOutput[];
		const after = dispatcher(throughJson(before.state()));
		expect(lines(after.handleJob(job('a', 'succeeded', { outputs })))).toEqual(['a output three.png', 'a finished succeeded']);
	});

	it('of the same name from two nodes are both reported', () => {
		const one = dispatcher();
		one.handleEvent({ kind: 'output', output: output('one.png', '8') }, 'a', {});
		expect(one.handleEvent({ kind: 'output', output: output('one.png', '9') }, 'a', {})).toHaveLength(1);
	});
});

it('a status is reported when it changes', () => {
	const one = dispatcher();
	expect(
		lines([
			...one.handleEvent(status('running'), 'a', {}),
			...one.handleEvent(status('running'), 'a', {}),
			...one.handleJob(job('a', 'running')),
		]),
	).toEqual(['a status running']);
});

it('a read reports milestones that the live events missed', () => {
	const reading = { value: 0.5, nodes_done: 2, nodes_total: 4 };
	expect(lines(dispatcher().handleJob(job('a', 'running', { progress: reading })))).toEqual([
		'a status running',
		'a milestone 25',
		'a milestone 50',
	]);
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
])('%j becomes a trigger event of its own type', (event, expected) => {
	expect(dispatcher().handleEvent(event, 'a', 'raw')).toMatchObject([{ ...expected, job_id: 'a', interface: 'v1', event: 'raw' }]);
});

it.each([
	[{ kind: 'queue', queue_remaining: 3 } as const, { kind: 'queue', queue_remaining: 3 }],
	[{ kind: 'notification', message: 'maintenance' } as const, { kind: 'notification', message: 'maintenance' }],
])('%j is an event of the account', (event, expected) => {
	expect(dispatcher().handleEvent(event, null, 'raw')).toMatchObject([{ ...expected, job_id: null }]);
});

it('forgets the oldest of very many jobs', () => {
	const one = dispatcher();
	for (let index = 0; index < 1_200; index++) one.handleEvent(status('running'), `job-${index}`, {});
	expect(one.inFlight()).toHaveLength(1_000);
	expect(one.inFlight().at(-1)).toBe('job-1199');
	for (let index = 0; index < 700; index++) one.handleJob(job(`ended-${index}`, 'succeeded'));
	expect(Object.keys(one.state().ended)).toHaveLength(500);
	expect(one.hasEnded('ended-699')).toBe(true);
});

it.each([
	[0, 0],
	[0.29, 29],
	[0.999, 99],
	[1, 100],
	[7, 100],
	[-1, 0],
])('a progress of %d is %d percent', (value, percent) => expect(toPercent(value)).toBe(percent));
