import type { ServerInfo } from '../../../client';

/** What distinguishes one ComfyUI from another. */
export interface ServerFacts {
	info: ServerInfo;
	/** The ids of its newest finished jobs. */
	newestJobIds: readonly string[];
}

/** Returns the facts that do not change while a server runs. The amount of free memory changes all the time. */
const staticFacts = ({ info, newestJobIds }: ServerFacts): string =>
	JSON.stringify([
		info.comfyui_version,
		info.python_version,
		info.pytorch_version,
		info.os,
		info.ram_total,
		info.start_arguments,
		info.devices.map(({ name, type, index, vram_total: memory }) => [name, type, index, memory]),
		newestJobIds,
	]);

/**
 * Whether two addresses lead to the same ComfyUI. Equal computers with equal versions are different servers unless they also
 * have run the same jobs. Without finished jobs, it is not known, and the result is false.
 */
export const isSameServer = (one: ServerFacts, other: ServerFacts): boolean =>
	one.newestJobIds.length > 0 && staticFacts(one) === staticFacts(other);
