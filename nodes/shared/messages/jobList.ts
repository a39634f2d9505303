import type { Sentence } from './words';

export const MADE_BY_LABEL = 'Made By This n8n Workflow';

const USE_OTHER_FILTERS = `Remove the filter ${MADE_BY_LABEL}, and go by Created After and Status.`;

export const madeByNotKeptWords: Sentence = (error, { isOwnServer }) =>
	isOwnServer
		? ['This server does not keep which n8n workflow made a job', USE_OTHER_FILTERS]
		: [
				'This service does not keep which n8n workflow made a job',
				`${USE_OTHER_FILTERS}${error.interface === 'v2' ? ' The hosted account lists its jobs with Interface set to v1, under Options.' : ''} Deployments and servers of your own keep it.`,
			];

/** Returns the hint for a list without a match, in which no job reports its n8n workflow. */
export const madeByUnknownHint = (listed: number): string =>
	`${listed === 1 ? 'The only job listed here does not tell' : `None of the ${listed} jobs listed here tells`} which n8n workflow made it. Jobs of other programs and of older versions of these nodes do not, and some services do not keep it. ${USE_OTHER_FILTERS}`;
