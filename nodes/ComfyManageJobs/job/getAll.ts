import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { findFirstOutputNode, findJobs, type Job } from '../../../client';
import { filterFields, limitFields, showForResource } from '../../shared/descriptions/common';
import { unansweredListHint } from '../../shared/explain/pool';
import { hintOnce } from '../../shared/hints';
import { toListedJobForModel } from '../../shared/jobs/jobForModel';
import { messages } from '../../shared/messages/catalogue';
import { MADE_BY_LABEL } from '../../shared/messages/topics/service';
import { inOneText, type Words } from '../../shared/messages/words';
import { toJobItemWithOrigin, toNotListedError } from '../../shared/jobs/jobItems';
import { parseDateField } from '../../shared/dates';
import type { ItemRun, ItemResult } from '../../shared/operation';
import { ItemFault } from '../../shared/itemFault';
import { readLimit, type ReadParameter } from '../../shared/parameters';

interface JobFilters {
	createdAfter?: unknown;
	createdBefore?: unknown;
	madeByThisWorkflow?: boolean;
	status?: string[];
}

interface JobListSettings {
	/** Infinity for all. */
	limit: number;
	filters: JobFilters;
}

const LARGEST_PAGE = 100;

const show = showForResource('job', 'getAll');

export const menu = {
	name: 'Get Many',
	action: 'Get many jobs',
	description: 'List jobs, newest first, including jobs that other programs submitted',
};

export const toolText =
	'Lists ComfyUI jobs, newest first. Returns JSON for each job: job_id, status and times. If it is known, made_by contains the n8n workflow, execution, node and item that created the job. To get the outputs of a job, use a tool that gets one job.';

export const description: INodeProperties[] = [
	...limitFields(show),
	filterFields(show, [
		{
			displayName: 'Created After',
			name: 'createdAfter',
			type: 'dateTime',
			default: '',
			description: 'Return only jobs that were created at or after this time',
		},
		{
			displayName: 'Created Before',
			name: 'createdBefore',
			type: 'dateTime',
			default: '',
			description: 'Return only jobs that were created at or before this time',
		},
		{
			displayName: MADE_BY_LABEL,
			name: 'madeByThisWorkflow',
			type: 'boolean',
			default: true,
			description:
				'Whether to return only jobs that this n8n workflow created. The field made_by of each item contains the execution, node and item.',
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
			description: 'Return only jobs with one of these statuses',
		},
	]),
];

export const settings = (read: ReadParameter): JobListSettings => ({ limit: readLimit(read), filters: read<JobFilters>('filters', {}) });

const toListedItem = (job: Job): IDataObject => ({
	...toJobItemWithOrigin(job),
	first_output_node: findFirstOutputNode(job) as IDataObject | null,
});

/** Returns an item for each job, newest first. Some services list no outputs. *Get* returns them. */
export async function execute(
	{ execution, connection, signal, isTool }: ItemRun,
	{ limit, filters }: JobListSettings,
): Promise<ItemResult[]> {
	const zone = execution.getTimezone();
	const hints: Words[] = [];
	const unanswered = new Set<string>();
	const jobs = findJobs(connection.jobs, {
		madeAfter: parseDateField(filters.createdAfter, 'Created After', zone),
		madeBefore: parseDateField(filters.createdBefore, 'Created Before', zone),
		statuses: filters.status ?? [],
		withMadeBy: true,
		madeInWorkflow: filters.madeByThisWorkflow ? workflowId(execution) : undefined,
		pageSize: Object.keys(filters).length === 0 ? Math.min(limit, LARGEST_PAGE) : LARGEST_PAGE,
		onTruncated: () => hints.push(messages.JOB_LIST_SHORT()),
		onUnanswered: (servers) => servers.forEach((server) => unanswered.add(server)),
		onNoMadeBy: (listed) => hints.push(listed === 1 ? messages.JOB_HAS_NO_ORIGIN() : messages.JOBS_HAVE_NO_ORIGIN(listed)),
		signal,
	});
	const items: IDataObject[] = [];
	try {
		for await (const job of jobs) {
			items.push(isTool ? toListedJobForModel(job) : toListedItem(job));
			if (items.length >= limit) break;
		}
	} catch (error) {
		throw toNotListedError(error);
	}
	if (unanswered.size > 0) hints.push(unansweredListHint([...unanswered]));
	for (const hint of hints) hintOnce(execution, hint);
	// An agent sees no hints, and needs a result even if the list is empty.
	const summary = {
		jobs: items.length,
		interface: connection.interface,
		...(hints.length > 0 && { note: hints.map(inOneText).join(' ') }),
	};
	const needsSummary = isTool && (items.length === 0 || unanswered.size > 0);
	return [...(needsSummary ? [summary] : []), ...items].map((json) => ({ json }));
}

/** Returns the id of this n8n workflow. @throws ItemFault if it has not been saved and has no id. */
function workflowId(execution: IExecuteFunctions): string {
	const { id = '' } = execution.getWorkflow();
	if (id !== '') return id;
	throw new ItemFault(messages.WORKFLOW_ID_MISSING(MADE_BY_LABEL));
}
