import type { Sentence } from './words';

export const MADE_BY_LABEL = 'Made By This n8n Workflow';

const USE_OTHER_FILTERS = `Remove the filter ${MADE_BY_LABEL}, and filter by Created After and Status instead.`;

export const madeByNotKeptWords: Sentence = (error, { isOwnServer }) =>
	isOwnServer
		? ['This server does not store which n8n workflow created a job', USE_OTHER_FILTERS]
		: [
				'This service does not store which n8n workflow created a job',
				`${USE_OTHER_FILTERS}${error.interface === 'v2' ? ' To list the jobs of the hosted account, set Interface to v1 under Options.' : ''} Deployments and your own servers store it.`,
			];

/** Returns the hint for a list without a match, in which no job reports its n8n workflow. */
export const madeByUnknownHint = (listed: number): string =>
	`${listed === 1 ? 'The only job in the list does not contain' : `None of the ${listed} jobs in the list contains`} the n8n workflow that created it. Jobs from other programs and from older versions of these nodes do not contain it, and some services do not store it. ${USE_OTHER_FILTERS}`;
