import type { CallOptions } from '../ports';
import { Slots } from '../transport/slots';
import { StreamGate } from './streamGate';
import { SHARED_TIMES, type SharedTimes } from './times';
import { Turns } from './turns';
import type { Waiter } from './waiter';

/** Each takes a connection. */
const MOST_READS_AT_ONCE = 64;

/**
 * What all waits of one connection have in common, in whatever execution they run: how many streams they may have, and
 * who reads when. Each wait speaks by its own service; nothing of one is closed with another.
 */
export class SharedWait {
	readonly gate: StreamGate;
	readonly turns: Turns;
	private readonly reads = new Slots(MOST_READS_AT_ONCE);

	constructor(times: SharedTimes = SHARED_TIMES) {
		this.gate = new StreamGate(times);
		this.turns = new Turns(times);
	}

	get isInUse(): boolean {
		return !this.turns.isEmpty || this.gate.isInUse;
	}

	/** @throws as the read does; StoppedError when the signal fires before its turn has come. */
	async read<T>(read: () => Promise<T>, { signal }: CallOptions): Promise<T> {
		return await this.reads.run(read, signal);
	}

	async rest(waiter: Waiter, milliseconds: number): ReturnType<Waiter['rest']> {
		const resting = waiter.rest(milliseconds);
		this.turns.rests(waiter);
		return await resting;
	}
}

/** By the connection's identity; for as long as anybody waits. */
const SHARED = new Map<string, SharedWait>();

export function sharedWaitOf(identity: string): SharedWait {
	for (const [known, { isInUse }] of SHARED) if (!isInUse) SHARED.delete(known);
	const shared = SHARED.get(identity) ?? new SharedWait();
	SHARED.set(identity, shared);
	return shared;
}
