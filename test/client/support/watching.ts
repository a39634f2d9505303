import { type JobEvent, EventDispatcher, type TriggerEvent, type SourceListener } from '../../../client';

export interface Watching {
	news: TriggerEvent[];
	events: JobEvent[];
	/** The jobs whose end was told, each time that it was. */
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
	/** Begins a watch, whose news a dispatcher makes; what is named changes its listener. */
	return (watch: (listener: SourceListener, signal: AbortSignal) => Promise<void>, changes: Partial<SourceListener> = {}): Watching => {
		const dispatcher = new EventDispatcher(settings);
		const told: Watching = { news: [], events: [], finished: () => told.news.filter(({ kind }) => kind === 'finished') };
		const stop = new AbortController();
		stops.push(stop);
		const listener: SourceListener = {
			since: Date.now(),
			onEvent: (event, jobId, raw) => {
				told.events.push(event);
				told.news.push(...dispatcher.handleEvent(event, jobId, raw));
			},
			onJob: (job) => void told.news.push(...dispatcher.handleJob(job)),
			onConnect: () => undefined,
			onTrouble: () => undefined,
			inFlight: () => dispatcher.inFlight(),
			hasEnded: (jobId) => dispatcher.hasEnded(jobId),
			...changes,
		};
		running.push(watch(listener, stop.signal));
		return told;
	};
}
