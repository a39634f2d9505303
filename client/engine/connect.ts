import type { ConnectSettings } from '../connect';
import { openParts } from '../openParts';
import { V1Api } from '../v1/api';
import { openFeed } from '../v1/connect';
import { outputDecoder } from '../v1/outputs';
import { viewLink } from '../v1/view';
import type { OpenWatch } from '../watch/openWatch';
import { decodeHistory, decodeQueue } from './history';
import { type EngineReads, watchEngine } from './watch';

/** Enough for what ends between two looks, and for what ended while nobody looked. */
const HISTORY_ENTRIES = 64;

/** A bare ComfyUI at `baseUrl`. Its routes are v1's, without accounts: no credential is sent. */
export function openEngine(settings: Omit<ConnectSettings, 'interface' | 'token'>, jobIds: readonly string[]): OpenWatch {
	const access = { ...settings, interface: 'v1', token: undefined } as const;
	const parts = openParts(access);
	const api = new V1Api(parts.http, parts.address, parts.limits);
	const decodeOutputs = outputDecoder((file) => viewLink(api, file));
	const feed = openFeed(access, parts, api, decodeOutputs);
	const history = async (path: string, signal: AbortSignal) => await api.read(api.url(path), (json) => decodeHistory(json, decodeOutputs), { signal });
	const reads: EngineReads = {
		queue: async (signal) => await api.read(api.url('/queue'), decodeQueue, { signal }),
		history: async (signal) => await history(`/history?max_items=${HISTORY_ENTRIES}`, signal),
		endedJob: async (jobId, signal) => (await history(`/history/${encodeURIComponent(jobId)}`, signal))[0],
	};
	return {
		watch: watchEngine(reads, feed, jobIds),
		verifyAccess: async (options) => void (await api.read(api.url('/queue'), decodeQueue, options)),
		close: async () => void (await Promise.all([feed.close(), parts.http.close()])),
	};
}
