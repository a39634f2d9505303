import { isTerminal, type Job, type JobEvent } from '../job';
import { onAbort } from '../transport/abort';
import { delay, throwIfStopped } from '../transport/delay';
import { outcomeOf } from '../transport/outcome';

/**
 * The pause before each check of a silent stream, in milliseconds. The API proxy (0.1.6) reads the job, sends its status, and
 * only then connects to ComfyUI. If the job ends in between, the stream stays silent for 15 s or more.
 */
const CHECK_PAUSES_MS = [1_000, 2_000];
/** The API proxy grants 8 streams at once. A service that grants more is a different one, and its streams need no check. */
const MOST_CHECKED_STREAMS = 8;

export interface EndCheckParts {
	/** Opens the stream. */
	open: (signal: AbortSignal) => AsyncIterable<JobEvent>;
	readJob: (signal: AbortSignal) => Promise<Job>;
	/** How many streams of the service are open. */
	openStreams: () => number;
	/** Ends the stream with a StoppedError. */
	signal?: AbortSignal;
}

/**
 * Returns the events of a stream. If the stream is silent after its first status, two reads check whether the job has ended;
 * the last event is then the status that a read returned.
 * @throws as the stream does; StoppedError.
 */
export async function* withEndCheck({ open, readJob, openStreams, signal }: EndCheckParts): AsyncGenerator<JobEvent, void, undefined> {
	throwIfStopped(signal);
	const closing = new AbortController();
	const stopListening = onAbort(signal, () => closing.abort());
	const kinds = new Set<JobEvent['kind']>();
	let isConnected = false;
	let ended: Job | undefined;
	const check = async (): Promise<void> => {
		for (const pauseMs of CHECK_PAUSES_MS) {
			await delay(pauseMs, closing.signal);
			if (isConnected || openStreams() > MOST_CHECKED_STREAMS) return;
			const read = await outcomeOf(readJob(closing.signal));
			if (!read.ok || !isTerminal(read.value.status)) continue;
			ended = read.value;
			return closing.abort();
		}
	};
	try {
		for await (const event of open(closing.signal)) {
			if (kinds.size === 0) void outcomeOf(check());
			// The first event of each kind may show the state at the start. A second one shows that the service follows the job.
			isConnected ||= kinds.has(event.kind);
			kinds.add(event.kind);
			yield event;
		}
	} catch (error) {
		yield endOf(ended, error);
	} finally {
		stopListening();
		closing.abort();
	}
}

/** Returns the end that a check found. @throws the stream's own error if there is none. */
function endOf(ended: Job | undefined, streamError: unknown): JobEvent {
	if (ended === undefined) throw streamError;
	const { status, service_status, queue_position } = ended;
	return { kind: 'status', status, service_status, queue_position };
}
