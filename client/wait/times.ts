/** Plain polling's pace: how long a wait rests between two reads of its job, in milliseconds. */
export const FIRST_INTERVAL_MS = 500;
export const LONGEST_INTERVAL_MS = 5_000;
const INTERVAL_GROWTH = 1.5;

export const slower = (intervalMs: number): number => Math.min(intervalMs * INTERVAL_GROWTH, LONGEST_INTERVAL_MS);

/** How waits of one connection share streams and reads; in milliseconds. */
export interface SharedTimes {
	/** After a stream was refused, the next is asked for after this long at the soonest. */
	refusedMs: number;
	/** The same where the service has no streams at all. */
	noStreamsMs: number;
	/** Until the service has noticed that a stream is no longer needed. */
	freeingMs: number;
	/** Single reads of many waits come this far apart, … */
	readsApartMs: number;
	/** … as long as nobody waits longer for a read than this, … */
	roundMs: number;
	/** … or than this while jobs are ending: others that began with them may end now, too. */
	hurriedRoundMs: number;
	hurriedMs: number;
	/** The list is looked at this often at most. */
	looksApartMs: number;
	/** What is read from a list's silence about a job is checked by a read after this long. */
	silenceMs: number;
	/** A list that fails, or tells too little for what it costs, is not looked at for this long. */
	noListMs: number;
}

export const SHARED_TIMES: Readonly<SharedTimes> = {
	refusedMs: 30_000,
	noStreamsMs: 300_000,
	freeingMs: 250,
	readsApartMs: 75,
	roundMs: 7_500,
	hurriedRoundMs: 1_000,
	hurriedMs: 10_000,
	looksApartMs: 500,
	silenceMs: 60_000,
	noListMs: 60_000,
};
