import { type JobEvent, EventDispatcher } from '../../../client';
import { toPercent } from '../../../client/events/eventDispatcher';
import { job, lines, output, progress, status } from '../comfyui/progress/support';

const dispatcher = (state?: ReturnType<EventDispatcher['state']>): EventDispatcher =>
	new EventDispatcher({ interface: 'v1', milestones: [25, 50, 75], state });

/** The same dispatcher after a restart of n8n. */
const restarted = (one: EventDispatcher): EventDispatcher =>
	dispatcher(JSON.parse(JSON.stringify(one.state())) as ReturnType<EventDispatcher['state']>);

it('reports each milestone of each job once, also when progress skips one, and none again after a restart', () => {
	const one = dispatcher();
	expect(lines(one.handleEvent(progress(0.1), 'a', {}))).toEqual(['a progress 10']);
	expect(lines(one.handleEvent(progress(0.6), 'a', {}))).toEqual(['a milestone 25', 'a milestone 50', 'a progress 60']);
	expect(lines(one.handleEvent(progress(0.61), 'a', {}))).toEqual(['a progress 61']);
	expect(lines(one.handleEvent(progress(0.3), 'b', {}))).toEqual(['b milestone 25', 'b progress 30']);
	const after = restarted(one);
	expect(lines(after.handleEvent(progress(0.8), 'a', {}))).toEqual(['a milestone 75', 'a progress 80']);
	expect(lines(after.handleEvent(progress(0.8), 'b', {}))).toEqual(['b milestone 50', 'b milestone 75', 'b progress 80']);
	// The percentage never falls.
	expect(lines(after.handleEvent(progress(0.2), 'a', {}))).toEqual(['a progress 80']);
});

it('reports the end of each job once, when it is read and not at the live event', () => {
	const one = dispatcher();
	for (const jobId of ['a', 'b']) one.handleEvent(progress(0.5), jobId, {});
	expect(one.handleEvent(status('succeeded'), 'a', {})).toEqual([]);
	expect(one.inFlight().sort()).toEqual(['a', 'b']);
	expect(one.handleJob(job('a', 'succeeded'))).toMatchObject([{ kind: 'finished', percent: 100, status: 'succeeded' }]);
	expect(one.inFlight()).toEqual(['b']);
	expect(one.handleJob(job('a', 'succeeded'))).toEqual([]);
	expect(one.handleEvent(progress(0.3), 'a', {})).toEqual([]);
	expect(restarted(one).handleJob(job('a', 'failed'))).toEqual([]);
});

it('an end has the error of the live event if the read has none', () => {
	const one = dispatcher();
	const job_error = { code: 'OOMError', message: 'no memory', node_id: '3', class_type: 'KSampler', traceback: null };
	one.handleEvent({ kind: 'failed', job_error }, 'a', {});
	expect(one.handleJob(job('a', 'failed'))).toMatchObject([{ kind: 'finished', status: 'failed', job_error }]);
});

it('reports each output once, from live events or from the read at the end, and none again after a restart', () => {
	const one = dispatcher();
	const live = [output('one.png', '8'), output('one.png', '9'), output('two.png')];
	const reported = live.flatMap((file) => one.handleEvent({ kind: 'output', output: file }, 'a', {}));
	expect(reported).toMatchObject(live.map((file) => ({ kind: 'output', outputs: [file] })));
	const ended = job('a', 'succeeded', { outputs: [...live, output('three.png')] });
	const after = restarted(one);
	for (const each of [one, after]) expect(lines(each.handleJob(ended))).toEqual(['a output three.png', 'a finished succeeded']);
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

it.each<[event: JobEvent, jobId: string | null, expected: object]>([
	[{ kind: 'node', node_id: '4' }, 'a', { node_id: '4' }],
	[{ kind: 'cached', node_ids: ['1', '2'] }, 'a', { node_id: null }],
	[{ kind: 'text', node_id: '4', text: 'half way' }, 'a', { node_id: '4', message: 'half way' }],
	[{ kind: 'log', level: 'info', message: 'line' }, 'a', { message: 'line' }],
	[{ kind: 'other', name: 'new', data: 1 }, 'a', {}],
	// Events of the account.
	[{ kind: 'queue', queue_remaining: 3 }, null, { queue_remaining: 3 }],
	[{ kind: 'notification', message: 'maintenance' }, null, { message: 'maintenance' }],
])('%j of the job %j becomes a trigger event of its own type', (event, job_id, expected) => {
	const { kind } = event;
	expect(dispatcher().handleEvent(event, job_id, 'raw')).toMatchObject([{ ...expected, kind, job_id, interface: 'v1', event: 'raw' }]);
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
