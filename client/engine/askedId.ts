import { recordOf } from '../fields';
import { isRecord } from '../records';
import type { Submission } from '../services';

/** Where a submission says which id it asks for: engines before 2025-07 give every prompt an id of their own, but keep this. */
const FIELD = 'client_prompt_id';

export const askingFor = (jobId: string, submission: Submission): Submission => ({ ...submission, extraData: { ...submission.extraData, [FIELD]: jobId } });

/** Number, id, graph, extra data, and more: as queue and history show a prompt. */
type PromptEntry = readonly unknown[];

export function entriesOfQueue(value: unknown): PromptEntry[] {
	const { queue_running: running, queue_pending: pending } = recordOf(value, 'queue');
	return [running, pending].flatMap((entries) => (Array.isArray(entries) ? entries : [])).filter(Array.isArray);
}

export const entriesOfHistory = (value: unknown): PromptEntry[] =>
	Object.values(recordOf(value, 'history')).flatMap((entry) => (isRecord(entry) && Array.isArray(entry.prompt) ? [entry.prompt as PromptEntry] : []));

export const extraDataOf = (entry: PromptEntry): Record<string, unknown> | undefined => entry.find((part, place): part is Record<string, unknown> => place > 2 && isRecord(part));

/** @returns the engine's own id of the prompt that asked for another one. */
export function ownIdOf(askedId: string, entries: readonly PromptEntry[]): string | undefined {
	const id = entries.find((entry) => extraDataOf(entry)?.[FIELD] === askedId)?.[1];
	return typeof id === 'string' ? id : undefined;
}
