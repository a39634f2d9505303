import { clock } from '../clock';
import { ConnectionError } from '../errors';
import { logDecision } from '../observer';
import { delay } from './delay';
import { outcomeOf } from './outcome';
import { type HttpResponse, isHtmlType } from './response';
import { addJitter, type GrowingPause, growingPauseMs, isTransient, retryAfterOf } from './retry';
import { holdSocket, socketAddress, type SocketListener, SocketRejectedError, type SocketSettings } from './webSocket';

export interface KeptSocketSettings extends Omit<SocketSettings, 'url'> {
	/** Called for each new socket. */
	url: () => URL;
	/** Called when the socket with this address has closed. */
	onClosed?: (url: URL) => void;
	/** Reads a response of 400 or above as an error of the interface. */
	readError: (response: HttpResponse) => Promise<Error>;
	retry?: Partial<BackoffTimes>;
}

export interface KeptSocketListener extends SocketListener {
	/** The socket was lost or could not be opened. The next attempt follows after `retryInMs`. Never a StoppedError. */
	onDown(error: unknown, retryInMs: number): void;
}

/**
 * Keeps a WebSocket open: opens it again whenever it is lost. Resolves when the signal has fired and the socket is
 * closed.
 */
export async function keepSocket(settings: KeptSocketSettings, listener: KeptSocketListener, signal: AbortSignal): Promise<void> {
	const backoff = new Backoff({ ...BACKOFF_TIMES, ...settings.retry });
	while (!signal.aborted) {
		let openedAt: number | undefined;
		const onOpen = (): void => {
			openedAt = clock.now();
			listener.onOpen();
		};
		const url = settings.url();
		const outcome = await outcomeOf(holdSocket({ ...settings, url }, { ...listener, onOpen }, signal));
		settings.onClosed?.(url);
		const address = socketAddress(url);
		if (outcome.ok || signal.aborted) {
			if (openedAt !== undefined) logDecision({ kind: 'socket_closed', address });
			return;
		}
		const lastedMs = openedAt && clock.now() - openedAt;
		const error = await toSocketError(outcome.error, settings);
		const retryInMs = backoff.pauseMs(error, lastedMs);
		logDecision({ kind: 'socket_down', address, openMs: lastedMs, retryInMs, error });
		listener.onDown(error, retryInMs);
		await outcomeOf(delay(retryInMs, signal));
	}
}

/** A server that answers an upgrade request with a plain success does not speak WebSocket. */
async function toSocketError(error: unknown, { readError: refusalOf }: KeptSocketSettings): Promise<unknown> {
	if (!(error instanceof SocketRejectedError)) return error;
	const { response } = error;
	if (response.status < 400) return response.unreadable(isHtmlType(response.contentType) ? 'html' : 'unexpected');
	const refusal = await outcomeOf(refusalOf(response));
	return refusal.ok ? refusal.value : refusal.error;
}

export interface BackoffTimes extends GrowingPause {
	/** The pause in milliseconds if an early retry cannot help: a wrong key, or an address without a WebSocket. */
	rejectedMs: number;
	/** After a connection of this length, the pauses start again from the shortest. */
	stableMs: number;
}

export const BACKOFF_TIMES: Readonly<BackoffTimes> = { firstMs: 1_000, longestMs: 60_000, rejectedMs: 300_000, stableMs: 10_000 };

/** How long to pause before connecting again. */
export class Backoff {
	private failures = 0;

	constructor(private readonly times: BackoffTimes) {}

	/**
	 * @param lastedMs how long the connection was open; undefined if it never opened.
	 * @returns the pause in milliseconds.
	 */
	pauseMs(error: unknown, lastedMs: number | undefined): number {
		const { firstMs, rejectedMs, stableMs } = this.times;
		if (!isTemporary(error)) return addJitter(rejectedMs);
		if (lastedMs !== undefined && lastedMs >= stableMs) {
			this.failures = 0;
			return firstMs * Math.random();
		}
		const pause = addJitter(growingPauseMs(this.times, this.failures));
		this.failures += 1;
		return Math.max(pause, retryAfterOf(error) ?? 0);
	}
}

/** A TLS failure counts as temporary, because a certificate may be renewed at any moment. */
const isTemporary = (error: unknown): boolean => isTransient(error) || (error instanceof ConnectionError && error.trouble === 'tls');
