/** Waiting by live events, and hearing of jobs as the trigger does. */
import assert from 'node:assert/strict';

import {
	clock,
	isTerminal,
	type JobEvent,
	type JobOutput,
	listenAhead,
	type TriggerEvent,
	EventDispatcher,
	type EventSource,
	waitForJob,
} from '../../../client';
import type { SandboxOptions } from '../../../sandbox';
import { slowGraph } from '../../client/support/graphs';
import { until } from '../../support/until';
import { DONE } from '../outcomes';
import type { Attempts, Call, CallContext, Fault, Outcome } from '../shapes';
import { assertSucceeded, beside, callOf, colorOf, LONGEST_WAIT_MS, PATIENT, type Speaker } from './speakers';

/** A job has come with more outputs than it has. */
export const OUTPUT_OF_NOBODY: Outcome = 'an output of nobody';
/** The fault that makes one up. */
export const MAKES_OUTPUTS_UP = 'outputs that it does not have';
const NEVER_TOLD: Outcome = 'never told';

const twelveSteps = ({ mark }: CallContext) => slowGraph(12, 20, colorOf(mark));

/** No job is unfinished after its end, and each share is one of the whole. */
function assertInOrder(events: readonly JobEvent[]): void {
	const shares = events.flatMap((event) => (event.kind === 'progress' ? [event.progress.value] : []));
	assert.ok(
		shares.every((value) => value >= 0 && value <= 1),
		`Shares of the whole: ${shares.join(' ')}`,
	);
	const ends = events.filter((event) => event.kind === 'status' && isTerminal(event.status));
	assert.ok(ends.length <= 1, 'An end is reported once');
}

