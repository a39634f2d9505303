/**
 * What may happen to an execution of n8n, as data: drawn by fast-check, made shorter by it when it fails, told in words, and
 * played by `World`.
 */
import fc from 'fast-check';

import type { FaultName } from './faults';

/** Of a request: before a byte of it has left, when it has left whole, when its answer begins to come. */
export const MOMENTS = ['sending', 'sent', 'answered'] as const;
export type Moment = (typeof MOMENTS)[number];

/**
 * `kill`: n8n dies, and keeps nothing of the execution. `stop`: a person stops it, and its jobs with it. `restart`: the
 * service closes its connections, and takes no new ones for a moment.
 */
export const EVENTS = ['kill', 'stop', 'restart'] as const;
/**
 * The events of a pool. `restart` and `disconnect` happen to the server that gets the request: it loses its jobs, or it refuses
 * connections until it is reconnected.
 */
export const POOL_EVENTS = [...EVENTS, 'disconnect'] as const;
export type EventName = (typeof POOL_EVENTS)[number];

/** What happens while the node runs. */
export interface Incident {
	event: EventName;
	/** At which of its requests: the one that submits, or the n-th of all, from 0. */
	request: 'submission' | number;
	moment: Moment;
}

export const AGAIN = ['Retry On Fail', 'Retry execution'] as const;

/** What happens to the table that the rows come from. */
export const CHANGES = ['add', 'remove', 'move', 'edit'] as const;

export type Action =
	/** The workflow runs: at first as a new execution, later as one of those that failed is run again, counted from the newest. */
	| { does: 'run'; again: (typeof AGAIN)[number]; failed: number; incidents: Incident[] }
	/** Somebody changes the row at this place. */
	| { does: (typeof CHANGES)[number]; row: number }
	/** A new process of n8n starts. */
	| { does: 'restart n8n' }
	/** The next request of the kind meets it. */
	| { does: 'fault'; on: 'submission' | 'anything'; fault: FaultName }
	/** Others submit jobs that look the same but for one value. */
	| { does: 'crowd'; jobs: number }
	/** The clock of n8n's machine is set forward, or back. */
	| { does: 'clock'; minutes: number }
	| { does: 'restart' }
	/** One server of a pool. */
	| { does: 'restart' | 'disconnect' | 'reconnect'; server: number };

/** `random`: an expression gives another value at each evaluation. `drawn`: option Seeds, *Random For Each Item*. */
export const INPUTS = ['fixed', 'drawn', 'random'] as const;
/** Option *Idempotency Key*. */
export const KEYS = ['automatic', 'none'] as const;
/**
 * What the workflow consists of. `loop`: the node gets one row at a time. `loop twice`: it gets the same rows twice. `call`: it is in
 * a sub-workflow, which is called once, or for each row. `nested calls`: a sub-workflow calls the sub-workflow.
 */
export const SHAPES = ['one node', 'two nodes', 'loop', 'loop twice', 'call', 'calls', 'nested calls'] as const;
/** Of two executions that start in the same millisecond with the same items. */
export const TWINS = ['none', 'of one trigger', 'of two triggers'] as const;
/** What the expressions read of an item: a field of it, a field of an earlier node, or its position, too. */
export const READS = ['field', 'chain', 'index'] as const;

export interface History {
	shape: (typeof SHAPES)[number];
	twins: (typeof TWINS)[number];
	reads: (typeof READS)[number];
	input: (typeof INPUTS)[number];
	key: (typeof KEYS)[number];
	rows: number;
	/** All rows ask for the same. */
	areEqual: boolean;
	/** The workflow has *Save execution progress*. */
	savesProgress: boolean;
	/** n8n tells a node which execution a retry retries. n8n 1.x does not. */
	namesRetried: boolean;
	/** After a crash, n8n knows when the execution started. Before 2.20 it does not. */
	keepsStart: boolean;
	/** The service's answers have the header `Date`. */
	hasDate: boolean;
	/** How far n8n's clock is ahead of the service's from the beginning. */
	minutesAhead: number;
	actions: Action[];
}

