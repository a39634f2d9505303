import type { Submission } from '../services';
import { extraDataOf, idOf, type PromptEntry } from './promptEntry';

/** Where a submission says which id it asks for: engines before 2025-07 give every prompt an id of their own, but keep this. */
const FIELD = 'client_prompt_id';

export const askingFor = (jobId: string, submission: Submission): Submission => ({ ...submission, extraData: { ...submission.extraData, [FIELD]: jobId } });

/** @returns the engine's own id of the prompt that asked for another one. */
export function ownIdOf(askedId: string, entries: readonly PromptEntry[]): string | undefined {
	const entry = entries.find((one) => extraDataOf(one)?.[FIELD] === askedId);
	return entry && idOf(entry);
}
