import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { freeMemory, type FreeRequest, freeVram, type ServerConnection, type ServerInfo } from '../../../client';
import { requireEngine } from '../../shared/connect/openConnection';
import { concurrency, options, showForResource } from '../../shared/descriptions/common';
import { requireChoice } from '../../shared/itemFault';
import { freeMemoryWait } from '../../shared/jobs/freeMemoryOptions';
import { readOptions } from '../../shared/options';
import { requireRoute } from './requireRoute';
import type { ItemRun, ItemResult } from '../../shared/operation';
import type { ReadParameter } from '../../shared/parameters';
import { collectFromServers, readServer, type ServerChoice, serverField } from '../onServers';

type FreeSettings = FreeRequest & ServerChoice;

export const needsControl = true;

const show = showForResource('server', 'freeMemory');

export const menu = {
	name: 'Free Memory',
	action: 'Free memory of server',
	description: 'Unload the models of your ComfyUI, for example before another program uses the GPU',
};

export const toolText =
	'Unloads the models of ComfyUI from memory, for example before another program uses the GPU. Returns JSON with the free memory in bytes before and after. The field freed is "now", or "after_current_job" if a job is running. The field is_final is false if the free memory may still change. The next job is slower, because it loads its models again.';

export const description: INodeProperties[] = [
	{
		displayName: 'Free',
		name: 'free',
		type: 'options',
		options: [
			{
				name: 'Models',
				value: 'models',
				description: 'Unload the models from memory. ComfyUI loads them again when a job needs them.',
			},
			{
				name: 'Models and Caches',
				value: 'modelsAndCaches',
				description: 'Unload the models, and delete the results that ComfyUI keeps to skip nodes that did not change',
			},
		],
		default: 'models',
		description: 'What to remove from the memory of ComfyUI. If a job is running, this happens when the job ends.',
		displayOptions: show,
	},
	options(show, [concurrency, serverField, freeMemoryWait]),
];

export function settings(read: ReadParameter): FreeSettings {
	const free = requireChoice(read<unknown>('free', 'models'), ['models', 'modelsAndCaches'], 'Free');
	return { caches: free === 'modelsAndCaches', ...readOptions({ maxWaitMs: freeMemoryWait }, read), ...readServer(read) };
}

const memoryOf = (info: ServerInfo): IDataObject => ({ vram_free: freeVram(info), ram_free: info.ram_free });

async function free(connection: ServerConnection, request: FreeRequest, signal: AbortSignal): Promise<IDataObject> {
	const engine = requireEngine(connection, 'free memory');
	const { before, after, queue, isBusy, isFinal } = await requireRoute('free memory', freeMemory(engine, request, { signal }));
	const { running, pending } = queue;
	return {
		interface: connection.interface,
		freed: isBusy ? 'after_current_job' : 'now',
		is_final: isFinal,
		running: running.length,
		queued: pending.length,
		before: memoryOf(before),
		after: memoryOf(after),
	};
}

/** Returns the memory before and after in bytes. */
export const execute = async (item: ItemRun, settings: FreeSettings): Promise<ItemResult[]> =>
	await collectFromServers(item, settings, async (connection) => await free(connection, settings, item.signal));
