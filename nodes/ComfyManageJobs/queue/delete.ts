import type { INodeProperties } from 'n8n-workflow';

import type { JobQueue, QueueEntry } from '../../../client';
import { serverControl } from '../../shared/connect/openConnection';
import { concurrency, options, showForResource } from '../../shared/descriptions/common';
import { jobIdFields, readJobId } from '../../shared/descriptions/jobFields';
import { joinNames, MOST_CHOICES } from '../../shared/messages/words';
import type { ItemContext, ItemResult } from '../../shared/operation';
import { commaList, type ReadParameter } from '../../shared/parameters';

interface DeleteSettings {
	jobIds: string[];
}

export const needsControl = true;

export const description: INodeProperties[] = [
	...jobIdFields({
		description: 'Job to remove from the queue. In By ID mode, you can enter several IDs and separate them with commas.',
		displayOptions: showForResource('queue', 'delete'),
	}),
	options(showForResource('queue', 'delete'), [concurrency]),
];

export const settings = (read: ReadParameter): DeleteSettings => ({
	jobIds: [...new Set(commaList(readJobId(read)))],
});

type QueueState = 'running' | 'queued' | 'not_in_queue';

function findState({ running, pending }: JobQueue, id: string): QueueState {
	const hasId = ({ job_id }: QueueEntry) => job_id === id;
	if (running.some(hasId)) return 'running';
	return pending.some(hasId) ? 'queued' : 'not_in_queue';
}

/** The answer of the service does not show whether a job was in the queue, so the queue is read before and after. */
export async function execute({
	execution,
	connection,
	settings: { jobIds },
	signal,
	progress,
}: ItemContext<DeleteSettings>): Promise<ItemResult[]> {
	progress.add(jobIds.length === 1 ? { job_id: jobIds[0] } : { job_ids: jobIds });
	const control = serverControl(connection);
	const before = await control.queue({ signal });
	await control.deleteFromQueue(jobIds, { signal });
	const after = await control.queue({ signal });
	const items = jobIds.map((id) => ({ job_id: id, interface: connection.interface, was: findState(before, id), is: findState(after, id) }));
	const running = items.flatMap(({ job_id, is }) => (is === 'running' ? [job_id] : []));
	if (running.length > 0) {
		execution.addExecutionHints({
			message: `This operation removes only waiting jobs from the queue. These jobs are still running: ${joinNames(running, MOST_CHOICES)}.`,
		});
	}
	return items.map(({ is, ...item }) => ({ json: { ...item, deleted: item.was !== 'not_in_queue' && is === 'not_in_queue' } }));
}
