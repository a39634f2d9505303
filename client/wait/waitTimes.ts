/** How long a wait without a stream pauses between two reads of its job, in milliseconds. */
export const FIRST_INTERVAL_MS = 500;
export const LONGEST_INTERVAL_MS = 5_000;
const INTERVAL_GROWTH = 1.5;

/** Returns the next interval between two reads. */
export const toLongerInterval = (intervalMs: number): number => Math.min(intervalMs * INTERVAL_GROWTH, LONGEST_INTERVAL_MS);

/** How the waits of one connection share event streams and reads; in milliseconds. */
export interface SharedTimes {
	/** Pause after the service rejected a stream, because too many are open. */
	streamRejectedMs: number;
	/** The same if the service has no streams at all. */
	noStreamsMs: number;
	/** How long the service may take to notice that a stream was closed. */
	streamFreeingMs: number;
	/** Reads of different jobs are this far apart, but … */
	readsApartMs: number;
	/** … each job is read within this time, … */
	roundMs: number;
	/** … or within this time while polling is sped up, because other jobs of the same batch may end too. */
	fastRoundMs: number;
	/** How long polling stays sped up after a job has ended. */
	fastMs: number;
	/** The least time between two polls of the job list. */
	listPollsApartMs: number;
	/** A job that is absent from the list is read after this time, because the list may be incomplete. */
	absentMs: number;
	/** How long a list is not polled after it failed, or contained too few of the jobs. */
	listPauseMs: number;
}

export const SHARED_TIMES: Readonly<SharedTimes> = {
	streamRejectedMs: 30_000,
	noStreamsMs: 300_000,
	streamFreeingMs: 250,
	readsApartMs: 75,
	roundMs: 7_500,
	fastRoundMs: 1_000,
	fastMs: 10_000,
	listPollsApartMs: 500,
	absentMs: 60_000,
	listPauseMs: 60_000,
};
