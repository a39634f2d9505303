import { randomUUID } from 'node:crypto';

import { derivedId, isDerivedId } from '../derivedId';
import { labelsOf } from '../madeBy';
import type { Submission } from '../ports';
import { extraDataOf, idOf, type PromptEntry } from './promptEntry';

/** An engine lets the caller choose the id of a prompt, so that the same key always stands for the same job. */
export function promptIdOf(key: string | undefined): string {
	if (key === undefined) return randomUUID();
	return isDerivedId(key) ? key : derivedId(key);
}

/** Where a submission says which id it asks for: engines before 2025-07 give every prompt an id of their own, but keep this. */
const FIELD = 'client_prompt_id';

export const withPromptId = (jobId: string, submission: Submission): Submission => ({
	...submission,
	extraData: { ...submission.extraData, ...labelsOf(submission.madeBy), [FIELD]: jobId },
});

/** @returns the engine's own ids of prompts that asked for others, by what was asked for. */
export function givenIdsOf(promptIds: readonly string[], entries: readonly PromptEntry[]): Map<string, string> {
	const given = new Map<string, string>();
	for (const entry of entries) {
		const [asked, id] = [extraDataOf(entry)?.[FIELD], idOf(entry)];
		if (typeof asked === 'string' && id !== undefined && promptIds.includes(asked) && !given.has(asked)) given.set(asked, id);
	}
	return given;
}
