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

/** What a prompt asked for, and the id that it has; empty where it was sent by somebody else. */
export function givenIdIn(entry: PromptEntry): Array<[asked: string, given: string]> {
	const [asked, given] = [extraDataOf(entry)?.[FIELD], idOf(entry)];
	return typeof asked === 'string' && given !== undefined ? [[asked, given]] : [];
}
