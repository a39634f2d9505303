import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { findJobs, firstOutputNode, type Job, outcomeOf } from '../../../client';
import { limitFields, showForResource } from '../../shared/descriptions/common';
import { listedForModel } from '../../shared/jobs/tool/jobForModel';
import { jobItem } from '../../shared/jobItems';
import { notListed } from '../../shared/jobList';
import { momentOfField } from '../../shared/moments';
import type { ItemContext, ItemResult, ReadParameter } from '../../shared/operations';
import { readLimit } from '../../shared/parameters';

interface Filters {
	createdAfter?: unknown;
	createdBefore?: unknown;
	status?: string[];
}

interface ListSettings {
	/** Infinity for all. */
	limit: number;
	filters: Filters;
}

const LARGEST_PAGE = 100;
const TRUNCATED = 'This server lists only its newest 100 jobs, and the newest 100 of each status. Older ones may exist; a job whose ID you have can still be read with Get.';

const show = showForResource('job', 'getAll');

export const description: INodeProperties[] = [
	...limitFields(show),
	{
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add Filter',
		default: {},
		displayOptions: show,
		options: [
			{ displayName: 'Created After', name: 'createdAfter', type: 'dateTime', default: '', description: 'Only jobs that were made then or later' },
			{ displayName: 'Created Before', name: 'createdBefore', type: 'dateTime', default: '', description: 'Only jobs that were made then or earlier' },
			{
				displayName: 'Status',
				name: 'status',
				type: 'multiOptions',
				options: ['Canceled', 'Canceling', 'Expired', 'Failed', 'Queued', 'Running', 'Succeeded'].map((name) => ({ name, value: name.toLowerCase() })),
				default: [],
				description: 'Only jobs in one of these states',
			},
		],
	},
];

export const settings = (read: ReadParameter): ListSettings => ({ limit: readLimit(read), filters: read<Filters>('filters', {}) });

const itemOf = (job: Job): IDataObject => ({ ...jobItem(job), first_output_node: firstOutputNode(job) as IDataObject | null });

/** One item for each job, newest first. Lists may leave out what a job made: Get tells that. */
export async function execute({ execution, connection, settings: { limit, filters }, signal, isTool }: ItemContext<ListSettings>): Promise<ItemResult[]> {
	const zone = execution.getTimezone();
	let isTruncated = false;
	const listed = findJobs(connection.jobs, {
		madeAfter: momentOfField(filters.createdAfter, 'Created After', zone),
		madeBefore: momentOfField(filters.createdBefore, 'Created Before', zone),
		statuses: filters.status ?? [],
		pageSize: Object.keys(filters).length === 0 ? Math.min(limit, LARGEST_PAGE) : LARGEST_PAGE,
		onTruncated: () => (isTruncated = true),
		signal,
	});
	const items: IDataObject[] = [];
	const walked = await outcomeOf(takeInto(items, listed, { limit, itemOf: isTool ? listedForModel : itemOf }));
	if (!walked.ok) throw notListed(walked.error);
	if (isTruncated) execution.addExecutionHints({ message: TRUNCATED });
	// An agent must not be left without any answer.
	return isTool && items.length === 0 ? [{ json: { jobs: 0, interface: connection.interface } }] : items.map((json) => ({ json }));
}

async function takeInto(items: IDataObject[], listed: AsyncIterable<Job>, { limit, itemOf }: { limit: number; itemOf: (job: Job) => IDataObject }): Promise<void> {
	for await (const job of listed) {
		items.push(itemOf(job));
		if (items.length >= limit) return;
	}
}
