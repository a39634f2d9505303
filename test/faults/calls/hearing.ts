import assert from 'node:assert/strict';

import { clock, type JobOutput, type News, NewsDesk, type NewsSource } from '../../../client';

const MILESTONES = [25, 50, 75];
/** Whoever tells a thing twice does so by then. */
const AFTERWARDS_MS = 5_000;
/** Whoever is told twice to wait for so long hears nothing more. */
const LONG_PAUSE_MS = 60_000;
/** Nor does who hears of failures alone for so long. */
const LONG_MS = 5 * 60_000;
/** Longer than anything is waited for. */
const ETERNITY_MS = 20 * 60_000;

/** Somebody who hears of jobs, as the trigger does. */
export class Hearing {
	/** The source was reachable. */
	hasBegun = false;
	private readonly troubles: Array<{ at: number; retryInMs: number }> = [];
	private readonly news: News[] = [];
	private readonly desk: NewsDesk;
	private readonly stop = new AbortController();
	private readonly watching: Promise<void>;

	/** @param since what ended before is no news. */
	constructor(
		private readonly source: NewsSource,
		since = Date.now(),
	) {
		this.desk = new NewsDesk({ interface: source.interface, milestones: MILESTONES });
		const { desk } = this;
		this.watching = source.watch(
			{
				since,
				onEvent: (event, jobId, raw) => void this.news.push(...desk.take(event, jobId, raw)),
				onJob: (job) => void this.news.push(...desk.read(job)),
				onConnect: () => void (this.hasBegun = true),
				onTrouble: ({ retryInMs }) => this.meets(retryInMs ?? 0),
				inFlight: () => desk.inFlight(),
				hasEnded: (jobId) => desk.hasEnded(jobId),
			},
			this.stop.signal,
		);
	}

	/** Nothing but trouble, or nothing at all, since then, by the client's clock: it is so in the end. */
	isLost(since: number): boolean {
		const troubles = this.troubles.filter(({ at }) => at >= since);
		const putsOff = troubles.filter(({ retryInMs }) => retryInMs >= LONG_PAUSE_MS);
		return clock.now() - since >= ETERNITY_MS || putsOff.length > 1 || troubles.some(({ at }) => at - since >= LONG_MS);
	}

	get hasFailed(): boolean {
		return this.troubles.length > 0;
	}

	hasHeardEndOf(jobId: string): boolean {
		return this.desk.hasEnded(jobId);
	}

	/** Each step, each output and the end of a job that has succeeded, once and in their order. @returns the outputs told with its end. */
	async assertOnce(jobId: string): Promise<readonly JobOutput[]> {
		await new Promise<void>((resolve) => clock.after(AFTERWARDS_MS, resolve));
		const ofJob = this.news.filter(({ job_id }) => job_id === jobId);
		const [end, ...more] = ofJob.filter(({ kind }) => kind === 'finished');
		assert.deepEqual([end?.status, more.length], ['succeeded', 0]);
		assert.equal(ofJob.at(-1), end, 'Nothing is told behind the end');
		const milestones = ofJob.flatMap(({ milestone }) => milestone ?? []);
		assert.deepEqual(
			milestones,
			[...new Set(milestones)].sort((one, other) => one - other),
		);
		const outputs = ofJob.filter(({ kind }) => kind === 'output').flatMap(({ outputs: [output] }) => `${output?.node_id}/${output?.name}`);
		assert.deepEqual(outputs, [...new Set(outputs)]);
		const percents = ofJob.flatMap(({ percent }) => percent ?? []);
		assert.deepEqual(
			percents,
			[...percents].sort((one, other) => one - other),
		);
		assert.ok(percents.every((percent) => percent <= 100));
		return end?.outputs ?? [];
	}

	async end(): Promise<void> {
		this.stop.abort();
		await this.watching;
		await this.source.close();
	}

	private meets(retryInMs: number): void {
		this.troubles.push({ at: clock.now(), retryInMs });
	}
}
