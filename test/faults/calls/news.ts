import assert from 'node:assert/strict';

import { clock, type NewsSource, waitForJob } from '../../../client';
import { slowGraph } from '../../client/support/graphs';
import { until } from '../../support/until';
import type { Attempts, Call, Door, Expectation, Fault, Outcome } from '../shapes';
import { beside, LONGEST_WAIT_MS, type Speaker } from './comfyui';
import { Hearing } from './hearing';
import { colorOf } from './paid';
import { OUTPUT_OF_NOBODY } from './waits';

const NEVER_TOLD: Outcome = 'never told';
export const TOLD: Expectation = { outcome: 'done', because: 'what was missed is read once it can be' };

const STEPS = 12;
const STEP_MS = 20;

export interface TellingParts {
	/** By whom jobs are made, past the proxy. */
	speaker: Speaker;
	open(door: Door): NewsSource;
	/** What it reads when it has connected has been read. */
	isReady?: (door: Door) => boolean;
	isDeafForNew?: IsDeaf;
	isDeafForPast: IsDeaf;
	/** Where more than the truth is told. */
	told?: (fault: Fault) => Expectation;
}

async function endedPast(speaker: Speaker, door: Door, jobId: string): Promise<void> {
	await beside(speaker, door, async ({ jobs }) => await waitForJob(jobs, jobId, { mode: 'polling', maxWaitMs: LONGEST_WAIT_MS }));
}

const submittedPast = async (speaker: Speaker, door: Door): Promise<string> =>
	await beside(speaker, door, async ({ jobs }) => {
		const { job_id } = await jobs.submit({ graph: slowGraph(STEPS, STEP_MS, colorOf(door.mark)) });
		return job_id;
	});

type Rest = Omit<Call, 'run' | 'repeatable' | 'expects'>;

/** Where `isDeaf` says so, nothing can be told, and why. */
type IsDeaf = (fault: Fault, attempts: Attempts) => string | undefined;

const expectsUnless =
	(isDeaf: IsDeaf, told: (fault: Fault) => Expectation = () => TOLD): NonNullable<Call['expects']> =>
	(fault, attempts) => {
		const reason = isDeaf(fault, attempts);
		return reason === undefined ? told(fault) : { outcome: NEVER_TOLD, because: reason };
	};

async function heard({ sandbox }: Door, hearing: Hearing, jobId: string): Promise<Outcome | void> {
	try {
		await until(() => sandbox.job(jobId)?.status === 'succeeded', Infinity);
		const endedAt = clock.now();
		await until(() => hearing.hasHeardEndOf(jobId) || hearing.isLost(endedAt), Infinity);
		if (!hearing.hasHeardEndOf(jobId)) return NEVER_TOLD;
		const outputs = await hearing.assertOnce(jobId);
		assert.notEqual(outputs.length, 0);
		return outputs.length === 1 ? undefined : OUTPUT_OF_NOBODY;
	} finally {
		await hearing.end();
	}
}

/** A job that begins while somebody listens, or tries to. */
export const tellingOfNew = (
	{ speaker, open, isReady = () => true, isDeafForNew = () => undefined, told }: TellingParts,
	rest: Rest,
): Call => ({
	repeatable: true,
	...rest,
	expects: expectsUnless(isDeafForNew, told),
	run: async (door) => {
		const hearing = new Hearing(open(door));
		await until(() => hearing.hasFailed || (hearing.hasBegun && isReady(door)), Infinity);
		return await heard(door, hearing, await submittedPast(speaker, door));
	},
});

/** A job that has ended while nobody listened. */
export const tellingOfPast = ({ speaker, open, isDeafForPast }: TellingParts, rest: Rest): Call => ({
	repeatable: true,
	...rest,
	expects: expectsUnless(isDeafForPast),
	run: async (door) => {
		const since = Date.now();
		const jobId = await submittedPast(speaker, door);
		await endedPast(speaker, door, jobId);
		return await heard(door, new Hearing(open(door), since), jobId);
	},
});
