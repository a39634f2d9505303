import { randomUUID } from 'node:crypto';

import type { Sandbox } from '../../../sandbox';
import { LATENESS, LOSSES, REFUSALS } from '../faults';
import { EVENTS, INPUTS } from '../history';
import { by } from './addresses';
import { CLOCK_WAS_SET_BACK, INPUT_IS_GONE, WAS_STOPPED } from './doubts';
import type { Interface } from './interface';
import { graphOfOthers, jobsInterface, postAll } from './jobs';

const FAULTS = [...REFUSALS, ...LOSSES, ...LATENESS, 'delivered twice'] as const;

const ofAccount = (name: string, surface: 'hosted' | 'deployment'): Interface =>
	jobsInterface(surface, {
		name,
		chosen: 'v2',
		// The address by which a life comes is not the one that the service would write.
		behaviour: { links: 'relative' },
		range: { faultsOfSubmissions: FAULTS, faultsOfAnything: [...REFUSALS, ...LOSSES], events: EVENTS, inputs: INPUTS, mostItems: 3 },
		submission: 'POST /api/v2/jobs',
		credential: (sandbox, host) => ({
			type: 'comfyApi',
			data: { apiKey: sandbox.keys.apiKey, baseUrl: by(host, sandbox.urls[surface]), hostedUrl: by(host, sandbox.urls.hosted) },
		}),
		crowd: async (sandbox, jobs, mark) => await postAll(jobs, async (nth) => await submit(sandbox, surface, mark, nth)),
		doubts: [INPUT_IS_GONE, CLOCK_WAS_SET_BACK, WAS_STOPPED],
	});

const submit = async ({ urls, keys }: Sandbox, surface: 'hosted' | 'deployment', mark: string, nth: number): Promise<Response> =>
	await fetch(`${urls[surface]}/api/v2/jobs`, {
		method: 'POST',
		headers: { authorization: `Bearer ${keys.apiKey}`, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
		body: JSON.stringify({ workflow: graphOfOthers(mark, nth) }),
	});

export const v2 = ofAccount('v2', 'hosted');
export const deployment = ofAccount('deployment', 'deployment');
