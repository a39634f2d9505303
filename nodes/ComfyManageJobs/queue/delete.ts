import type { INodeProperties } from 'n8n-workflow';

import type { JobQueue, QueueEntry } from '../../../client';
import { serverControl } from '../../shared/connect/openConnection';
import { concurrency, options, showForResource } from '../../shared/descriptions/common';
import { jobIdFields, readJobId } from '../../shared/descriptions/jobId';
import type { ItemContext, ItemResult } from '../../shared/operation';
import { commaList, type ReadParameter } from '../../shared/parameters';

interface DeleteSettings {
	jobIds: string[];
}

export const needsControl = true;

export const description: INodeProperties[] = [
	...jobIdFields({
		description: 'The job to take out of the queue. By ID, several can be given: separate them by commas.',
		displayOptions: showForResource('queue', 'delete'),
	}),
	options(showForResource('queue', 'delete'), [concurrency]),
];

export const settings = (read: ReadParameter): DeleteSettings => ({
	jobIds: [...new Set(commaList(readJobId(read)))],
});

type Place = 'running' | 'queued' | 'not_in_queue';

function placeOf({ running, pending }: JobQueue, id: string): Place {
	const isIt = ({ job_id }: QueueEntry) => job_id === id;
	if (running.some(isIt)) return 'running';
	return pending.some(isIt) ? 'queued' : 'not_in_queue';
}

/** The service answers alike for whatever ids it is given, so the queue is read before and after. */
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
	const items = jobIds.map((id) => ({ job_id: id, interface: connection.interface, was: placeOf(before, id), is: placeOf(after, id) }));
	const running = items.flatMap(({ job_id, is }) => (is === 'running' ? [job_id] : []));
	if (running.length > 0) {
		execution.addExecutionHints({ message: `Still running, because only waiting jobs are taken out of the queue: ${running.join(', ')}` });
	}
	return items.map(({ is, ...item }) => ({ json: { ...item, deleted: item.was !== 'not_in_queue' && is === 'not_in_queue' } }));
}
