import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { requireEngine } from '../../shared/connect/openConnection';
import { concurrency, options, showForResource } from '../../shared/descriptions/common';
import type { ItemContext, ItemResult } from '../../shared/operation';

export const needsControl = true;

export const description: INodeProperties[] = [options(showForResource('server', 'getInfo'), [concurrency])];

export const settings = (): object => ({});

/** Returns the versions, devices and memory of ComfyUI in bytes, and the number of its unfinished jobs. */
export async function execute({ connection, signal }: ItemContext<object>): Promise<ItemResult> {
	const { control, maintenance } = requireEngine(connection, 'report its versions and memory');
	const { devices, ...info } = await maintenance.info({ signal });
	const { running, pending } = await control.queue({ signal });
	return {
		json: {
			interface: connection.interface,
			...info,
			devices: devices as unknown as IDataObject[],
			running: running.length,
			queued: pending.length,
		},
	};
}
