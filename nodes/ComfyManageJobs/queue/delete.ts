import type { INodeProperties } from 'n8n-workflow';

import type { ServerConnection, InterfaceName, JobQueue, QueueEntry } from '../../../client';
import { serverControl } from '../../shared/connect/openConnection';
import { concurrency, options, showForResource } from '../../shared/descriptions/common';
import { jobIdFields, readJobId } from '../../shared/descriptions/jobFields';
import { addHint } from '../../shared/hints';
import { messages } from '../../shared/messages/catalogue';
import type { ItemRun, ItemResult } from '../../shared/operation';
import { commaList, type ReadParameter } from '../../shared/parameters';
import { readServer, runOnServers, type ServerChoice, serverField } from '../onServers';

interface DeleteSettings extends ServerChoice {
	jobIds: string[];
}

export const needsControl = true;

export const menu = {
	name: 'Delete',
	action: 'Delete jobs from queue',
	description: 'Remove waiting jobs from the queue',
};

export const toolText =
	'Removes waiting ComfyUI jobs from the queue, so that they never run. Enter their job_id. Use this tool only if the user requests it.';

export const description: INodeProperties[] = [
	...jobIdFields({
		description: 'Job to remove from the queue. In By ID mode, you can enter several IDs and separate them with commas.',
		displayOptions: showForResource('queue', 'delete'),
	}),
	options(showForResource('queue', 'delete'), [concurrency, serverField]),
];

export const settings = (read: ReadParameter): DeleteSettings => ({
	jobIds: [...new Set(commaList(readJobId(read)))],
	...readServer(read),
});

type QueueState = 'running' | 'queued' | 'not_in_queue';

function findState({ running, pending }: JobQueue, id: string): QueueState {
	const hasId = ({ job_id }: QueueEntry) => job_id === id;
	if (running.some(hasId)) return 'running';
	return pending.some(hasId) ? 'queued' : 'not_in_queue';
}

/** A job in the queue of one server, before and after it was deleted. */
interface DeletedJob {
	job_id: string;
	interface: InterfaceName;
	was: QueueState;
	is: QueueState;
}

/** The answer of the service does not show whether a job was in the queue, so the queue is read before and after. */
async function deleteJobs(connection: ServerConnection, jobIds: string[], signal: AbortSignal): Promise<DeletedJob[]> {
	const control = serverControl(connection);
	const before = await control.queue({ signal });
	await control.deleteFromQueue(jobIds, { signal });
	const after = await control.queue({ signal });
	return jobIds.map((id) => ({ job_id: id, interface: connection.interface, was: findState(before, id), is: findState(after, id) }));
}

/** Returns an item for each job. If the credential has several servers, `server` is the one that had the job, or null. */
export async function execute(item: ItemRun, settings: DeleteSettings): Promise<ItemResult[]> {
	const { execution, connection, signal, progress } = item;
	const { jobIds } = settings;
	progress.add(jobIds.length === 1 ? { job_id: jobIds[0] } : { job_ids: jobIds });
	const { results, notes } = await runOnServers(item, settings, async (server) => await deleteJobs(server, jobIds, signal));
	const found = results.flatMap(({ address: server, value }) =>
		value.filter(({ was }) => was !== 'not_in_queue').map((job) => ({ ...job, server })),
	);
	const notInQueue = { was: 'not_in_queue', is: 'not_in_queue', server: results[0]?.address === undefined ? undefined : null } as const;
	const jobs = jobIds.map(
		(id) => found.find(({ job_id }) => job_id === id) ?? { job_id: id, interface: connection.interface, ...notInQueue },
	);
	const running = jobs.filter(({ is }) => is === 'running').map(({ job_id }) => job_id);
	if (running.length > 0) addHint(execution, messages.RUNNING_JOBS_NOT_REMOVED(running));
	const items = jobs.map(({ job_id, server, interface: name, was, is }) => ({
		job_id,
		...(server !== undefined && { server }),
		interface: name,
		was,
		deleted: was !== 'not_in_queue' && is === 'not_in_queue',
	}));
	return [...notes, ...items].map((json) => ({ json }));
}
