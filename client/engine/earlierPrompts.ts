import { listedJobs } from '../list/listedJobs';
import { madeOrBegunAt } from '../list/times';
import { CLOCK_SKEW_MS, isYetToCome } from '../lost/jobFinder';
import { onceFor } from '../onceFor';
import type { CallOptions } from '../ports';
import type { EngineApi } from './api';
import type { EngineJobList } from './list';
import type { EngineReader } from './reader';

const PAGE_SIZE = 100;
const MOST_PAGES = 3;

/** What an engine was sent before a run began: asked once for all items of the run. */
export class EarlierPrompts {
	private readonly asked = new Map<number, Promise<ReadonlySet<string> | undefined>>();

	constructor(
		private readonly list: EngineJobList,
		private readonly reader: EngineReader,
		private readonly api: Pick<EngineApi, 'serviceTime'>,
	) {}

	/** Whether it is certain that the engine has not been sent this prompt. */
	async lack(jobId: string, since: number, options: CallOptions): Promise<boolean> {
		if (isYetToCome(since)) return false;
		const ids = await onceFor(this.asked, since, async () => await this.idsSince(since, options));
		return ids !== undefined && !ids.has(jobId);
	}

	/** Undefined where more than these may have been sent, or their ids are not the ones that were asked for. */
	private async idsSince(since: number, { signal }: CallOptions): Promise<ReadonlySet<string> | undefined> {
		if (!(await this.reader.surelyKeepsIds({ signal }))) return undefined;
		const ids = new Set<string>();
		const list = { list: this.list.page.bind(this.list) };
		for await (const job of listedJobs(list, { pageSize: PAGE_SIZE, mostPages: MOST_PAGES, signal })) {
			if ((madeOrBegunAt(job) ?? Infinity) < this.api.serviceTime(since) - CLOCK_SKEW_MS) return ids;
			ids.add(job.job_id);
		}
		return ids.size < PAGE_SIZE * MOST_PAGES ? ids : undefined;
	}
}
