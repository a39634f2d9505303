import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

import type { Sandbox } from '../../../sandbox';

/** A request came in, or its answer was handed over whole. */
export interface Moment {
	request: string;
	phase: 'came in' | 'was answered';
	at: number;
}

const CHANNELS = { 'http.server.request.start': 'came in', 'http.server.response.finish': 'was answered' } as const;

const ID = /[0-9a-f]{8}-[0-9a-f-]{20,}/g;

/** Tells each moment of the sandbox's requests, in the middle of it. */
export function listenTo({ urls }: Sandbox, told: (moment: Moment) => void): () => void {
	const ports = new Set(Object.values(urls).map((url) => Number(new URL(url).port)));
	const listeners = Object.entries(CHANNELS).map(([channel, phase]) => {
		const listener = (message: unknown): void => {
			const { method, url = '', socket } = (message as { request: IncomingMessage }).request;
			if (!ports.has(socket.localPort ?? 0)) return;
			told({ request: `${method} ${url.replace(/\?.*/, '').replaceAll(ID, '…')}`, phase, at: performance.now() });
		};
		subscribe(channel, listener);
		return { channel, listener };
	});
	return () => listeners.forEach(({ channel, listener }) => void unsubscribe(channel, listener));
}
