import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { ServerConnection } from '../../../client';
import { serverControl } from '../../shared/connect/openConnection';
import { concurrency, options, showForResource } from '../../shared/descriptions/common';
import type { ItemRun, ItemResult } from '../../shared/operation';
import { collectFromServers, readServer, type ServerChoice, serverField } from '../onServers';

export const needsControl = true;

export const menu = {
	name: 'Interrupt',
	action: 'Interrupt every running job',
	description: 'Stop EVERY running job of the account or of your ComfyUI, including jobs from other users and programs',
};

export const toolText =
	'Stops EVERY running ComfyUI job of the account or of all servers, including jobs from other users and programs. Use this tool only if the user requests exactly that.';

export const description: INodeProperties[] = [
	{
		displayName:
			'This operation stops <b>every</b> running job of the account or of your ComfyUI, including jobs from other users and programs. If the credential contains several ComfyUIs and Server is empty, this applies to all of them. To stop one job, use the operation Cancel of the resource Job.',
		name: 'interruptNotice',
		type: 'notice',
		default: '',
		displayOptions: showForResource('queue', 'interrupt'),
	},
	options(showForResource('queue', 'interrupt'), [concurrency, serverField]),
];

export const settings = readServer;

async function interrupt(connection: ServerConnection, signal: AbortSignal): Promise<IDataObject> {
	const control = serverControl(connection);
	const { running } = await control.queue({ signal });
	await control.interrupt({ signal });
	return { interrupted: true, interface: connection.interface, job_ids: running.map(({ job_id }) => job_id) };
}

/** Stops all running jobs. Returns the ids of the jobs that were running just before. Waiting jobs remain. */
export const execute = async (item: ItemRun, settings: ServerChoice): Promise<ItemResult[]> =>
	await collectFromServers(item, settings, async (connection) => await interrupt(connection, item.signal));
