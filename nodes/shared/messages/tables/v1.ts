import { madeByNotKeptWords } from '../madeByFilter';
import type { Sentences } from './sentence';
import { commonSentences } from './common';
import { savedWorkflowSentences } from '../workflowSources';

/** By code: refusals of the v1 hosted interface. */
export const v1Sentences: Sentences = {
	...commonSentences,
	...savedWorkflowSentences,
	subscription_inactive: () => [
		'The account has no active subscription',
		'The service runs nothing without one. Activate the subscription in your account, then run the item again; waiting does not help.',
	],
	payload_too_large: () => [
		'The file is larger than the service takes',
		'Over v1 an image may have 50 MB, 16,384 pixels on its longer side, and 64 megapixels. Send a smaller one, or set Interface to v2.',
	],
	jobs_not_listed: () => ['This service lists no jobs over v1', 'A job whose ID you have needs no list: choose By ID.'],
	made_by_not_kept: madeByNotKeptWords,
	not_implemented: () => ['The v1 interface does not offer this function', 'Set Interface to v2.'],
};
