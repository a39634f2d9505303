import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { type ServerConnection, delay, type ServerInfo, type ServerMaintenance } from '../../../client';
import { requireEngine } from '../../shared/connect/openConnection';
import { concurrency, options, showForResource } from '../../shared/descriptions/common';
import { requireChoice } from '../../shared/itemFault';
import { requireRoute } from '../../shared/messages/maintenance';
import type { ItemContext, ItemResult } from '../../shared/operation';
import type { ReadParameter } from '../../shared/parameters';
import { collectFromServers, readServer, type ServerChoice, serverField } from '../onServers';

interface FreeSettings extends ServerChoice {
	caches: boolean;
}

export const needsControl = true;

const show = showForResource('server', 'freeMemory');

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
	options(show, [concurrency, serverField]),
];

export function settings(read: ReadParameter): FreeSettings {
	const free = requireChoice(read<unknown>('free', 'models'), ['models', 'modelsAndCaches'], 'Free');
	return { caches: free === 'modelsAndCaches', ...readServer(read) };
}

/** ComfyUI frees memory shortly after its answer. */
const READ_AGAIN_MS = 250;
const MOST_READS = 8;

/** Returns the sum over all devices in bytes, or null if ComfyUI does not report it. */
function freeVram({ devices }: ServerInfo): number | null {
	const known = devices.flatMap(({ vram_free }) => (vram_free === null ? [] : [vram_free]));
	return known.length === 0 ? null : known.reduce((sum, bytes) => sum + bytes, 0);
}

const memoryOf = (info: ServerInfo): IDataObject => ({ vram_free: freeVram(info), ram_free: info.ram_free });

const hasMoreVram = (after: ServerInfo, before: ServerInfo): boolean => Number(freeVram(after)) > Number(freeVram(before));

/** Reads the memory until more is free than before, for at most two seconds. */
async function readFreed(maintenance: ServerMaintenance, before: ServerInfo, signal: AbortSignal): Promise<ServerInfo> {
	let after = await maintenance.info({ signal });
	for (let reads = 1; reads < MOST_READS && !hasMoreVram(after, before); reads++) {
		await delay(READ_AGAIN_MS, signal);
		after = await maintenance.info({ signal });
	}
	return after;
}

/** The queue is read after the request, because jobs may end before it arrives. */
async function freeMemory(connection: ServerConnection, { caches }: FreeSettings, signal: AbortSignal): Promise<IDataObject> {
	const { control, maintenance } = requireEngine(connection, 'free memory');
	const before = await maintenance.info({ signal });
	await requireRoute('free memory', maintenance.freeMemory({ caches }, { signal }));
	const { running, pending } = await control.queue({ signal });
	const isBusy = running.length + pending.length > 0;
	const after = isBusy ? await maintenance.info({ signal }) : await readFreed(maintenance, before, signal);
	return {
		interface: connection.interface,
		freed: isBusy ? 'after_current_job' : 'now',
		running: running.length,
		queued: pending.length,
		before: memoryOf(before),
		after: memoryOf(after),
	};
}

/** Returns the memory before and after in bytes. */
export const execute = async (context: ItemContext<FreeSettings>): Promise<ItemResult[]> =>
	await collectFromServers(context, async (connection) => await freeMemory(connection, context.settings, context.signal));
