import type { ItemSubmission, SubmissionState } from '../../../nodes/shared/submission/itemSubmission';

/** A submission in this state. */
export const itemSubmission = (state: SubmissionState, more: Partial<ItemSubmission> = {}): ItemSubmission => ({
	state,
	key: 'key',
	hash: 'hash',
	openedAt: 1_000,
	endings: 0,
	replacedJobIds: [],
	...more,
});
