import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';

import type { InterfaceName } from './job';

/** One exchange with a server: no query, no header, no body. */
export interface Exchange {
	method: string;
	/** The origin, and of the service itself the path: elsewhere a path may be what gives access. */
	address: string;
	/** Absent where no answer came. */
	status?: number;
	/** Why none came. */
	error?: unknown;
	/** Until the answer began. */
	milliseconds: number;
	/** 1 for the first. */
	attempt: number;
	requestId?: string;
}

/** What was done next, and why. Errors are what the client throws: their facts may be shown, not the service's own words. */
export type Decision =
	/** `isAsked`: the service named the pause. */
	| { kind: 'retry'; attempt: number; inMs: number; isAsked: boolean; error: unknown }
	| { kind: 'service_found'; interface: InterfaceName; origin: string; version: string | null }
	| { kind: 'service_not_there'; interface: InterfaceName; origin: string; error: unknown }
	/** The service has the bytes of a file. */
	| { kind: 'file_is_stored' }
	| { kind: 'file_is_new' }
	| { kind: 'sent_without_labels'; error: unknown }
	/** The service takes nothing more for now. */
	| { kind: 'submission_put_off'; inFlight: number; error: unknown }
	/** A submission does not leave at once. */
	| { kind: 'waits_in_line'; ahead: number; inFlight: number }
	| { kind: 'turn_came'; waitedMs: number }
	/** Whether an earlier attempt has made a job is looked up before anything is sent. */
	| { kind: 'looks_for_job'; by: FoundBy; error?: unknown }
	| { kind: 'found_again'; by: FoundBy; jobId?: string }
	| { kind: 'wait_begins'; jobId: string; mode: 'live' | 'polling'; maxWaitMs: number }
	| { kind: 'job_stands'; jobId: string; status: string; queuePosition: number | null; from: 'read' | 'stream' | 'list' }
	/** `refused`: too many, or none are offered. `lost`: it was granted. Reads go on in either case. */
	| { kind: 'stream_refused'; jobId: string; error: unknown }
	| { kind: 'stream_lost'; jobId: string; openMs: number; error: unknown }
	/** As many streams as the service grants are open. */
	| { kind: 'stream_waits'; jobId: string; open: number }
	| { kind: 'reads_again'; jobId: string; status: string; inMs: number }
	| { kind: 'wait_is_over'; jobId: string; status: string }
	| { kind: 'cancels'; jobId: string; because: 'asked' | 'stopped' | 'wait_is_over' }
	| { kind: 'cancel_answered'; jobId: string; status: string; isConfirmed: boolean }
	| { kind: 'download_resumes'; atByte: number; totalBytes: number | null; error: unknown }
	| { kind: 'asks_for_fresh_link'; status: number }
	| { kind: 'socket_down'; address: string; openMs: number | undefined; retryInMs: number; error: unknown }
	| { kind: 'socket_closed'; address: string };

/** `key`: the service knew it. `id`: the job has the one that was chosen for it. */
export type FoundBy = 'key' | 'id' | 'workflow';

/** Who is told what the client does, for a log. What it throws is nobody's loss. */
export interface Observer {
	onExchange(exchange: Exchange): void;
	onDecision(decision: Decision): void;
	/** Told of what serves others as well; the observer itself where there is none. */
	readonly shared?: Observer;
}

const observers = new AsyncLocalStorage<Observer | undefined>();
const attempts = new AsyncLocalStorage<number>();

/** Does work of which the observer is told, however deep it goes. Without one, nobody is. */
export const observed = <T>(observer: Observer | undefined, work: () => T): T => observers.run(observer, work);

export const currentObserver = (): Observer | undefined => observers.getStore();

/** Work that is not of the one who happens to begin it. */
export const onBehalfOfAll = <T>(work: () => T): T => observed(currentObserver()?.shared ?? currentObserver(), work);

/** What others may call is done on behalf of whoever made it. */
export const onOwnBehalf = <Args extends unknown[], T>(work: (...args: Args) => T): ((...args: Args) => T) =>
	AsyncResource.bind(work) as (...args: Args) => T;

export const asAttempt = <T>(attempt: number, work: () => T): T => attempts.run(attempt, work);

/** @param facts asked for only where somebody is told. */
export function exchanged(facts: () => Omit<Exchange, 'attempt'>): void {
	tell((observer) => observer.onExchange({ ...facts(), attempt: attempts.getStore() ?? 1 }));
}

export function decided(decision: Decision): void {
	tell((observer) => observer.onDecision(decision));
}

function tell(word: (observer: Observer) => void): void {
	const observer = currentObserver();
	if (observer === undefined) return;
	try {
		word(observer);
	} catch {
		// It is the observer's own matter.
	}
}
