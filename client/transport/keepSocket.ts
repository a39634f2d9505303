import { clock } from '../async/clock';
import { isGateway404, mayPass } from '../contact/failures';
import { POLICIES, type RetryPolicy } from '../contact/policy';
import { RetrySeries } from '../contact/retry';
import { logDecision } from '../log/observer';
import { delay } from '../async/delay';
import { outcomeOf } from '../async/outcome';
import { type HttpResponse, isHtmlType } from './response';
import { holdSocket, socketAddress, type SocketListener, SocketRejectedError, type SocketSettings } from './webSocket';

export interface KeptSocketSettings extends Omit<SocketSettings, 'url'> {
	/** Called for each new socket. */
	url: () => URL;
	/** Called when the socket with this address has closed. */
	onClosed?: (url: URL) => void;
	/** Reads a response of 400 or above as an error of the interface. */
	readError: (response: HttpResponse) => Promise<Error>;
	retry?: Partial<RetryPolicy>;
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
	const series = new RetrySeries({ policy: { ...POLICIES.socket, ...settings.retry } });
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
		const retryInMs = series.pauseMsAfter(error, { lastedMs, mayHelp: mayPass(error) && !isGateway404(error) });
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
