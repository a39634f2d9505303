import { setNewest } from '../../../client';
/** The executions that this process has seen: which of them are retries, and in which order they arrived. */

const MAX_ENTRIES = 10_000;

/** A map that drops its least recently used entries. */
export class RecentMap<T> {
	private readonly entries = new Map<string, T>();

	get(key: string): T | undefined {
		const value = this.entries.get(key);
		return value === undefined ? undefined : this.set(key, value);
	}

	set(key: string, value: T): T {
		return setNewest(this.entries, key, value, MAX_ENTRIES);
	}
}

const firstIds = new RecentMap<string>();

/** @returns the first execution in a chain of retries, as far as this process has seen them. */
export const firstExecutionId = (executionId: string, retryOf = executionId): string =>
	firstIds.set(executionId, firstIds.get(retryOf) ?? retryOf);

const arrivals = new RecentMap<string[]>();

/**
 * @param group what several executions have in common.
 * @param earlier executions of the group that came before, in this process or in another one.
 * @returns the number of the execution within its group, in order of arrival; from 0.
 */
export function ordinalIn(group: string, executionId: string, earlier: string[] = []): number {
	const members = arrivals.get(group) ?? arrivals.set(group, []);
	const known = members.indexOf(executionId);
	if (known >= 0) return known;
	let ordinal = earlier.filter((id) => !members.includes(id)).length;
	while (members[ordinal] !== undefined) ordinal += 1;
	members[ordinal] = executionId;
	return ordinal;
}
