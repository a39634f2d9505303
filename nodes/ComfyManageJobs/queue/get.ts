import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { clock, type ServerConnection, type InterfaceName, QUEUE_STATUSES, type QueueEntry } from '../../../client';
import { serverControl } from '../../shared/connect/openConnection';
import { concurrency, options, showForResource } from '../../shared/descriptions/common';
import type { ItemRun, ItemResult } from '../../shared/operation';
import { readOptions, switchOption } from '../../shared/options';
import type { ReadParameter } from '../../shared/parameters';
import { collectFromServers, readServer, type ServerChoice, serverField } from '../onServers';

interface QueueSettings extends ServerChoice {
	includeWorkflow: boolean;
}

export const needsControl = true;

const includeWorkflow = switchOption({
	displayName: 'Include Workflow',
	name: 'includeWorkflow',
	default: false,
	description: 'Whether to include the workflow of each job',
});

export const menu = {
	name: 'Get',
	action: 'Get queue',
	description: 'List all running and waiting jobs of the account or of your ComfyUI',
};

export const toolText =
	'Lists all running and waiting ComfyUI jobs, including jobs from other users and programs. Returns JSON with the job_id of each job, and its server if there are several.';

export const description: INodeProperties[] = [options(showForResource('queue', 'get'), [concurrency, includeWorkflow, serverField])];

export const settings = (read: ReadParameter): QueueSettings => ({
	...readOptions({ includeWorkflow }, read),
	...readServer(read),
});

const secondsSince = (moment: string | null): number | null =>
	moment === null ? null : Math.max(0, Math.round((clock.wallNow() - Date.parse(moment)) / 1000));

function toQueueItem(
	entry: QueueEntry,
	part: keyof typeof QUEUE_STATUSES,
	index: number,
	{ includeWorkflow }: QueueSettings,
	name: InterfaceName,
): IDataObject {
	const { job_id, number, created_at, workflow, output_node_ids, ...others } = entry;
	const isWaiting = part === 'pending';
	const json: IDataObject = {
		job_id,
		interface: name,
		...QUEUE_STATUSES[part],
		position: isWaiting ? index + 1 : null,
		number,
		created_at,
		waiting_seconds: isWaiting ? secondsSince(created_at) : null,
		node_count: workflow === null ? null : Object.keys(workflow).length,
		output_node_ids,
		...others,
	};
	return includeWorkflow ? { ...json, workflow } : json;
}

async function readQueue(connection: ServerConnection, settings: QueueSettings, signal: AbortSignal): Promise<IDataObject[]> {
	const queue = await serverControl(connection).queue({ signal });
	return (['running', 'pending'] as const).flatMap((part) =>
		queue[part].map((entry, index) => toQueueItem(entry, part, index, settings, connection.interface)),
	);
}

/** Returns an item for each job: running jobs first, then waiting jobs in the order in which they will run. */
export async function execute(item: ItemRun, settings: QueueSettings): Promise<ItemResult[]> {
	const { connection, signal, isTool } = item;
	const items = await collectFromServers(item, settings, async (server) => await readQueue(server, settings, signal));
	// An agent needs an answer even if the queue is empty.
	return isTool && items.length === 0 ? [{ json: { interface: connection.interface, running: 0, queued: 0 } }] : items;
}
