import type { Job } from '../job';
import { listedJobs } from '../list/listedJobs';
import { madeOrBegunAt } from '../list/times';
import { isInFuture } from '../recovery/searchRequest';
import { onceFor } from '../onceFor';
import type { CallOptions } from '../ports';
import type { EngineApi } from './api';
import { type GivenIds, isBefore, readGivenIds } from './givenIds';
import type { EngineJobList } from './list';
import type { EngineReader } from './reader';

const PAGE_SIZE = 100;
const MOST_PAGES = 3;

const NOTHING_IS_KNOWN: GivenIds = { ids: new Map(), areAll: false };

/** What an engine was sent before a run began: asked once for all items of the run. */
export class EarlierPrompts {
	private readonly asked = new Map<number, Promise<GivenIds>>();

	constructor(
		private readonly list: EngineJobList,
		private readonly reader: EngineReader,
		private readonly api: EngineApi,
	) {}

	/**
	 * The jobs of prompts that asked for these ids, by what was asked for.
	 * @returns with them, whether it is certain that there are no others.
	 */
	async find(promptIds: readonly string[], since: number, options: CallOptions): Promise<{ found: Map<string, Job>; isSure: boolean }> {
		const { ids, areAll } = await onceFor(this.asked, since, async () => await this.idsSince(since, options));
		const found = new Map<string, Job>();
		for (const promptId of promptIds) {
			const jobId = ids.get(promptId) ?? (areAll ? undefined : promptId);
			const job = jobId === undefined ? undefined : await this.reader.find(jobId, options);
			if (job !== undefined) found.set(promptId, job);
		}
		return { found, isSure: areAll || (await this.reader.surelyKeepsIds(options)) };
	}

	private async idsSince(since: number, options: CallOptions): Promise<GivenIds> {
		// No list tells what is younger than a clock that was set back.
		const isKnown = !isInFuture(since);
		if (!(await this.reader.surelyKeepsIds(options))) return await readGivenIds(this.api, { since: isKnown ? since : -Infinity }, options);
		return isKnown ? await this.listedSince(since, options) : NOTHING_IS_KNOWN;
	}

	private async listedSince(since: number, { signal }: CallOptions): Promise<GivenIds> {
		const ids = new Map<string, string>();
		const list = { list: this.list.page.bind(this.list) };
		for await (const job of listedJobs(list, { pageSize: PAGE_SIZE, mostPages: MOST_PAGES, signal })) {
			if (isBefore(this.api, madeOrBegunAt(job), since)) return { ids, areAll: true };
			ids.set(job.job_id, job.job_id);
		}
		return { ids, areAll: ids.size < PAGE_SIZE * MOST_PAGES };
	}
}
