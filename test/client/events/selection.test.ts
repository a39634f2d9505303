import { isSelected, type TriggerEvent, EventDispatcher, type EventSelection, Throttle } from '../../../client';
import { toPercent } from '../../../client/events/eventDispatcher';
import { job, lines, output, progress, status } from '../comfyui/progress/support';
import { useStillClock } from '../../support/stillClock';

const selection = (changes: Partial<EventSelection> = {}): EventSelection => ({
	delivery: 'everyEvent',
	alsoOutputs: false,
	kinds: [],
	jobIds: [],
	nodeIds: [],
	...changes,
});

/** A whole job, and a word about the queue. */
function story(): TriggerEvent[] {
	const dispatcher = new EventDispatcher({ interface: 'v1', milestones: [50] });
	return [
		...dispatcher.handleEvent({ kind: 'queue', queue_remaining: 1 }, null, {}),
		...dispatcher.handleEvent(status('running'), 'a', {}),
		...dispatcher.handleEvent(progress(0.6), 'a', {}),
		...dispatcher.handleEvent({ kind: 'output', output: output('one.png') }, 'a', {}),
		...dispatcher.handleJob(job('a', 'succeeded')),
	];
}

const selected = (changes: Partial<EventSelection>): string[] => lines(story().filter((event) => isSelected(event, selection(changes))));

it.each<[Partial<EventSelection>, string[]]>([
	[{ delivery: 'milestones' }, ['a milestone 50', 'a finished succeeded']],
	[{ delivery: 'milestones', alsoOutputs: true }, ['a milestone 50', 'a output one.png', 'a finished succeeded']],
	[{ delivery: 'eachOutput' }, ['a output one.png', 'a finished succeeded']],
	[{ delivery: 'onlyWhenFinished' }, ['a finished succeeded']],
	[{ delivery: 'everyEvent' }, [' queue ', 'a status running', 'a progress 60', 'a output one.png', 'a finished succeeded']],
	[{ delivery: 'everyEvent', kinds: ['progress', 'milestone'] }, ['a milestone 50', 'a progress 60']],
	[{ delivery: 'everyEvent', jobIds: ['a'] }, ['a status running', 'a progress 60', 'a output one.png', 'a finished succeeded']],
	[{ delivery: 'everyEvent', jobIds: ['b'] }, []],
	[{ delivery: 'everyEvent', nodeIds: ['9'] }, [' queue ', 'a status running', 'a output one.png', 'a finished succeeded']],
])('%j lets the named events pass', (changes, expected) => {
	expect(selected(changes)).toEqual(expected);
});

it.each([
	[0, 0],
	[0.29, 29],
	[0.999, 99],
	[1, 100],
	[7, 100],
	[-1, 0],
])('a progress of %d is %d percent', (value, percent) => expect(toPercent(value)).toBe(percent));

describe('the throttle', () => {
	const passTime = useStillClock();
	const event = (kind: TriggerEvent['kind'], percent: number, jobId = 'a') =>
		({ kind, job_id: jobId, node_id: '3', percent }) as TriggerEvent;
	const passed: string[] = [];
	const throttle = (intervalMs: number) =>
		new Throttle(intervalMs, ({ kind, job_id, percent }) => passed.push(`${job_id} ${kind} ${percent}`));

	beforeEach(() => passed.splice(0));

	it('passes the first event immediately, then the newest of each interval', () => {
		const one = throttle(60);
		for (const percent of [1, 2, 3]) one.add(event('progress', percent));
		expect(passed).toEqual(['a progress 1']);
		passTime(59);
		expect(passed).toEqual(['a progress 1']);
		passTime(1);
		expect(passed).toEqual(['a progress 1', 'a progress 3']);
		passTime(600);
		expect(passed).toHaveLength(2);
		one.close();
	});

	it.each<[held: boolean, kinds: Array<TriggerEvent['kind']>]>([
		[true, ['progress', 'preview', 'text', 'queue', 'log', 'node', 'other']],
		[false, ['status', 'milestone', 'output', 'cached', 'notification', 'finished']],
	])('holds back a second event within an interval (%s): %j', (held, kinds) => {
		for (const kind of kinds) {
			const one = throttle(60);
			for (const percent of [1, 2]) one.add(event(kind, percent));
			expect([kind, passed.splice(0)]).toEqual([kind, held ? [`a ${kind} 1`] : [`a ${kind} 1`, `a ${kind} 2`]]);
			one.close();
		}
	});

	it('treats jobs and types separately', () => {
		const one = throttle(1_000);
		one.add(event('progress', 1));
		one.add(event('progress', 1, 'b'));
		one.add(event('preview', 1));
		expect(passed).toEqual(['a progress 1', 'b progress 1', 'a preview 1']);
		one.close();
	});

	it('passes an end immediately, after the waiting events', () => {
		const one = throttle(1_000);
		one.add(event('progress', 1));
		one.add(event('progress', 99));
		one.add(event('progress', 5, 'b'));
		one.add(event('progress', 6, 'b'));
		one.add(event('finished', 100));
		expect(passed).toEqual(['a progress 1', 'b progress 5', 'a progress 99', 'a finished 100']);
		one.close();
	});

	it('T2: forgets a finished job, so that its next event is a first one again', () => {
		const one = throttle(60_000);
		one.add(event('progress', 1));
		one.add(event('finished', 100));
		one.add(event('progress', 2));
		expect(passed).toEqual(['a progress 1', 'a finished 100', 'a progress 2']);
		one.close();
	});

	it('drops the waiting events when it is closed', () => {
		const one = throttle(20);
		one.add(event('progress', 1));
		one.add(event('progress', 2));
		one.close();
		passTime(50);
		expect(passed).toEqual(['a progress 1']);
	});
});
