import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { firstOutputNode, type Job, listsNothing, madeOrBegunAt, outcomeOf } from '../../../client';
import { withService } from '../editorConnect';
import { notListed } from '../jobList';
import { wordsFor } from '../messages';
import { shownIn } from '../moments';

const PAGE_SIZE = 100;

/** By its title where the list tells that, else by its id and the file that it made. */
function nodeName(job: Job): string | undefined {
	const node = firstOutputNode(job);
	if (node === null) return undefined;
	const file = job.outputs[0]?.name;
	return node.title ?? node.class_type ?? [`node ${node.node_id}`, file].filter(Boolean).join(': ');
}

function entryOf(job: Job, zone: string): INodeListSearchItems {
	const at = madeOrBegunAt(job);
	const when = at === undefined ? 'time unknown' : shownIn(zone, at);
	return { name: [when, job.status, nodeName(job)].filter(Boolean).join(' · '), value: job.job_id };
}

const matches = ({ name, value }: INodeListSearchItems, words: string[]): boolean => words.every((word) => `${name} ${value}`.toLowerCase().includes(word));

/** The jobs of the service, newest first, a page at a time; found by the words of their time, status, node and id. */
export async function searchJobs(this: ILoadOptionsFunctions, filter = '', paginationToken?: string): Promise<INodeListSearchResult> {
	const words = filter.toLowerCase().split(/\s+/).filter((word) => word !== '');
	const beyondV2 = this.getCurrentNodeParameter('resource') === 'queue' ? true : undefined;
	return await withService(this, { beyondV2 }, async ({ jobs }, credential) => {
		const page = await outcomeOf(jobs.list({ limit: PAGE_SIZE, cursor: paginationToken }));
		if (page.ok) {
			const entries = page.value.jobs.map((job) => entryOf(job, this.getTimezone()));
			return { results: entries.filter((entry) => matches(entry, words)), paginationToken: page.value.nextCursor };
		}
		if (!listsNothing(page.error)) throw page.error;
		// In place of the jobs, where it is read; chosen, it is an empty id.
		const { message, advice } = wordsFor(notListed(page.error), credential);
		return { results: [{ name: `${message}. ${advice.split('\n')[0] ?? ''}`, value: '' }] };
	});
}
