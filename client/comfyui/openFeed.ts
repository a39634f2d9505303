import type { ServiceApi } from '../api';
import type { ConnectSettings } from '../connection';
import type { ConnectionParts } from '../connectionParts';
import type { OutputDecoder } from './outputs';
import { SocketFeed } from './socketFeed';

/** Misses that make a connection a dead one. */
const PINGS_BEFORE_DEAD = 3;

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
export function openFeed(
	settings: ConnectSettings,
	{ address, key, limits }: ConnectionParts,
	api: ServiceApi,
	decodeOutputs: OutputDecoder,
	clientId: SocketId,
): SocketFeed {
	const url = (): URL => {
		const query = new URLSearchParams({ clientId: clientId.take(), ...(key !== '' && { token: key }) });
		return new URL(`${address.origin}${address.prefix}/ws?${query.toString()}`);
	};
	return new SocketFeed({
		...settings.outboundNetwork,
		url,
		onClosed: ({ searchParams }) => clientId.release?.(searchParams.get('clientId') ?? ''),
		headers: settings.authorization === undefined ? undefined : { authorization: settings.authorization },
		rejectUnauthorized: settings.rejectUnauthorized,
		limits: { idleMs: limits.streamIdleMs, pingEveryMs: limits.streamIdleMs / PINGS_BEFORE_DEAD },
		readError: async (response) => await api.readError(response),
		decodeOutputs,
		onOpen: () => api.noteAnswer(),
	});
}
