import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { ServerConnection } from '../../../client';
import { requireEngine } from '../../shared/connect/openConnection';
import { concurrency, options, showForResource } from '../../shared/descriptions/common';
import type { ItemRun, ItemResult } from '../../shared/operation';
import { collectFromServers, readServer, type ServerChoice, serverField } from '../onServers';

export const needsControl = true;

export const menu = {
	name: 'Get Information',
	action: 'Get information about server',
	description: 'Get the versions, devices, memory and queue length of your ComfyUI',
};

export const toolText =
	'Gets information about the ComfyUI server, or about each server if there are several. Returns JSON: versions, devices, free and total memory in bytes, and the number of running and queued jobs. It creates no job and costs nothing.';

export const description: INodeProperties[] = [options(showForResource('server', 'getInfo'), [concurrency, serverField])];

export const settings = readServer;

async function readInfo(connection: ServerConnection, signal: AbortSignal): Promise<IDataObject> {
	const { control, maintenance } = requireEngine(connection, 'report its versions and memory');
	const { devices, ...info } = await maintenance.info({ signal });
	const { running, pending } = await control.queue({ signal });
	return {
		interface: connection.interface,
		...info,
		devices: devices as unknown as IDataObject[],
		running: running.length,
		queued: pending.length,
	};
}

/** Returns the versions, devices and memory of ComfyUI in bytes, and the number of its unfinished jobs. */
export const execute = async (item: ItemRun, settings: ServerChoice): Promise<ItemResult[]> =>
	await collectFromServers(item, settings, async (connection) => await readInfo(connection, item.signal));
