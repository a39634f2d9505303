import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { findJobs, firstOutputNode, type Job, outcomeOf } from '../../../client';
import { filterFields, limitFields, showForResource } from '../../shared/descriptions/common';
import { listedForModel } from '../../shared/jobs/tool/jobForModel';
import { jobItemWithOrigin, withNotListedCode } from '../../shared/jobs/jobItems';
import { MADE_BY_LABEL, madeByUntold } from '../../shared/messages/madeByFilter';
import { momentOfField } from '../../shared/moments';
import type { ItemContext, ItemResult } from '../../shared/operation';
import { ItemFault } from '../../shared/itemFault';
import { readLimit, type ReadParameter } from '../../shared/parameters';

interface Filters {
	createdAfter?: unknown;
	createdBefore?: unknown;
	madeByThisWorkflow?: boolean;
	status?: string[];
}

interface ListSettings {
	/** Infinity for all. */
	limit: number;
	filters: Filters;
}

const LARGEST_PAGE = 100;
const TRUNCATED =
	'This server lists only its newest 100 jobs, and the newest 100 of each status. Older ones may exist; a job whose ID you have can still be read with Get.';

const show = showForResource('job', 'getAll');

export const description: INodeProperties[] = [
	...limitFields(show),
	filterFields(show, [
		{
			displayName: 'Created After',
			name: 'createdAfter',
			type: 'dateTime',
			default: '',
			description: 'Only jobs that were made then or later',
		},
		{
			displayName: 'Created Before',
			name: 'createdBefore',
			type: 'dateTime',
			default: '',
			description: 'Only jobs that were made then or earlier',
		},
		{
			displayName: MADE_BY_LABEL,
			name: 'madeByThisWorkflow',
			type: 'boolean',
			default: true,
			description:
				'Whether to list only jobs that nodes of this n8n workflow have made. Each item tells under made_by which execution, node and item it was.',
		},
		{
			displayName: 'Status',
			name: 'status',
			type: 'multiOptions',
			options: ['Canceled', 'Canceling', 'Expired', 'Failed', 'Queued', 'Running', 'Succeeded'].map((name) => ({
				name,
				value: name.toLowerCase(),
			})),
			default: [],
			description: 'Only jobs in one of these states',
		},
	]),
];

export const settings = (read: ReadParameter): ListSettings => ({ limit: readLimit(read), filters: read<Filters>('filters', {}) });

const itemOf = (job: Job): IDataObject => ({ ...jobItemWithOrigin(job), first_output_node: firstOutputNode(job) as IDataObject | null });

/** One item for each job, newest first. Lists may leave out what a job made: Get tells that. */
export async function execute({
	execution,
	connection,
	settings: { limit, filters },
	signal,
	isTool,
}: ItemContext<ListSettings>): Promise<ItemResult[]> {
	const zone = execution.getTimezone();
	const hints: string[] = [];
	const listed = findJobs(connection.jobs, {
		madeAfter: momentOfField(filters.createdAfter, 'Created After', zone),
		madeBefore: momentOfField(filters.createdBefore, 'Created Before', zone),
		statuses: filters.status ?? [],
		withMadeBy: true,
		madeInWorkflow: filters.madeByThisWorkflow ? thisWorkflow(execution) : undefined,
		pageSize: Object.keys(filters).length === 0 ? Math.min(limit, LARGEST_PAGE) : LARGEST_PAGE,
		onTruncated: () => hints.push(TRUNCATED),
		onUntold: (listed) => hints.push(madeByUntold(listed)),
		signal,
	});
	const items: IDataObject[] = [];
	const walked = await outcomeOf(takeInto(items, listed, { limit, itemOf: isTool ? listedForModel : itemOf }));
	if (!walked.ok) throw withNotListedCode(walked.error);
	for (const message of hints) execution.addExecutionHints({ message });
	// An agent must not be left without any answer.
	return isTool && items.length === 0
		? [{ json: { jobs: 0, interface: connection.interface, ...(hints.length > 0 && { note: hints.join(' ') }) } }]
		: items.map((json) => ({ json }));
}

/** @throws ItemFault for one that n8n has not saved: it has no id to go by. */
function thisWorkflow(execution: IExecuteFunctions): string {
	const { id = '' } = execution.getWorkflow();
	if (id !== '') return id;
	throw new ItemFault(
		'This n8n workflow has not been saved yet, so that no job can be told to be of it',
		`Save the workflow, or remove the filter ${MADE_BY_LABEL}.`,
	);
}

async function takeInto(
	items: IDataObject[],
	listed: AsyncIterable<Job>,
	{ limit, itemOf }: { limit: number; itemOf: (job: Job) => IDataObject },
): Promise<void> {
	for await (const job of listed) {
		items.push(itemOf(job));
		if (items.length >= limit) return;
	}
}
