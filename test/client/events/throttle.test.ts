import { Throttle, type TriggerEvent } from '../../../client';
import { useStillClock } from '../../support/stillClock';

const passTime = useStillClock();
const event = (kind: TriggerEvent['kind'], percent: number, jobId = 'a', nodeId = '3') =>
	({ kind, job_id: jobId, node_id: nodeId, percent }) as TriggerEvent;
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

it('treats jobs, types and nodes separately, but all nodes of the progress of a job together', () => {
	const one = throttle(1_000);
	one.add(event('progress', 1));
	one.add(event('progress', 1, 'b'));
	one.add(event('preview', 1));
	one.add(event('preview', 2, 'a', '4'));
	one.add(event('progress', 2, 'a', '4'));
	expect(passed).toEqual(['a progress 1', 'b progress 1', 'a preview 1', 'a preview 2']);
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

it('drops the waiting events when it is closed, and passes nothing after that', () => {
	const one = throttle(20);
	one.add(event('progress', 1));
	one.add(event('progress', 2));
	one.close();
	one.add(event('progress', 3));
	one.add(event('finished', 100));
	passTime(50);
	expect(passed).toEqual(['a progress 1']);
});
