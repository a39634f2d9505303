import type { GraphMatch } from './compareGraphs';

/**
 * `own`: the job is returned for the submission. `other`: it belongs to another one. `unclear`: it may be the right one, and
 * nothing proves it, so the item stays unconfirmed.
 */
export type Ownership = 'own' | 'other' | 'unclear';

/**
 * How a job was found. `key`: by an id or key that only this item has. `list`: among the jobs that were made since the first
 * try. `untimed`: in a list that does not say when its jobs were made.
 */
export type Evidence = 'key' | 'list' | 'untimed';

/**
 * The rule of all interfaces for a job that the record of the execution does not name. The job belongs to an item only if its
 * graph is the graph that the item would send now. The rows of an execution may have changed since the job was made.
 * @param match undefined if the service does not return the graph of the job.
 */
export function judgeOwnership(match: GraphMatch | undefined, evidence: Evidence): Ownership {
	if (match === 'different') return 'other';
	if (match === undefined || evidence === 'untimed') return 'unclear';
	// Only a file may differ, and its name does not show whether it does.
	return match === 'same' || evidence === 'key' ? 'own' : 'unclear';
}
