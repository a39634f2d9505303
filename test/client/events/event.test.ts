import { EventDispatcher, type EventSelection, isSelected, type TriggerEvent } from '../../../client';
import { job, lines, output, progress, status } from '../comfyui/progress/support';

const selection = (changes: Partial<EventSelection> = {}): EventSelection => ({
	delivery: 'everyEvent',
	alsoOutputs: false,
	kinds: [],
	jobIds: [],
	nodeIds: [],
	...changes,
});

/** The events of a whole job, and one of the queue. */
function eventsOfJob(): TriggerEvent[] {
	const dispatcher = new EventDispatcher({ interface: 'v1', milestones: [50] });
	return [
		...dispatcher.handleEvent({ kind: 'queue', queue_remaining: 1 }, null, {}),
		...dispatcher.handleEvent(status('running'), 'a', {}),
		...dispatcher.handleEvent(progress(0.6), 'a', {}),
		...dispatcher.handleEvent({ kind: 'output', output: output('one.png') }, 'a', {}),
		...dispatcher.handleJob(job('a', 'succeeded')),
	];
}

const selected = (changes: Partial<EventSelection>): string[] =>
	lines(eventsOfJob().filter((event) => isSelected(event, selection(changes))));

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
