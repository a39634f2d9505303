/**
 * What this process has seen of executions that are alike: those that started in the same millisecond with the same items, and
 * calls of the same sub-workflow. It says nothing about retries, which may follow after a restart.
 */
import { Cache } from '../../../client';

/** What this process remembers of executions, by their common key. */
export class ExecutionMemory<T> extends Cache<string, T> {
	constructor() {
		super({ mostEntries: 10_000 });
	}
}

/** By what several executions have in common: their numbers by id, in the order in which this process has seen them. */
const arrivals = new ExecutionMemory<Map<string, number>>();

/** @returns the number of the execution within its group, in order of arrival; from 0. */
export function takeOrdinal(group: string, executionId: string): number {
	const ordinals = arrivals.get(group) ?? arrivals.set(group, new Map());
	const ordinal = ordinals.get(executionId) ?? ordinals.size;
	ordinals.set(executionId, ordinal);
	return ordinal;
}

export const hasArrived = (group: string, executionId: string): boolean => arrivals.get(group)?.has(executionId) === true;

/** By the outermost execution and the node: how often each row has occurred in the calls of its sub-workflows. */
const rowsOfCalls = new ExecutionMemory<Map<string, number>>();

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
