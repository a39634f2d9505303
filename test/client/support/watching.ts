import { type JobEvent, NewsDesk, type News, type NewsListener } from '../../../client';

export interface Watching {
	news: News[];
	events: JobEvent[];
	/** The jobs whose end was told, each time that it was. */
	finished(): News[];
}

/** Watches that stop after each test. */
export function useWatches(settings: ConstructorParameters<typeof NewsDesk>[0]) {
	const stops: AbortController[] = [];
	const running: Array<Promise<void>> = [];
	afterEach(async () => {
		for (const stop of stops.splice(0)) stop.abort();
		await Promise.all(running.splice(0));
	});
	/** Begins a watch, whose news a desk makes; what is named changes its listener. */
	return (watch: (listener: NewsListener, signal: AbortSignal) => Promise<void>, changes: Partial<NewsListener> = {}): Watching => {
		const desk = new NewsDesk(settings);
		const told: Watching = { news: [], events: [], finished: () => told.news.filter(({ kind }) => kind === 'finished') };
		const stop = new AbortController();
		stops.push(stop);
		const listener: NewsListener = {
			since: Date.now(),
			onEvent: (event, jobId, raw) => {
				told.events.push(event);
				told.news.push(...desk.take(event, jobId, raw));
			},
			onJob: (job) => void told.news.push(...desk.read(job)),
			onConnect: () => undefined,
			onTrouble: () => undefined,
			inFlight: () => desk.inFlight(),
			hasEnded: (jobId) => desk.hasEnded(jobId),
			...changes,
		};
		running.push(watch(listener, stop.signal));
		return told;
	};
}
