import type { Job } from '../ports/job';
import { createdOrStartedAt } from '../list/listJobs';
import type { CallOptions } from '../ports/jobService';
import { isInFuture } from '../recovery/searchRequest';
import { Cache } from '../cache/cache';
import type { EngineApi } from './api';
import type { EngineJobList } from './list';
import { type AssignedIds, certainTime, isCertainlyBefore, readAssignedIds } from './promptIds';
import type { EngineReader } from './reader';

const PAGE_SIZE = 100;
const MAX_PAGES = 3;
/** One for each run that searches. */
const MOST_SEARCHES = 100;

const NOTHING_KNOWN: AssignedIds = { ids: new Map(), isComplete: false };

/** The prompts that an engine received before this run. All items of a run share one search. */
export class EarlierPrompts {
	private readonly searches = new Cache<number, Promise<AssignedIds>>({ mostEntries: MOST_SEARCHES });

	constructor(
		private readonly list: EngineJobList,
		private readonly reader: EngineReader,
		private readonly api: EngineApi,
	) {}

	/**
	 * Finds the jobs of prompts that requested these ids.
	 * @returns the jobs by requested id, and whether it is certain that there are no others.
	 */
	async find(promptIds: readonly string[], since: number, options: CallOptions): Promise<{ found: Map<string, Job>; isSure: boolean }> {
		const { ids, isComplete } = await this.searches.getOrLoad(since, async () => await this.readIdsSince(since, options));
		const found = new Map<string, Job>();
		for (const promptId of promptIds) {
			const jobId = ids.get(promptId) ?? (isComplete ? undefined : promptId);
			const job = jobId === undefined ? undefined : await this.reader.find(jobId, options);
			if (job !== undefined) found.set(promptId, job);
		}
		return { found, isSure: isComplete || (await this.reader.certainlyUsesRequestedIds(options)) };
	}

	private async readIdsSince(since: number, options: CallOptions): Promise<AssignedIds> {
		// If our clock was set back, no list shows which jobs are newer.
		const isTimeUsable = !isInFuture(since);
		if (!(await this.reader.certainlyUsesRequestedIds(options)))
			return await readAssignedIds(this.api, { since: isTimeUsable ? since : -Infinity }, options);
		return isTimeUsable ? await this.listIdsSince(since, options) : NOTHING_KNOWN;
	}

	private async listIdsSince(since: number, { signal }: CallOptions): Promise<AssignedIds> {
		const ids = new Map<string, string>();
		let cursor: string | undefined;
		const wantedSince = (): number => certainTime(this.api, since);
		for (let pages = 0; pages < MAX_PAGES; pages++) {
			const { jobs, nextCursor } = await this.list.page({ limit: PAGE_SIZE, cursor, wantedSince, signal });
			for (const { job_id: jobId } of jobs) ids.set(jobId, jobId);
			if (jobs.some((job) => isCertainlyBefore(this.api, createdOrStartedAt(job), since))) return { ids, isComplete: true };
			if (nextCursor === undefined) break;
			cursor = nextCursor;
		}
		return { ids, isComplete: ids.size < PAGE_SIZE * MAX_PAGES };
	}
}
