import { LATENESS, LOSSES, REFUSALS } from '../faults';
import { EVENTS, INPUTS } from '../history';
import { by } from './addresses';
import { CLOCK_WAS_SET_BACK, INPUT_IS_GONE, NOT_SENT_AGAIN, NOTHING_TELLS, WAS_STOPPED } from './doubts';
import { graphOfOthers, jobsInterface, postAll } from './jobs';

export const v1 = jobsInterface('hosted', {
	name: 'v1',
	chosen: 'v1',
	behaviour: {},
	range: {
		faultsOfSubmissions: [...REFUSALS, ...LOSSES, ...LATENESS],
		faultsOfAnything: [...REFUSALS, ...LOSSES],
		events: EVENTS,
		inputs: INPUTS,
		mostItems: 3,
	},
	submission: 'POST /api/prompt',
	credential: ({ keys, urls }, host) => ({ type: 'comfyApi', data: { apiKey: keys.apiKey, hostedUrl: by(host, urls.hosted) } }),
	crowd: async ({ keys, urls }, jobs, mark) =>
		await postAll(
			jobs,
			async (nth) =>
				await fetch(`${urls.hosted}/api/prompt`, {
					method: 'POST',
					headers: { 'x-api-key': keys.apiKey, 'content-type': 'application/json' },
					body: JSON.stringify({ prompt: graphOfOthers(mark, nth) }),
				}),
		),
	doubts: [INPUT_IS_GONE, CLOCK_WAS_SET_BACK, NOT_SENT_AGAIN, WAS_STOPPED],
	limits: [NOTHING_TELLS],
});
