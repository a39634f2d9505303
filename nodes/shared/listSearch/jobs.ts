import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { createdOrStartedAt, findFirstOutputNode, isListUnsupported, type Job, outcomeOf } from '../../../client';
import { withService } from '../connect/editorConnections';
import { formatInZone } from '../dates';
import { toNotListedError } from '../jobs/jobItems';
import { wordsFor } from '../explain/wordsFor';
import { addLinks, keepChosenFirst, matchesWords, toNoticeEntry, splitWords } from './entries';

const PAGE_SIZE = 100;
/** The resources whose operations on jobs do not use v2. */
const NEED_CONTROL: ReadonlySet<unknown> = new Set(['queue', 'server']);

/** Returns the title of the first output node, or its id and the first file if the list has no title. */
function describeOutputNode(job: Job): string | undefined {
	const node = findFirstOutputNode(job);
	if (node === null) return undefined;
	const file = job.outputs[0]?.name;
	return node.title ?? node.class_type ?? [`node ${node.node_id}`, file].filter(Boolean).join(': ');
}

/** Returns the n8n node that made the job, if the list reports it. It distinguishes jobs of the same ComfyUI workflow. */
const describeMaker = ({ made_by }: Job): string | undefined => (typeof made_by?.node === 'string' ? `by ${made_by.node}` : undefined);

function toJobEntry(job: Job, zone: string): INodeListSearchItems {
	const at = createdOrStartedAt(job);
	const time = at === undefined ? 'time unknown' : formatInZone(zone, at);
	return { name: [time, job.status, describeOutputNode(job), describeMaker(job)].filter(Boolean).join(' · '), value: job.job_id };
}

/** Lists the jobs of the service, newest first, page by page. The filter searches in time, status, nodes and id. */
export async function searchJobs(this: ILoadOptionsFunctions, filter = '', paginationToken?: string): Promise<INodeListSearchResult> {
	const words = splitWords(filter);
	const needsControl = NEED_CONTROL.has(this.getCurrentNodeParameter('resource')) ? true : undefined;
	return await withService(this, { needsControl }, async ({ jobs }, credential) => {
		const page = await outcomeOf(jobs.list({ limit: PAGE_SIZE, cursor: paginationToken }));
		if (!page.ok) {
			if (!isListUnsupported(page.error)) throw page.error;
			const { message, advice } = wordsFor(toNotListedError(page.error), credential);
			return { results: [toNoticeEntry(`${message}. ${advice.split('\n')[0] ?? ''}`)] };
		}
		const entries = page.value.jobs.map((job) => toJobEntry(job, this.getTimezone()));
		const isFirstPageOfAll = words.length === 0 && paginationToken === undefined;
		const results = isFirstPageOfAll
			? keepChosenFirst(this, ['jobId', 'workflowJob'], entries)
			: addLinks(
					this,
					entries.filter((entry) => matchesWords(entry, words)),
				);
		return { results, paginationToken: page.value.nextCursor };
	});
}
