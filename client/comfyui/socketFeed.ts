import { clock } from '../clock';
import type { JobEvent } from '../job';
import { runAsShared } from '../observer';
import type { FeedListener } from '../ports';
import { onAbort } from '../transport/abort';
import { keepSocket, type KeptSocketSettings } from '../transport/keepSocket';
import { type Frame, readFrame } from './frames';
import type { JobNews } from './jobNews';
import type { OutputDecoder } from './outputs';
import type { HeardOfJob } from './progress/heardOfJob';
import { type JobNewsItem, TrackedJobs } from './progress/trackedJobs';

export interface SocketFeedSettings extends KeptSocketSettings {
	decodeOutputs: OutputDecoder;
	onOpen(): void;
}

/** One shared connection, for as long as anybody follows. */
interface Line {
	readonly closing: AbortController;
	/** Resolves when it is closed for good. */
	readonly closed: Promise<void>;
	isOpen: boolean;
	trouble?: { error: unknown; retryAt: number };
}

/** Live news of all jobs of an account. However many follow, there is one socket: from the first to the last. */
export class SocketFeed implements JobNews {
	private readonly jobs: TrackedJobs;
	/** Wrapped, so that one listener may follow twice. */
	private readonly followers = new Set<{ listener: FeedListener }>();
	private line?: Line;
	/** Of this session. */
	private readonly expected = new Set<string>();
	session: object | undefined = undefined;

	constructor(private readonly settings: SocketFeedSettings) {
		this.jobs = new TrackedJobs(settings.decodeOutputs);
	}

	/** Resolves once the signal has fired, and for the last follower once the socket is closed. */
	async follow(listener: FeedListener, signal: AbortSignal): Promise<void> {
		if (signal.aborted) return;
		const follower = { listener };
		this.followers.add(follower);
		const line = (this.line ??= this.open());
		if (line.isOpen) quietly(() => listener.onConnect());
		else if (line.trouble) this.retell(line.trouble, listener);
		await firedOr(signal, line.closed);
		this.followers.delete(follower);
		if (this.followers.size === 0) await this.close();
	}

	heardOf(jobId: string): HeardOfJob | undefined {
		return this.jobs.heardOf(jobId);
	}

	expect(jobId: string, session: object | undefined): void {
		if (session !== undefined && session === this.session) this.expected.add(jobId);
	}

	hearsAll(jobId: string): boolean {
		return !this.jobs.hasEnded(jobId) && (this.expected.has(jobId) || this.wasHeardFromStart(jobId));
	}

	wasHeardFromStart(jobId: string): boolean {
		return this.jobs.wasHeardFromStart(jobId);
	}

	setTotal(jobId: string, nodes: number): JobEvent | undefined {
		return this.jobs.setTotal(jobId, nodes);
	}

	/** Ends whatever follows, and the socket. */
	async close(): Promise<void> {
		const { line } = this;
		if (!line) return;
		this.line = undefined;
		this.followers.clear();
		this.gap();
		line.closing.abort();
		await line.closed;
	}

	private open(): Line {
		const closing = new AbortController();
		const listener = {
			onOpen: () => this.connected(line),
			onMessage: (data: string | Uint8Array) => this.receive(data),
			onDown: (error: unknown, retryInMs: number) => this.lost(line, error, retryInMs),
		};
		const closed = runAsShared(async () => await keepSocket(this.settings, listener, closing.signal));
		const line: Line = { closing, isOpen: false, closed };
		return line;
	}

	private gap(): void {
		this.session = undefined;
		this.expected.clear();
		this.jobs.gap();
	}

	private connected(line: Line): void {
		line.isOpen = true;
		this.session = {};
		line.trouble = undefined;
		this.settings.onOpen();
		this.tell((listener) => listener.onConnect());
	}

	private lost(line: Line, error: unknown, retryInMs: number): void {
		line.isOpen = false;
		line.trouble = { error, retryAt: clock.now() + retryInMs };
		this.gap();
		this.tell((listener) => listener.onTrouble(error, retryInMs));
	}

	private retell({ error, retryAt }: NonNullable<Line['trouble']>, listener: FeedListener): void {
		quietly(() => listener.onTrouble(error, Math.max(0, retryAt - clock.now())));
	}

	private receive(data: string | Uint8Array): void {
		const { frame, raw } = readFrame(data);
		// Broken text may have been anything, an output too.
		if (frame.kind === 'malformed' && typeof data === 'string') this.jobs.gap();
		for (const { event, jobId } of this.newsIn(frame)) this.tell((listener) => listener.onEvent(event, jobId, raw));
	}

	/** What goes wrong here would otherwise end the whole process. */
	private newsIn(frame: Frame): JobNewsItem[] {
		try {
			return this.jobs.take(frame);
		} catch {
			this.jobs.gap();
			return this.jobs.take({ kind: 'malformed', reason: `a frame of kind ${frame.kind} is unusable` });
		}
	}

	private tell(word: (listener: FeedListener) => void): void {
		for (const { listener } of this.followers) quietly(() => word(listener));
	}
}

/** A listener that fails must not keep the news from the others, nor end the connection. */
function quietly(work: () => void): void {
	try {
		work();
	} catch {
		// It is the listener's own matter.
	}
}

async function firedOr(signal: AbortSignal, closed: Promise<void>): Promise<void> {
	let stopListening: (() => void) | undefined;
	const fired = new Promise<void>((resolve) => (stopListening = onAbort(signal, resolve)));
	await Promise.race([fired, closed]);
	stopListening?.();
}
