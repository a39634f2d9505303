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

export type Action =
	/** The node runs: at first as a new execution, later as what is left of it is run again. */
	| { does: 'run'; again: (typeof AGAIN)[number]; incidents: Incident[] }
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

export interface History {
	input: (typeof INPUTS)[number];
	items: number;
	/** All items ask for the same. */
	areEqual: boolean;
	actions: Action[];
}

/** Which parts of all this an interface can live through. */
export interface Range {
	faultsOfSubmissions: readonly FaultName[];
	faultsOfAnything: readonly FaultName[];
	events: readonly EventName[];
	inputs: readonly (typeof INPUTS)[number][];
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

export function historyWithin({ faultsOfSubmissions, faultsOfAnything, events, inputs, mostItems, servers }: Range): fc.Arbitrary<History> {
	const run = fc.record({
		does: fc.constant('run' as const),
		again: fc.constantFrom(...AGAIN),
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
		{ weight: 1, arbitrary: fc.record({ does: fc.constant('clock' as const), minutes: fc.constantFrom(...CLOCK_STEPS) }) },
		ofServer,
	);
	return fc.record({
		input: fc.constantFrom(...inputs),
		items: fc.integer({ min: 1, max: mostItems }),
		areEqual: fc.boolean(),
		actions: fc.array(action, { maxLength: MOST_ACTIONS, size: 'max' }),
	});
}
