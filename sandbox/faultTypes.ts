/** The faults that a test can inject into requests. */
import type { Surface } from './vocabulary';

export interface FaultRule {
	/** Method and path, without mount prefix and query: `POST /api/v2/jobs`, `GET /api/v2/jobs/:id`, `GET *`, `* /api/v2/*`. */
	on: string;
	surface?: Surface;
	/** To how many matching requests the rule applies. Default 1; `Infinity` for all. */
	times?: number;
	/** How many matching requests to skip first. Default 0. */
	skip?: number;
	/** Sent instead of the service's own answer, before the service reads the request. */
	answer?: FaultAnswer;
	/** The answer replaces the service's own after the service has processed the request. */
	late?: boolean;
	fault?: Fault;
}

export interface FaultAnswer {
	status: number;
	/** `error.code` of the envelope. If it and all bodies below are absent, the answer has no body. */
	code?: string;
	message?: string;
	/** `error.details`; left out of the envelope when undefined. */
	details?: unknown;
	/** Seconds, or an HTTP date. */
	retryAfter?: number | string;
	headers?: Record<string, string>;
	/** Sent as JSON instead of the envelope. */
	json?: unknown;
	/** Sent unchanged. `headers` can set its `Content-Type`. */
	body?: string | Uint8Array;
	/** The body is sent without its length. */
	isChunked?: true;
	/** A web page, as an intermediary sends it. */
	html?: boolean;
	/** Truncated JSON with a matching Content-Length. */
	badJson?: boolean;
}

export type Fault =
	/** The socket is destroyed; the service never sees the request. */
	| { kind: 'drop_before' }
	/** The service processes the request, but the socket is destroyed instead of an answer. */
	| { kind: 'drop_after' }
	/** The answer's body is cut after this many bytes. Content-Length announces the whole body. */
	| { kind: 'truncate'; afterBytes: number }
	/** The service processes the request. Its answer pauses after this many body bytes (default 0) for `ms` (default: forever). */
	| { kind: 'stall'; ms?: number; afterBytes?: number }
	/** The service reads the request only after this time. */
	| { kind: 'delay'; ms: number }
	/**
	 * An intermediary receives the whole request, then destroys the caller's socket or sends the rule's answer. The service gets
	 * the request only after this time. For JSON bodies.
	 */
	| { kind: 'late_delivery'; ms: number }
	/** An intermediary delivers the request twice; the caller gets the second answer. For JSON bodies. */
	| { kind: 'duplicate' }
	/** On storage: the link counts as expired. On a service surface: the signed links in the answer have already expired. */
	| { kind: 'expired_link' }
	/**
	 * An event stream: it sends the state at the start, then only keep-alives. At each keep-alive it checks whether the job has
	 * ended. The API proxy does so for a job that ends before the proxy is connected to ComfyUI's socket.
	 */
	| { kind: 'missed_end' }
	/** A WebSocket: the TCP connection is destroyed after this many frames, 0 for right after the upgrade. */
	| { kind: 'lost_socket'; afterFrames: number }
	/** A WebSocket: half-open after this many frames (default 0). TCP stays open, but no frame, ping, pong or close is sent. */
	| { kind: 'silent_socket'; afterFrames?: number };

export interface FaultHandle {
	/** To how many requests the rule has applied. */
	readonly used: number;
	remove(): void;
}
