/**
 * What this process has seen of executions that are alike: those that started in the same millisecond with the same items, and
 * calls of the same sub-workflow. It says nothing about retries, which may follow after a restart.
 */
import { setNewest } from '../../../client';

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

	clear(): void {
		this.entries.clear();
	}
}

/** By what several executions have in common: their ids, in the order in which this process has seen them. */
const arrivals = new RecentMap<string[]>();

/** @returns the number of the execution within its group, in order of arrival; from 0. */
export function takeOrdinal(group: string, executionId: string): number {
	const members = arrivals.get(group) ?? arrivals.set(group, []);
	const known = members.indexOf(executionId);
	return known >= 0 ? known : members.push(executionId) - 1;
}

/** By the outermost execution and the node: how often each row has occurred in the calls of its sub-workflows. */
const rowsOfCalls = new RecentMap<Map<string, number>>();

/** @returns how often the row has occurred before, and counts it that many times more. @param least what is known in another way. */
export function countRow(group: string, row: string, times: number, least: number): number {
	const counts = rowsOfCalls.get(group) ?? rowsOfCalls.set(group, new Map());
	const before = Math.max(counts.get(row) ?? 0, least);
	counts.set(row, before + times);
	return before;
}

/** Forgets everything, like a restart of the process. For tests. */
export function forgetArrivals(): void {
	arrivals.clear();
	rowsOfCalls.clear();
}
