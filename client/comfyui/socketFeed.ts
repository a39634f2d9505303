import { untilStopped } from '../async/stoppableWait';
import type { ServiceApi } from '../requests/serviceApi';
import { clock } from '../async/clock';
import type { ConnectSettings } from '../connection/connection';
import { type ConnectionParts, toCredentialHeaders } from '../connection/parts';
import type { JobEvent } from '../ports/job';
import { runAsShared } from '../log/observer';
import type { FeedListener, JobFeed } from '../ports/jobService';
import { keepSocket, type KeptSocketSettings } from '../transport/keepSocket';
import { outcomeOf } from '../async/outcome';
import { Cache } from '../cache/cache';
import type { Frame } from './frames/frame';
import { readFrame } from './frames/readFrame';
import type { OutputDecoder } from './outputs';
import type { JobFromEvents } from './progress/jobProgressTracker';
import { type AddressedEvent, TrackedJobs } from './progress/trackedJobs';

export interface SocketFeedSettings extends KeptSocketSettings {
	decodeOutputs: OutputDecoder;
	onOpen(): void;
	/** Fires when the connection is closed. */
	closed: AbortSignal;
}

/** The status of an older job is read again. */
const MOST_EXPECTED = 10_000;

type SocketState = { kind: 'connecting' } | { kind: 'open' } | { kind: 'down'; error: unknown; retryAt: number };

/** The connection that all followers share. */
interface SharedSocket {
	readonly closing: AbortController;
	/** Resolves when the socket is closed and will not be opened again. */
	readonly closed: Promise<void>;
	state: SocketState;
}

/**
 * The live events of an account or engine, and what they said about each job so far. All followers share one socket, which is
 * open from the first follower to the last.
 */
export class SocketFeed implements JobFeed {
	private readonly jobs: TrackedJobs;
	/** Wrapped, so that one listener may follow twice. */
	private readonly followers = new Set<{ listener: FeedListener }>();
	private socket?: SharedSocket;
	/** Jobs that were submitted in this session. */
	private readonly expected = new Cache<string, true>({ mostEntries: MOST_EXPECTED });
	/** Identifies the socket that is open now; another object for each socket. */
	session: object | undefined = undefined;

	constructor(private readonly settings: SocketFeedSettings) {
		this.jobs = new TrackedJobs(settings.decodeOutputs);
	}

	/**
	 * Resolves when the signal has fired, or the connection is closed; for the last follower, when the socket is closed as well.
	 * After that it opens nothing.
	 */
	async follow(listener: FeedListener, signal?: AbortSignal): Promise<void> {
		if (signal?.aborted || this.settings.closed.aborted) return;
		const follower = { listener };
		this.followers.add(follower);
		const socket = (this.socket ??= this.openSocket());
		reportState(socket.state, listener);
		await outcomeOf(untilStopped(socket.closed, signal));
		this.followers.delete(follower);
		if (this.followers.size === 0) await this.close();
	}

	/** @returns undefined if no event of the job arrived, or if it was too long ago. */
	jobFromEvents(jobId: string): JobFromEvents | undefined {
		return this.jobs.jobFromEvents(jobId);
	}

	/** Call this after a submission, with the session from before it: no event of the job is missed while that socket is open. */
	expectJob(jobId: string, session: object | undefined): void {
		if (session !== undefined && session === this.session) this.expected.set(jobId, true);
	}

	/** Returns whether the job has not ended, and none of its events can have been missed. */
	hasAllEvents(jobId: string): boolean {
		return !this.jobs.hasEnded(jobId) && (this.expected.has(jobId) || this.isTrackedFromStart(jobId));
	}

	/** Returns whether no event can have been missed since the job began to run. */
	isTrackedFromStart(jobId: string): boolean {
		return this.jobs.isTrackedFromStart(jobId);
	}

	setTotal(jobId: string, nodes: number): JobEvent | undefined {
		return this.jobs.setTotal(jobId, nodes);
	}

	/** Ends all followers, and closes the socket. */
	async close(): Promise<void> {
		const { socket } = this;
		if (!socket) return;
		this.socket = undefined;
		this.followers.clear();
		this.endSession();
		socket.closing.abort();
		await socket.closed;
	}

	private openSocket(): SharedSocket {
		const closing = new AbortController();
		const listener = {
			onOpen: () => this.handleOpen(socket),
			onMessage: (data: string | Uint8Array) => this.handleMessage(data),
			onDown: (error: unknown, retryInMs: number) => this.handleDown(socket, error, retryInMs),
		};
		const closed = runAsShared(async () => await keepSocket(this.settings, listener, closing.signal));
		const socket: SharedSocket = { closing, closed, state: { kind: 'connecting' } };
		return socket;
	}

	private endSession(): void {
		this.session = undefined;
		this.expected.clear();
		this.jobs.markGap();
	}

	private handleOpen(socket: SharedSocket): void {
		socket.state = { kind: 'open' };
		this.session = {};
		this.settings.onOpen();
		this.notify((listener) => listener.onConnect());
	}

	private handleDown(socket: SharedSocket, error: unknown, retryInMs: number): void {
		socket.state = { kind: 'down', error, retryAt: clock.now() + retryInMs };
		this.endSession();
		this.notify((listener) => listener.onTrouble(error, retryInMs));
	}

	private handleMessage(data: string | Uint8Array): void {
		const { frame, raw } = readFrame(data);
		// A damaged text message may have contained anything, also an output.
		if (frame.kind === 'malformed' && typeof data === 'string') this.jobs.markGap();
		for (const { event, jobId } of this.toEvents(frame)) this.notify((listener) => listener.onEvent(event, jobId, raw));
	}

	/** Catches every error, because an error in a socket's listener would end the whole process. */
	private toEvents(frame: Frame): AddressedEvent[] {
		try {
			return this.jobs.handle(frame);
		} catch {
			this.jobs.markGap();
			return this.jobs.handle({ kind: 'malformed', reason: `a frame of kind ${frame.kind} is unusable` });
		}
	}

	private notify(call: (listener: FeedListener) => void): void {
		for (const { listener } of this.followers) ignoreErrors(() => call(listener));
	}
}

/** Reports the state that a new follower missed. */
function reportState(state: SocketState, listener: FeedListener): void {
	if (state.kind === 'open') ignoreErrors(() => listener.onConnect());
	if (state.kind === 'down') ignoreErrors(() => listener.onTrouble(state.error, Math.max(0, state.retryAt - clock.now())));
}

/** An error in one listener must not affect the others, and must not close the connection. */
function ignoreErrors(call: () => void): void {
	try {
		call();
	} catch {
		// The listener handles its own errors.
	}
}

/** A connection that misses this many heartbeats is closed. */
const PINGS_BEFORE_DEAD = 3;

export interface SocketId {
	/** Returns the id for a new socket. */
	take(): string;
	/** Called when the socket with this id is closed. */
	release?(id: string): void;
}

/**
 * Returns the feed of a connection. It connects when the first listener follows.
 * @param clientId the hosted service ignores it, but its documentation requires one.
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
		headers: settings.interface === 'engine' ? toCredentialHeaders(settings, key) : undefined,
		rejectUnauthorized: settings.rejectUnauthorized,
		limits: { idleMs: limits.streamIdleMs, pingEveryMs: limits.streamIdleMs / PINGS_BEFORE_DEAD },
		readError: async (response) => await api.readError(response),
		decodeOutputs,
		onOpen: () => api.http.contact?.noteAnswer({ status: 101, isHtml: false }),
		closed: api.http.closed,
	});
}
