import { clock } from '../clock';
import { decided } from '../observer';
import { delay } from './delay';
import { outcomeOf } from './outcome';
import { isHtmlType, type HttpResponse } from './response';
import { holdSocket, socketAddress, type SocketListener, SocketRefusedError, type SocketSettings } from './webSocket';
import { Backoff, BACKOFF_TIMES, type BackoffTimes } from './backoff';

export interface KeptSocketSettings extends Omit<SocketSettings, 'url'> {
	/** Asked anew for each socket. */
	url: () => URL;
	/** The socket with this address is gone. */
	onGone?: (url: URL) => void;
	/** What an answer of 400 and above means, in the words of the interface. */
	refusalOf: (response: HttpResponse) => Promise<Error>;
	retry?: Partial<BackoffTimes>;
}

export interface KeptSocketListener extends SocketListener {
	/** Lost, or not opened: it is tried again after `retryInMs`. Never a StoppedError. */
	onDown(error: unknown, retryInMs: number): void;
}

/** Opens a WebSocket, and opens it again whenever it is lost. Resolves once the signal has fired and all is closed. */
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
		settings.onGone?.(url);
		const address = socketAddress(url);
		if (outcome.ok || signal.aborted) {
			if (openedAt !== undefined) decided({ kind: 'socket_closed', address });
			return;
		}
		const lastedMs = openedAt && clock.now() - openedAt;
		const error = await meaningOf(outcome.error, settings);
		const retryInMs = backoff.pauseMs(error, lastedMs);
		decided({ kind: 'socket_down', address, openMs: lastedMs, retryInMs, error });
		listener.onDown(error, retryInMs);
		await outcomeOf(delay(retryInMs, signal));
	}
}

/** Whoever answers a request to upgrade as if it were a plain one is no socket. */
async function meaningOf(error: unknown, { refusalOf }: KeptSocketSettings): Promise<unknown> {
	if (!(error instanceof SocketRefusedError)) return error;
	const { response } = error;
	if (response.status < 400) return response.unreadable(isHtmlType(response.contentType) ? 'html' : 'unexpected');
	const refusal = await outcomeOf(refusalOf(response));
	return refusal.ok ? refusal.value : refusal.error;
}
