import { type JobEvent, EventDispatcher, type TriggerEvent, type SourceListener, type Trouble } from '../../../client';

export interface Watching {
	reported: TriggerEvent[];
	events: JobEvent[];
	troubles: Trouble[];
	connects: number;
	/** The jobs whose end was reported, each time. */
	finished(): TriggerEvent[];
	/** Stops the watch. Resolves when it has ended. */
	leave(): Promise<void>;
}

/** Watches that stop after each test. */
export function useWatches(settings: ConstructorParameters<typeof EventDispatcher>[0]) {
	const stops: AbortController[] = [];
	const running: Array<Promise<void>> = [];
	afterEach(async () => {
		for (const stop of stops.splice(0)) stop.abort();
		await Promise.all(running.splice(0));
	});
	/** Begins a watch and dispatches its events. `changes` replaces methods of its listener. */
	return (watch: (listener: SourceListener, signal: AbortSignal) => Promise<void>, changes: Partial<SourceListener> = {}): Watching => {
		const dispatcher = new EventDispatcher(settings);
		const stop = new AbortController();
		stops.push(stop);
		const watching: Watching = {
			reported: [],
			events: [],
			troubles: [],
			connects: 0,
			finished: () => watching.reported.filter(({ kind }) => kind === 'finished'),
			leave: async () => {
				stop.abort();
				await ended;
			},
		};
		const listener: SourceListener = {
			since: Date.now(),
			onEvent: (event, jobId, raw) => {
				watching.events.push(event);
				watching.reported.push(...dispatcher.handleEvent(event, jobId, raw));
			},
			onJob: (job) => void watching.reported.push(...dispatcher.handleJob(job)),
			onConnect: () => void (watching.connects += 1),
			onTrouble: (trouble) => void watching.troubles.push(trouble),
			inFlight: () => dispatcher.inFlight(),
			hasEnded: (jobId) => dispatcher.hasEnded(jobId),
			...changes,
		};
		const ended = watch(listener, stop.signal);
		running.push(ended);
		return watching;
	};
}
