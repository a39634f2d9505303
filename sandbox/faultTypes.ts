/** The faults that a test can inject into requests. */
import type { Surface } from './vocabulary';

export interface FaultRule {
	/** Method and path: `POST /api/v2/jobs`, `GET /api/v2/jobs/:id`, `GET *`, `* /api/v2/*`. Mount prefix and query left out. */
	on: string;
	surface?: Surface;
	/** How many matching requests are hit. Default 1; `Infinity` for all. */
	times?: number;
	/** How many matching requests are spared first. Default 0. */
	skip?: number;
	/** Answered in place of the service, before it looks at the request. */
	answer?: FaultAnswer;
	/** The answer goes out in place of the service's own, after it has done its work. */
	late?: boolean;
	fault?: Fault;
}

export interface FaultAnswer {
	status: number;
	/** `error.code` of the envelope. Without one, and without a body below, the answer has no body. */
	code?: string;
	message?: string;
	/** `error.details`; left out of the envelope when undefined. */
	details?: unknown;
	/** Seconds, or an HTTP date. */
	retryAfter?: number | string;
	headers?: Record<string, string>;
	/** Sent as JSON in place of the envelope. */
	json?: unknown;
	/** Sent as it is; `Content-Type` from `headers`. */
	body?: string | Uint8Array;
	/** A web page, as an intermediary sends. */
	html?: boolean;
	/** JSON that ends in the middle, under a matching Content-Length. */
	badJson?: boolean;
}

export type Fault =
	/** The socket is destroyed; the service never sees the request. */
	| { kind: 'drop_before' }
	/** The service does its work, but the socket is destroyed in place of the answer. */
	| { kind: 'drop_after' }
	/** The answer's body is cut after this many bytes, under its full Content-Length. */
	| { kind: 'truncate'; afterBytes: number }
	/** The service does its work, then the answer pauses after this many body bytes (default 0) for `ms` (default: for good). */
	| { kind: 'stall'; ms?: number; afterBytes?: number }
	/** The service looks at the request only after this time. */
	| { kind: 'delay'; ms: number }
	/**
	 * An intermediary takes in the whole request and loses it: the caller's socket is destroyed, or gets the rule's answer,
	 * and the service gets the request only after this time. For JSON bodies.
	 */
	| { kind: 'late_delivery'; ms: number }
	/** An intermediary delivers the request twice; the caller gets the second answer. For JSON bodies. */
	| { kind: 'duplicate' }
	/** On storage: the link counts as expired. On a service surface: the answer's signed links have expired already. */
	| { kind: 'expired_link' }
	/** An event stream: the socket is destroyed after this many events. */
	| { kind: 'lost_stream'; afterEvents: number }
	/** An event stream: nothing more is sent after this many events (default 0), keep-alives included. */
	| { kind: 'silent_stream'; afterEvents?: number }
	/** An event stream: it ends with a frame `error` that carries an envelope with this code, after this many events (default 0). */
	| { kind: 'error_event'; code: string; afterEvents?: number }
	/**
	 * An event stream: it sends the state at the start, then only keep-alives; each one looks whether the job has ended. The API
	 * proxy does so for a job that ends before the proxy is connected to ComfyUI's socket.
	 */
	| { kind: 'missed_end' }
	/** An event stream: the progress in its state at the start has this value, which may be an older one. */
	| { kind: 'old_progress'; value: number }
	/** A WebSocket: the TCP connection is destroyed after this many frames, 0 for right after the upgrade. */
	| { kind: 'lost_socket'; afterFrames: number }
	/** A WebSocket: half-open after this many frames (default 0). TCP stays, but no frame, ping, pong or close comes any more. */
	| { kind: 'silent_socket'; afterFrames?: number }
	/** A WebSocket: malformed and unknown frames after this many good ones (default 0), then it goes on normally. */
	| { kind: 'garbage_socket'; afterFrames?: number }
	/** A WebSocket: one binary frame of this many bytes after this many good ones (default 0). */
	| { kind: 'oversized_frame'; bytes: number; afterFrames?: number }
	/** A job read answers `expired`, as a self-hosted proxy does when a job ends between its two looks at the engine. */
	| { kind: 'false_expired' };

export interface FaultHandle {
	/** How many requests it has hit. */
	readonly used: number;
	remove(): void;
}
