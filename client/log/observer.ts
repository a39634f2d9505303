import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';

import type { InterfaceName } from '../ports/job';

/** One request and its response. No query, no header, no body. */
export interface Exchange {
	method: string;
	/** The origin, and the path if the request went to the service itself. Elsewhere a path may grant access. */
	address: string;
	/** Absent if no response came. */
	status?: number;
	/** Why no response came. */
	error?: unknown;
	/** Until the response began. */
	milliseconds: number;
	/** 1 for the first. */
	attempt: number;
	requestId?: string;
}

/**
 * An event for the log: what the client does next, and why. Log lines may show the facts of its errors, but not the
 * service's own message.
 */
export type Decision =
	/** `hasRetryAfter`: the service requested this pause. */
	| { kind: 'retry'; attempt: number; inMs: number; hasRetryAfter: boolean; error: unknown }
	| { kind: 'service_found'; interface: InterfaceName; origin: string; version: string | null }
	| { kind: 'service_not_found'; interface: InterfaceName; origin: string; error: unknown }
	/** The service already has the bytes of a file. */
	| { kind: 'file_is_stored' }
	| { kind: 'file_is_new' }
	| { kind: 'sent_without_labels' | 'sent_without_editor_file'; error: unknown }
	/** A route of a newer engine is missing or fails. Other routes replace it. */
	| { kind: 'route_replaced'; route: 'jobs' | 'statusFilter' | 'cancel'; error: unknown }
	/** The server of a pool that gets a job, and how many jobs it has before this one. */
	| { kind: 'server_chosen'; server: string; jobsAhead: number }
	/** A server of a pool does not get a job, because it failed before the job was sent. */
	| { kind: 'server_skipped'; server: string; error: unknown }
	/** The server of a job stopped responding or forgot the job. The job runs on another server. */
	| { kind: 'server_lost'; server: string; jobId: string }
	/** The service accepts no more jobs for now. */
	| { kind: 'submission_postponed'; inFlight: number; error: unknown }
	/** A submission waits in the queue of its connection. */
	| { kind: 'submission_queued'; ahead: number; inFlight: number }
	| { kind: 'slot_granted'; waitedMs: number }
	/** Searches for the job of an earlier attempt before anything is sent. */
	| { kind: 'recovery_started'; by: RecoveryMethod; error?: unknown }
	| { kind: 'job_recovered'; by: RecoveryMethod; jobId?: string }
	| { kind: 'wait_started'; jobId: string; mode: 'live' | 'polling'; maxWaitMs: number }
	| { kind: 'job_status'; jobId: string; status: string; queuePosition: number | null; from: 'read' | 'stream' | 'list' }
	/**
	 * `refused`: there are too many streams, or the service offers none. `lost`: an open stream ended. Polling continues
	 * in both cases.
	 */
	| { kind: 'stream_rejected'; jobId: string; error: unknown }
	| { kind: 'stream_lost'; jobId: string; openMs: number; error: unknown }
	/** The service allows no more streams at once. */
	| { kind: 'stream_waits'; jobId: string; open: number }
	| { kind: 'read_repeated'; jobId: string; status: string; inMs: number }
	| { kind: 'wait_timed_out'; jobId: string; status: string }
	| { kind: 'cancel_requested'; jobId: string; because: 'requested' | 'stopped' | 'timed_out' }
	| { kind: 'cancel_answered'; jobId: string; status: string; isConfirmed: boolean }
	| { kind: 'download_resumes'; atByte: number; totalBytes: number | null; error: unknown }
	| { kind: 'link_expired'; status: number }
	| { kind: 'socket_down'; address: string; openMs: number | undefined; retryInMs: number; error: unknown }
	| { kind: 'socket_closed'; address: string };

/** How a job was found. `key`: the service knew the idempotency key. `id`: the job has the requested id. */
export type RecoveryMethod = 'key' | 'id' | 'workflow';

/** Receives what the client does, for a log. Errors that it throws are ignored. */
export interface Observer {
	onExchange(exchange: Exchange): void;
	onDecision(decision: Decision): void;
	/** Receives the events of work that is shared between items. Default: the observer itself. */
	readonly shared?: Observer;
}

const observers = new AsyncLocalStorage<Observer | undefined>();
const attempts = new AsyncLocalStorage<number>();

/** Runs work with this observer. The observer also receives the events of nested calls. */
export const withObserver = <T>(observer: Observer | undefined, work: () => T): T => observers.run(observer, work);

export const currentObserver = (): Observer | undefined => observers.getStore();

/** Runs work that is shared, and so does not belong to the item that starts it. */
export const runAsShared = <T>(work: () => T): T => withObserver(currentObserver()?.shared ?? currentObserver(), work);

/** Binds a function to the current observer, regardless of its caller. */
export const bindObserver = <Args extends unknown[], T>(work: (...args: Args) => T): ((...args: Args) => T) =>
	AsyncResource.bind(work) as (...args: Args) => T;

export const withAttempt = <T>(attempt: number, work: () => T): T => attempts.run(attempt, work);

/** @param facts called only if there is an observer. */
export function reportExchange(facts: () => Omit<Exchange, 'attempt'>): void {
	notify((observer) => observer.onExchange({ ...facts(), attempt: attempts.getStore() ?? 1 }));
}

export function logDecision(decision: Decision): void {
	notify((observer) => observer.onDecision(decision));
}

function notify(report: (observer: Observer) => void): void {
	const observer = currentObserver();
	if (observer === undefined) return;
	try {
		report(observer);
	} catch {
		// A failing log must not end the work.
	}
}
