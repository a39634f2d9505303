import { type JobEvent, EventDispatcher, type TriggerEvent, type SourceListener } from '../../../client';

export interface Watching {
	reported: TriggerEvent[];
	events: JobEvent[];
	/** The jobs whose end was reported, each time. */
	finished(): TriggerEvent[];
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
		const watching: Watching = { reported: [], events: [], finished: () => watching.reported.filter(({ kind }) => kind === 'finished') };
		const stop = new AbortController();
		stops.push(stop);
		const listener: SourceListener = {
			since: Date.now(),
			onEvent: (event, jobId, raw) => {
				watching.events.push(event);
				watching.reported.push(...dispatcher.handleEvent(event, jobId, raw));
			},
			onJob: (job) => void watching.reported.push(...dispatcher.handleJob(job)),
			onConnect: () => undefined,
			onTrouble: () => undefined,
			inFlight: () => dispatcher.inFlight(),
			hasEnded: (jobId) => dispatcher.hasEnded(jobId),
			...changes,
		};
		running.push(watch(listener, stop.signal));
		return watching;
	};
}
