/** What histories have met. */
export interface Counts {
	histories: number;
	actions: number;
	runs: number;
	faultsMet: number;
	delivered: number;
	/** Doubts and limits, by their names. */
	exceptions: Record<string, number>;
}

export const noCounts = (): Counts => ({ histories: 0, actions: 0, runs: 0, faultsMet: 0, delivered: 0, exceptions: {} });

export function added(some: Counts, more: Counts): Counts {
	const exceptions = { ...some.exceptions };
	for (const [name, times] of Object.entries(more.exceptions)) exceptions[name] = (exceptions[name] ?? 0) + times;
	return {
		histories: some.histories + more.histories,
		actions: some.actions + more.actions,
		runs: some.runs + more.runs,
		faultsMet: some.faultsMet + more.faultsMet,
		delivered: some.delivered + more.delivered,
		exceptions,
	};
}
