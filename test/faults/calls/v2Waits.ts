import assert from 'node:assert/strict';

import { waitForJob, type WaitOptions } from '../../../client';
import { slowGraph } from '../../client/support/graphs';
import { DONE, failureOf, isGateway404, isPassing } from '../outcomes';
import type { Call, Fault } from '../shapes';
import { colorOf } from './paid';
import { beforehand, type Flavour, through, v2Call } from './v2Connections';
import { ENDLESS } from './v2Jobs';

/** On the client's clock. */
const MAX_WAIT_MS = 100_000;

const isTrouble = (fault: Fault, call: Call): boolean => failureOf(fault.seen, call) !== undefined && isPassing(fault.seen);

/** @param isKnown the job as its submission answered is at hand. */
const wait = (name: string, flavour: Flavour, mode: WaitOptions['mode'], isKnown: boolean): Call => {
	const call: Call = {
		...v2Call(name, 'json', 'GET /api/v2/jobs/*', flavour),
		run: async (door) => {
			const graph = slowGraph(3, 20, colorOf(door.mark));
			const submitted = await beforehand(door, flavour, async ({ jobs }) => await jobs.submit({ graph }));
			// Its links lead past the proxy.
			const known = isKnown ? { submitted: { ...submitted, urls: { ...submitted.urls, events: null, cancel: null } } } : {};
			const { job, finished } = await through(
				door,
				flavour,
				async ({ jobs }) => await waitForJob(jobs, submitted.job_id, { mode, maxWaitMs: MAX_WAIT_MS, ...known }),
			);
			if (!finished) return 'still running';
			assert.equal(job.status, 'succeeded');
		},
		expects: (fault, attempts) => {
			if (!isKnown || !(isTrouble(fault, call) || isGateway404(fault.seen))) return undefined;
			if (attempts === 'every')
				return { outcome: 'still running', because: 'what passes by fails no wait; the job is not known to have ended' };
			return isGateway404(fault.seen) ? { outcome: DONE, because: 'the service has told of the job before' } : undefined;
		},
	};
	return call;
};

/** The stream is an ornament: whatever becomes of it, reads stand behind it. */
const byEvents: Call = {
	...v2Call('v2 wait live, by its events', 'events', 'GET /api/v2/jobs/*/events'),
	sandbox: { gateOpen: false },
	run: async (door) => {
		const { job_id } = await beforehand(door, 'hosted', async ({ jobs }) => await jobs.submit({ graph: ENDLESS }));
		// It ends once it was seen running: its stream is opened then.
		const onRead = () => door.sandbox.configure({ gateOpen: true });
		const { job } = await through(
			door,
			'hosted',
			async ({ jobs }) => await waitForJob(jobs, job_id, { mode: 'live', maxWaitMs: MAX_WAIT_MS, onRead }),
		);
		assert.equal(job.status, 'succeeded');
	},
	expects: () => ({ outcome: 'done', because: 'reads stand behind the stream' }),
};

/** Waiting for a job to its end. */
export const v2WaitCalls: readonly Call[] = [
	wait('v2 wait by polling', 'hosted', 'polling', false),
	wait('v2 wait live, by its reads', 'hosted', 'live', false),
	wait('v2 wait live for a known job', 'deployment', 'live', true),
	byEvents,
];
