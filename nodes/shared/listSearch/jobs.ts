import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { firstOutputNode, type Job, listsNothing, madeOrBegunAt, outcomeOf } from '../../../client';
import { withService } from '../connect/editorConnect';
import { withNotListedCode } from '../jobs/jobItems';
import { wordsFor } from '../messages/wordsFor';
import { shownIn } from '../moments';
import { keepingChosen, linked } from './keepingChosen';
import { instead, matches, wordsOf } from './entries';

const PAGE_SIZE = 100;

/** By its title where the list tells that, else by its id and the file that it made. */
function nodeName(job: Job): string | undefined {
	const node = firstOutputNode(job);
	if (node === null) return undefined;
	const file = job.outputs[0]?.name;
	return node.title ?? node.class_type ?? [`node ${node.node_id}`, file].filter(Boolean).join(': ');
}

/** The node of n8n, where the list tells that: the submissions of one ComfyUI workflow look alike otherwise. */
const makerOf = ({ made_by }: Job): string | undefined => (typeof made_by?.node === 'string' ? `by ${made_by.node}` : undefined);

function entryOf(job: Job, zone: string): INodeListSearchItems {
	const at = madeOrBegunAt(job);
	const when = at === undefined ? 'time unknown' : shownIn(zone, at);
	return { name: [when, job.status, nodeName(job), makerOf(job)].filter(Boolean).join(' · '), value: job.job_id };
}

/** The jobs of the service, newest first, a page at a time; found by the words of their time, status, nodes and id. */
export async function searchJobs(this: ILoadOptionsFunctions, filter = '', paginationToken?: string): Promise<INodeListSearchResult> {
	const words = wordsOf(filter);
	const needsControl = this.getCurrentNodeParameter('resource') === 'queue' ? true : undefined;
	return await withService(this, { needsControl }, async ({ jobs }, credential) => {
		const page = await outcomeOf(jobs.list({ limit: PAGE_SIZE, cursor: paginationToken }));
		if (page.ok) {
			const entries = page.value.jobs.map((job) => entryOf(job, this.getTimezone()));
			const isWhole = words.length === 0 && paginationToken === undefined;
			const results = isWhole
				? keepingChosen(this, ['jobId', 'workflowJob'], entries)
				: linked(
						this,
						entries.filter((entry) => matches(entry, words)),
					);
			return { results, paginationToken: page.value.nextCursor };
		}
		if (!listsNothing(page.error)) throw page.error;
		// In place of the jobs, where it is read; chosen, it is an empty id.
		const { message, advice } = wordsFor(withNotListedCode(page.error), credential);
		return { results: [instead(`${message}. ${advice.split('\n')[0] ?? ''}`)] };
	});
}
