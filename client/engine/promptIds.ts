import { randomUUID } from 'node:crypto';

import { derivedId, isDerivedId } from '../text/identifiers';
import { toLabels } from '../ports/madeBy';
import type { CallOptions, NewJob } from '../ports/jobService';
import { CLOCK_SKEW_MS } from '../recovery/searchRequest';
import type { EngineApi } from './api';
import { decodeHistory, decodeQueueEntries, extraDataIn, type PromptEntry, promptId, promptIn, startedAt } from './history';

/** Returns the id to request for a prompt. Engines let the caller choose it, so the same key always gives the same job. */
export function toPromptId(key: string | undefined): string {
	if (key === undefined) return randomUUID();
	return isDerivedId(key) ? key : derivedId(key);
}

/**
 * The field of a submission with the requested id. Engines before 2025-07 give every prompt an id of their own, but
 * keep this field.
 */
const REQUESTED_ID_FIELD = 'client_prompt_id';

export const withPromptId = (jobId: string, newJob: NewJob): NewJob => ({
	...newJob,
	extraData: { ...newJob.extraData, ...toLabels(newJob.madeBy), [REQUESTED_ID_FIELD]: jobId },
});

/** Returns the requested and the actual id of a prompt; empty if another program sent it. */
function findAssignedIds(entry: PromptEntry): Array<[requested: string, assigned: string]> {
	const [requested, assigned] = [extraDataIn(entry)?.[REQUESTED_ID_FIELD], promptId(entry)];
	return typeof requested === 'string' && assigned !== undefined ? [[requested, assigned]] : [];
}

/**
 * The number of newest history entries to read. The second read follows if the first does not go back far enough. Each
 * entry contains its whole graph.
 */
const HISTORY_READ_SIZES = [100, 1_000];

/** The actual ids of prompts that requested other ids. */
export interface AssignedIds {
	/** By requested id. */
	ids: ReadonlyMap<string, string>;
	/** Whether all prompts since the assigned time are included. */
	isComplete: boolean;
}

/**
 * Whether a time of the engine is certainly before one of ours. Call it after a response, because the response shows
 * how far the engine's clock is behind.
 */
export const isCertainlyBefore = (api: EngineApi, moment: number | undefined, since: number): boolean =>
	(moment ?? Infinity) < certainTime(api, since);

/** Returns a time of the engine that is certainly before one of ours. */
export const certainTime = (api: EngineApi, since: number): number =>
	api.isClockKnown ? api.serviceTime(since) - CLOCK_SKEW_MS : -Infinity;

/**
 * Searches the queue and the history since this time (epoch milliseconds). It stops as soon as the prompt with
 * the id `wantedId` is found.
 */
export async function readAssignedIds(
	api: EngineApi,
	{ since, wantedId }: { since?: number; wantedId?: string },
	options: CallOptions,
): Promise<AssignedIds> {
	const ids = new Map((await api.read(api.url('/queue'), decodeQueueEntries, options)).flatMap(findAssignedIds));
	for (const size of since === undefined ? HISTORY_READ_SIZES.slice(0, 1) : HISTORY_READ_SIZES) {
		if (wantedId !== undefined && ids.has(wantedId)) break;
		const entries = await api.read(api.url(`/history?max_items=${size}`), decodeHistory, options);
		for (const [, entry] of entries) for (const [requested, assigned] of findAssignedIds(promptIn(entry))) ids.set(requested, assigned);
		// An engine runs one prompt after another. A prompt that finished before one that started then was also sent
		// before.
		const goesBackFarEnough = since !== undefined && entries.some(([, entry]) => isCertainlyBefore(api, startedAt(entry), since));
		if (goesBackFarEnough || entries.length < size) return { ids, isComplete: true };
	}
	return { ids, isComplete: false };
}
