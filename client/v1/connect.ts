import { randomUUID } from 'node:crypto';

import type { ServiceApi } from '../api';
import type { Connection, ConnectSettings } from '../connect';
import { openParts, type ServiceParts } from '../openParts';
import type { OutputDecoder } from '../progress/gathered';
import { V1Account } from './account';
import { AccountFeed } from './accountFeed';
import { V1Api } from './api';
import { V1AssetStore } from './assets';
import { outputDecoder } from './outputs';
import { V1JobService } from './service';
import { verifyV1Access } from './verify';
import { nameInGraph, viewLink } from './view';

/** Misses that make a connection a dead one. */
const PINGS_BEFORE_DEAD = 3;

/** The v1 interface of the hosted surface. @see connect */
export function connectV1(settings: ConnectSettings): Connection {
	const parts = openParts(settings);
	const { http } = parts;
	const api = new V1Api(http, parts.address, parts.limits);
	const decodeOutputs = outputDecoder((file) => viewLink(api, file), nameInGraph);
	const feed = openFeed(settings, parts, api, decodeOutputs, { take: randomUUID });
	return {
		interface: 'v1',
		jobs: new V1JobService(api, parts.identity, feed, decodeOutputs),
		assets: new V1AssetStore(api),
		control: new V1Account(api),
		feed,
		verifyAccess: async (options) => {
			await verifyV1Access(api, options);
			return { interface: 'v1', version: null };
		},
		close: async () => void (await Promise.all([feed.close(), http.close()])),
	};
}

export interface SocketId {
	/** For a new socket. */
	take(): string;
	/** The socket with this id is gone. */
	release?(id: string): void;
}

/**
 * Connects only once somebody follows.
 * @param clientId the hosted service ignores it, and all its documents ask for one.
 */
export function openFeed(settings: ConnectSettings, { address, key, limits }: ServiceParts, api: ServiceApi, decodeOutputs: OutputDecoder, clientId: SocketId): AccountFeed {
	const url = (): URL => {
		const query = new URLSearchParams({ clientId: clientId.take(), ...(key !== '' && { token: key }) });
		return new URL(`${address.origin}${address.prefix}/ws?${query.toString()}`);
	};
	return new AccountFeed({
		...settings.egress,
		url,
		onGone: ({ searchParams }) => clientId.release?.(searchParams.get('clientId') ?? ''),
		headers: settings.authorization === undefined ? undefined : { authorization: settings.authorization },
		rejectUnauthorized: settings.rejectUnauthorized,
		limits: { idleMs: limits.streamIdleMs, pingEveryMs: limits.streamIdleMs / PINGS_BEFORE_DEAD },
		refusalOf: async (response) => await api.refusalOf(response),
		decodeOutputs,
		onOpen: () => api.hasAnswered(),
	});
}