/** Which parts of all this an interface can live through. */
export interface Range {
	faultsOfSubmissions: readonly FaultName[];
	faultsOfAnything: readonly FaultName[];
	events: readonly EventName[];
	inputs: readonly (typeof INPUTS)[number][];
	keys: readonly (typeof KEYS)[number][];
	mostItems: number;
	/** How many servers a pool has. */
	servers?: number;
}

/** In minutes. */
const CLOCK_STEPS = [-2, 2, -20, 20, -60, 60];
const CROWDS = [1, 3, 10, 110];
const MOST_ACTIONS = 8;
const LATEST_REQUEST = 7;
/** A run on a pool begins with several requests to each server. */
const LATEST_REQUEST_OF_POOL = 20;

const incident = (events: readonly EventName[], latestRequest: number): fc.Arbitrary<Incident> =>
	fc.record({
		event: fc.constantFrom(...events),
		request: fc.oneof(fc.constant('submission' as const), fc.nat(latestRequest)),
		moment: fc.constantFrom(...MOMENTS),
	});

/** Mostly the first one. */
const mostly = <T>(usual: T, other: T): fc.Arbitrary<T> => fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, fc.constant(other));

export function historyWithin({
	faultsOfSubmissions,
	faultsOfAnything,
	events,
	inputs,
	keys,
	mostItems,
	servers,
}: Range): fc.Arbitrary<History> {
	const run = fc.record({
		does: fc.constant('run' as const),
		again: fc.constantFrom(...AGAIN),
		failed: fc.constantFrom(0, 0, 1, 2),
		incidents: fc.array(incident(events, servers === undefined ? LATEST_REQUEST : LATEST_REQUEST_OF_POOL), { maxLength: 2, size: 'max' }),
	});
	const fault = fc.oneof(
		fc.record({
			does: fc.constant('fault' as const),
			on: fc.constant('submission' as const),
			fault: fc.constantFrom(...faultsOfSubmissions),
		}),
		fc.record({ does: fc.constant('fault' as const), on: fc.constant('anything' as const), fault: fc.constantFrom(...faultsOfAnything) }),
	);
	const ofServer =
		servers === undefined
			? { weight: 1, arbitrary: fc.constant({ does: 'restart' as const }) }
			: {
					weight: 3,
					arbitrary: fc.record({
						does: fc.constantFrom('restart' as const, 'disconnect' as const, 'disconnect' as const, 'reconnect' as const),
						server: fc.nat(servers - 1),
					}),
				};
	const action: fc.Arbitrary<Action> = fc.oneof(
		{ weight: 4, arbitrary: run },
		{ weight: 4, arbitrary: fault },
		{ weight: 1, arbitrary: fc.record({ does: fc.constant('crowd' as const), jobs: fc.constantFrom(...CROWDS) }) },
		{ weight: 2, arbitrary: fc.record({ does: fc.constantFrom(...CHANGES), row: fc.nat(mostItems) }) },
		{ weight: 1, arbitrary: fc.constant({ does: 'restart n8n' as const }) },
		{ weight: 1, arbitrary: fc.record({ does: fc.constant('clock' as const), minutes: fc.constantFrom(...CLOCK_STEPS) }) },
		ofServer,
	);
	return fc.record({
		shape: fc.oneof(fc.constant('one node' as const), fc.constantFrom(...SHAPES)),
		twins: fc.oneof({ weight: 4, arbitrary: fc.constant('none' as const) }, fc.constantFrom(...TWINS)),
		reads: fc.constantFrom(...READS),
		input: fc.constantFrom(...inputs),
		key: fc.constantFrom('automatic' as const, ...keys),
		rows: fc.integer({ min: 1, max: mostItems }),
		areEqual: fc.boolean(),
		savesProgress: mostly(false, true),
		namesRetried: mostly(true, false),
		keepsStart: mostly(true, false),
		hasDate: mostly(true, false),
		minutesAhead: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.constantFrom(-60, 60)),
		actions: fc.array(action, { maxLength: MOST_ACTIONS, size: 'max' }),
	});
}
