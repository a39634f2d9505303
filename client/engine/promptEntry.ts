import { isRecord, listOf, requireRecord } from '../decode';
import type { Engine } from '../generated/engine';

/** A prompt as queue and history show it: number, id, graph, extra data, and more. */
export type PromptEntry = readonly unknown[];

const isEntry = (value: unknown): value is PromptEntry => Array.isArray(value);

/** @throws ShapeError when this is no queue. */
export function entriesOfQueue(value: unknown): PromptEntry[] {
	const { queue_running: running, queue_pending: pending } = requireRecord<Engine['Queue']>(value, 'queue');
	return [...listOf(running), ...listOf(pending)].filter(isEntry);
}

/** Empty where an entry of the history does not tell. */
export const promptOf = (historyEntry: unknown): PromptEntry => (isRecord(historyEntry) ? listOf(historyEntry.prompt) : []);

export const idOf = ([, id]: PromptEntry): string | undefined => (typeof id === 'string' ? id : undefined);

export const graphOf = ([, , graph]: PromptEntry): unknown => graph;

export const extraDataOf = (entry: PromptEntry): Record<string, unknown> | undefined => entry.slice(3).find(isRecord);
