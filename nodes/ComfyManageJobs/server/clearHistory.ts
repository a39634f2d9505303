import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { CallOptions, ServerConnection, EngineConnection } from '../../../client';
import { requireEngine } from '../../shared/connect/openConnection';
import { concurrency, options, showForResource } from '../../shared/descriptions/common';
import { jobIdFields, readJobId } from '../../shared/descriptions/jobFields';
import { requireChoice } from '../../shared/itemFault';
import type { ItemRun, ItemResult } from '../../shared/operation';
import { commaList, type ReadParameter } from '../../shared/parameters';
import { collectFromServers, readServer, type ServerChoice, serverField } from '../onServers';

interface ClearSettings extends ServerChoice {
	jobIds: string[] | 'all';
}

export const needsControl = true;

const show = showForResource('server', 'clearHistory');

export const menu = {
	name: 'Clear History',
	action: 'Clear history of server',
	description: 'Remove finished jobs from the history of your ComfyUI. Their files remain.',
};

export const toolText =
	'Removes finished ComfyUI jobs from the history of the server, so that other tools cannot read them any more. Their files remain. Use this tool only if the user requests it.';

export const description: INodeProperties[] = [
	{
		displayName:
			'If n8n crashes, a retry of the execution looks for its jobs in the history of ComfyUI. After you clear the history, a retry cannot find these jobs and may run them again. The files of the jobs remain.',
		name: 'clearHistoryNotice',
		type: 'notice',
		default: '',
		displayOptions: show,
	},
	{
		displayName: 'Jobs',
		name: 'historyJobs',
		type: 'options',
		options: [
			{ name: 'All', value: 'all', description: 'All finished jobs, including jobs of other users and programs' },
			{ name: 'Chosen', value: 'chosen', description: 'Only the jobs in Job ID' },
		],
		default: 'chosen',
		description: 'Which finished jobs to remove from the history. Waiting and running jobs are not affected.',
		displayOptions: show,
	},
	...jobIdFields({
		description: 'Job to remove from the history. In By ID mode, you can enter several IDs and separate them with commas.',
		displayOptions: { show: { ...show.show, historyJobs: ['chosen'] } },
	}),
	options(show, [concurrency, serverField]),
];

export function settings(read: ReadParameter): ClearSettings {
	const jobs = requireChoice(read<unknown>('historyJobs', 'chosen'), ['all', 'chosen'], 'Jobs');
	return { jobIds: jobs === 'all' ? jobs : [...new Set(commaList(readJobId(read)))], ...readServer(read) };
}

/** ComfyUI sends the whole graph of each job. */
const MOST_LISTED = 100;

/** Returns the ids of the finished jobs that the history has: of the chosen ones, or of the newest. */
async function readHistory({ records }: EngineConnection, jobIds: ClearSettings['jobIds'], options: CallOptions): Promise<string[]> {
	if (jobIds === 'all') return (await records.recent(MOST_LISTED, options)).map(({ job }) => job.job_id);
	const found: string[] = [];
	for (const id of jobIds) if ((await records.ended(id, options)) !== undefined) found.push(id);
	return found;
}

/** The answer of ComfyUI does not show what it removed, so the history is read before and after. */
async function clearHistory(connection: ServerConnection, { jobIds }: ClearSettings, signal: AbortSignal): Promise<IDataObject> {
	const engine = requireEngine(connection, 'clear the history');
	const before = await readHistory(engine, jobIds, { signal });
	await engine.maintenance.clearHistory(jobIds, { signal });
	const after = new Set(await readHistory(engine, jobIds, { signal }));
	const cleared = before.filter((id) => !after.has(id));
	return {
		interface: connection.interface,
		jobs_before: before.length,
		jobs_after: after.size,
		cleared_job_ids: cleared,
		not_found_job_ids: jobIds === 'all' ? [] : jobIds.filter((id) => !before.includes(id)),
		is_truncated: jobIds === 'all' && before.length >= MOST_LISTED,
	};
}

/** Each server reports the jobs that it did not have. */
export async function execute(item: ItemRun, settings: ClearSettings): Promise<ItemResult[]> {
	const { signal, progress } = item;
	if (settings.jobIds !== 'all') progress.add({ job_ids: settings.jobIds });
	return await collectFromServers(item, settings, async (connection) => await clearHistory(connection, settings, signal));
}
