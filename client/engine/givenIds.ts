import { CLOCK_SKEW_MS } from '../recovery/searchRequest';
import type { CallOptions } from '../ports';
import type { EngineApi } from './api';
import { begunAt, entriesIn } from './history';
import { entriesOfQueue, promptOf } from './promptEntry';
import { givenIdIn } from './promptId';

/**
 * So many of the newest entries of a history are read: the second, where the first do not reach back far enough. Each
 * entry holds its whole graph.
 */
const READ_THROUGH = [100, 1_000];

/** The ids that an engine gave to prompts that asked for others. */
export interface GivenIds {
	/** By what was asked for. */
	ids: ReadonlyMap<string, string>;
	/** Whether no prompt is missing that came since then. */
	areAll: boolean;
}

/**
 * Whether a moment of the engine's is surely before one of ours. An answer must have come: by that the engine's clock is known.
 */
export const isBefore = (api: EngineApi, moment: number | undefined, since: number): boolean =>
	(moment ?? Infinity) < api.serviceTime(since) - CLOCK_SKEW_MS;

/** Of the queue and the history since then (epoch milliseconds); no further than to the one that is wanted. */
export async function readGivenIds(
	api: EngineApi,
	{ since, wanted }: { since?: number; wanted?: string },
	options: CallOptions,
): Promise<GivenIds> {
	const ids = new Map((await api.read(api.url('/queue'), entriesOfQueue, options)).flatMap(givenIdIn));
	for (const most of since === undefined ? READ_THROUGH.slice(0, 1) : READ_THROUGH) {
		if (wanted !== undefined && ids.has(wanted)) break;
		const entries = await api.read(api.url(`/history?max_items=${most}`), entriesIn, options);
		for (const [, entry] of entries) for (const [asked, given] of givenIdIn(promptOf(entry))) ids.set(asked, given);
		// An engine runs one prompt after another: what has ended before one that began then was sent before.
		const reachBack = since !== undefined && entries.some(([, entry]) => isBefore(api, begunAt(entry), since));
		if (reachBack || entries.length < most) return { ids, areAll: true };
	}
	return { ids, areAll: false };
}