/** For a job that started before the connection, and for a job that is followed from its start. */
export const waitCalls = (speaker: Speaker, on: string, sandbox: SandboxOptions): Call[] =>
	[false, true].map((isAhead) =>
		callOf(
			speaker,
			isAhead ? 'wait, heard from the start' : 'wait',
			on,
			{
				wire: 'socket',
				sandbox,
				limits: PATIENT,
				expects: ({ name }) =>
					isAhead && speaker.words === 'v1' && name === MAKES_OUTPUTS_UP
						? { outcome: OUTPUT_OF_NOBODY, because: 'a job that was heard from its start is not read again' }
						: { outcome: DONE, because: 'a wait continues by reading, whatever happens to its live events' },
			},
			async (connection, context) => {
				const { jobs } = connection;
				if (isAhead) await listenAhead(connection);
				const submitted = await jobs.submit({ graph: twelveSteps(context) });
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

/** A second report of the same thing comes by then. */
const AFTERWARDS_MS = 5_000;
/** A source that twice announces a pause of this length reports nothing more. */
const LONG_PAUSE_MS = 60_000;
/** Nor does one that reports only failures for so long. */
const LONG_MS = 5 * 60_000;
/** Longer than any wait. */
const ETERNITY_MS = 20 * 60_000;

const assertRising = (values: readonly number[]): void =>
	assert.deepEqual(
		values,
		[...values].sort((one, other) => one - other),
	);

/** Receives events as the trigger does. */
class Hearing {
	/** The source was reachable. */
	hasBegun = false;
	private readonly troubles: Array<{ at: number; retryInMs: number }> = [];
	private readonly news: TriggerEvent[] = [];
	private readonly dispatcher: EventDispatcher;
	private readonly stop = new AbortController();
	private readonly watching: Promise<void>;

	/** @param since what ended before is not reported. */
	constructor(
		private readonly source: EventSource,
		since = Date.now(),
	) {
		const dispatcher = new EventDispatcher({ interface: source.interface, milestones: [25, 50, 75] });
		this.dispatcher = dispatcher;
		this.watching = source.watch(
			{
				since,
				onEvent: (event, jobId, raw) => void this.news.push(...dispatcher.handleEvent(event, jobId, raw)),
				onJob: (job) => void this.news.push(...dispatcher.handleJob(job)),
				onConnect: () => void (this.hasBegun = true),
				onTrouble: ({ retryInMs }) => void this.troubles.push({ at: clock.now(), retryInMs: retryInMs ?? 0 }),
				inFlight: () => dispatcher.inFlight(),
				hasEnded: (jobId) => dispatcher.hasEnded(jobId),
			},
			this.stop.signal,
		);
	}

	get hasFailed(): boolean {
		return this.troubles.length > 0;
	}

	/** @returns the events about a job that succeeds. */
	async outcome({ sandbox }: CallContext, jobId: string): Promise<Outcome | void> {
		try {
			await until(() => sandbox.job(jobId)?.status === 'succeeded', Infinity);
			const endedAt = clock.now();
			await until(() => this.dispatcher.hasEnded(jobId) || this.isLost(endedAt), Infinity);
			if (!this.dispatcher.hasEnded(jobId)) return NEVER_TOLD;
			const outputs = await this.assertOnce(jobId);
			assert.notEqual(outputs.length, 0);
			return outputs.length === 1 ? undefined : OUTPUT_OF_NOBODY;
		} finally {
			this.stop.abort();
			await this.watching;
			await this.source.close();
		}
	}

	/** Since then, by the client's clock, it heard only of trouble, or nothing: that does not change any more. */
	private isLost(since: number): boolean {
		const troubles = this.troubles.filter(({ at }) => at >= since);
		const putsOff = troubles.filter(({ retryInMs }) => retryInMs >= LONG_PAUSE_MS);
		return clock.now() - since >= ETERNITY_MS || putsOff.length > 1 || troubles.some(({ at }) => at - since >= LONG_MS);
	}

	/** Each step, each output and the end, once and in their order. @returns the outputs reported with the end. */
	private async assertOnce(jobId: string): Promise<readonly JobOutput[]> {
		await new Promise<void>((resolve) => clock.after(AFTERWARDS_MS, resolve));
		const ofJob = this.news.filter(({ job_id }) => job_id === jobId);
		const [end, ...more] = ofJob.filter(({ kind }) => kind === 'finished');
		assert.deepEqual([end?.status, more.length], ['succeeded', 0]);
		assert.equal(ofJob.at(-1), end, 'Nothing is reported after the end');
		const milestones = ofJob.flatMap(({ milestone }) => milestone ?? []);
		const outputs = ofJob.filter(({ kind }) => kind === 'output').flatMap(({ outputs: [output] }) => `${output?.node_id}/${output?.name}`);
		for (const once of [milestones, outputs]) assert.equal(new Set<unknown>(once).size, once.length);
		const percents = ofJob.flatMap(({ percent }) => percent ?? []);
		for (const values of [milestones, percents]) assertRising(values);
		assert.ok(percents.every((percent) => percent <= 100));
		return end?.outputs ?? [];
	}
}

/** If it returns a reason, nothing can be reported. */
type IsDeaf = (fault: Fault, attempts: Attempts) => string | undefined;

export interface Watched {
	open(context: CallContext): EventSource;
	/** What it reads when it has connected has been read. */
	isReady?: (context: CallContext) => boolean;
	isDeafForNew?: IsDeaf;
	isDeafForPast: IsDeaf;
	/** How a job that begins now is reported, if it is. */
	reportsOf?: (fault: Fault) => Outcome;
	/** The request that reads what was missed. */
	past: string;
	sandbox: SandboxOptions;
}

/** For a job that starts while the caller listens, and for a job that ended before. The jobs are not submitted through the proxy. */
export function watchCalls(speaker: Speaker, name: string, watched: Watched): Call[] {
	const { open, isReady = () => true, isDeafForNew = () => undefined, isDeafForPast, reportsOf = () => DONE, past, sandbox } = watched;
	const expects =
		(isDeaf: IsDeaf, outcomeOf: (fault: Fault) => Outcome): NonNullable<Call['expects']> =>
		(fault, attempts) => {
			const reason = isDeaf(fault, attempts);
			if (reason !== undefined) return { outcome: NEVER_TOLD, because: reason };
			return { outcome: outcomeOf(fault), because: 'what was missed is read as soon as possible' };
		};
	const submitted = async (context: CallContext, isEnded: boolean): Promise<string> =>
		await beside(speaker, context, async ({ jobs }) => {
			const { job_id } = await jobs.submit({ graph: twelveSteps(context) });
			if (isEnded) await waitForJob(jobs, job_id, { mode: 'polling', maxWaitMs: LONGEST_WAIT_MS });
			return job_id;
		});
	const shared = { at: speaker.at, repeatable: true, sandbox };
	return [
		{
			...shared,
			name: `${name} news`,
			wire: 'socket',
			on: 'GET /ws',
			expects: expects(isDeafForNew, reportsOf),
			run: async (context) => {
				const hearing = new Hearing(open(context));
				await until(() => hearing.hasFailed || (hearing.hasBegun && isReady(context)), Infinity);
				return await hearing.outcome(context, await submitted(context, false));
			},
		},
		{
			...shared,
			name: `${name} news of the past`,
			wire: 'json',
			on: past,
			expects: expects(isDeafForPast, () => DONE),
			run: async (context) => {
				const since = Date.now();
				const jobId = await submitted(context, true);
				return await new Hearing(open(context), since).outcome(context, jobId);
			},
		},
	];
}
