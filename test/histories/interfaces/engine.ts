import { LATENESS, LOSSES, REFUSALS } from '../faults';
import { EVENTS, INPUTS } from '../history';
import type { Behaviour } from '../../../sandbox';
import { by } from './addresses';
import { BOTH_FORGOT, FORGOTTEN, NOT_SENT_AGAIN, WAS_STOPPED } from './doubts';
import type { Interface } from './interface';
import { graphOfOthers, jobsInterface, postAll } from './jobs';

const bareEngine = (name: string, behaviour: Partial<Behaviour>): Interface =>
	jobsInterface('self_hosted', {
		name,
		chosen: 'engine',
		behaviour,
		range: {
			faultsOfSubmissions: [...REFUSALS, ...LOSSES, ...LATENESS],
			faultsOfAnything: [...REFUSALS, ...LOSSES],
			events: EVENTS,
			inputs: INPUTS,
			mostItems: 3,
		},
		submission: 'POST /api/prompt',
		credential: ({ urls }, host) => ({ type: 'comfySelfHostedApi', data: { baseUrl: by(host, urls.engine), engineUrl: '' } }),
		crowd: async ({ urls }, jobs, mark) =>
			await postAll(
				jobs,
				async (nth) =>
					await fetch(`${urls.engine}/prompt`, {
						method: 'POST',
						headers: { 'content-type': 'application/json' },
						body: JSON.stringify({ prompt: graphOfOthers(mark, nth), client_id: 'others' }),
					}),
			),
		restart: (sandbox) => sandbox.restartEngine(),
		doubts: [FORGOTTEN, NOT_SENT_AGAIN, WAS_STOPPED],
		limits: [BOTH_FORGOT],
	});

export const engine = bareEngine('engine', { engineJobRoutes: true });
/** As of before July 2025: prompts get ids of its own. */
export const olderEngine = bareEngine('older engine', { engineJobRoutes: false, enginePromptIds: 'own' });
