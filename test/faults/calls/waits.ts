import assert from 'node:assert/strict';

import { isTerminal, type JobEvent, listenAhead, waitForJob } from '../../../client';
import type { SandboxOptions } from '../../../sandbox';
import { slowGraph } from '../../client/support/graphs';
import type { Call, Expectation, Outcome, Wire } from '../shapes';
import { assertSucceeded, callOf, LONGEST_WAIT_MS, PATIENT, type Speaker } from './comfyui';
import type { Expects } from './comfyuiOutcomes';
import { colorOf } from './paid';

/** A job has come with more outputs than it has. */
export const OUTPUT_OF_NOBODY: Outcome = 'an output of nobody';
/** The fault that makes one up. */
export const MAKES_OUTPUTS_UP = 'outputs that it does not have';
export const BELIEVED: Expectation = {
	outcome: OUTPUT_OF_NOBODY,
	because: 'of a job that was heard from its start nothing is read: what the service told of it is all there is',
};

/** Reads go on whatever happens to live news, and what they say is what counts. */
const expects: Expects = () => ({ outcome: 'done', because: 'a wait goes on by reading, whatever its live news do' });
const expectsOfHeard: Expects = (fault, ...rest) => (fault.name === MAKES_OUTPUTS_UP ? BELIEVED : expects(fault, ...rest));

const STEPS = 12;
const STEP_MS = 20;

/** What is told live is told in order: no job is unfinished behind its end, and none runs backwards. */
function assertInOrder(events: readonly JobEvent[]): void {
	const shares = events.flatMap((event) => (event.kind === 'progress' ? [event.progress.value] : []));
	assert.ok(
		shares.every((value) => value >= 0 && value <= 1),
		`Shares of the whole: ${shares.join(' ')}`,
	);
	const ends = events.filter((event) => event.kind === 'status' && isTerminal(event.status));
	assert.ok(ends.length <= 1, 'An end is told once');
}

/** Waiting by live news: of a job that began before anybody listened, and of one that is heard from its start. */
export const waitCalls = (speaker: Speaker, parts: { wire: Wire; on: string; sandbox: SandboxOptions }): Call[] =>
	[false, true].map((isAhead) =>
		callOf(
			speaker,
			isAhead ? 'wait, heard from the start' : 'wait',
			{ ...parts, expects: isAhead && speaker.words === 'v1' ? expectsOfHeard : expects, limits: PATIENT },
			async (connection, { mark }) => {
				const { jobs } = connection;
				if (isAhead) await listenAhead(connection);
				const submitted = await jobs.submit({ graph: slowGraph(STEPS, STEP_MS, colorOf(mark)) });
				const events: JobEvent[] = [];
				const { job, finished } = await waitForJob(jobs, submitted.job_id, {
					mode: 'live',
					maxWaitMs: LONGEST_WAIT_MS,
					submitted,
					onEvent: (event) => events.push(event),
				});
				assert.ok(finished);
				assertInOrder(events);
				if (job.outputs.length > 1) return OUTPUT_OF_NOBODY;
				assertSucceeded(job);
				return undefined;
			},
		),
	);
