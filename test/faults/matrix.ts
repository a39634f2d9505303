import { engineCalls } from './calls/engine';
import { routerCalls } from './calls/router';
import { v1Calls } from './calls/v1';
import { v2Calls } from './calls/v2';
import { webCalls } from './calls/web';
import { bodies, files } from './faults/bodies';
import { cuts, resets, stalls } from './faults/broken';
import { codings } from './faults/codings';
import { connections } from './faults/connections';
import { events } from './faults/events';
import { handshakes } from './faults/handshakes';
import { heads } from './faults/heads';
import { redirects } from './faults/redirects';
import { deliveries, refusals } from './faults/refusals';
import { frames } from './faults/socketFrames';
import { orders } from './faults/socketOrders';
import { expectationOf } from './outcomes';
import { ATTEMPTS, type Call, type Cell, type Fault } from './shapes';

export const FAULTS: readonly Fault[] = [
	...connections,
	...resets,
	...stalls,
	...cuts,
	...codings,
	...refusals,
	...bodies,
	...heads,
	...deliveries,
	...redirects,
	...files,
	...handshakes,
	...frames,
	...orders,
	...events,
];

export const CALLS: readonly Call[] = [...v2Calls, ...v1Calls, ...engineCalls, ...routerCalls, ...webCalls];

const HAS_BODY = /^(POST|PUT) (?!.*\/cancel$)/;
/** Calls of which it is said how they end where they are sent on, or get other bytes. */
const IS_SENT_ON = /^(router|web|file) |^v2 get, hosted$/;

const canMeet = (fault: Fault, call: Call): boolean =>
	fault.on.includes(call.wire) &&
	(fault.needsBody === undefined || HAS_BODY.test(call.on)) &&
	(fault.connecting === undefined || call.at !== undefined) &&
	// Submissions that arrive late or twice are played by the random histories (test/histories).
	(fault.family !== 'delivery' || call.billed === undefined) &&
	(!['redirects', 'files'].includes(fault.family) || IS_SENT_ON.test(call.name));

export const cellName = ({ fault, call, attempts }: Pick<Cell, 'fault' | 'call' | 'attempts'>): string =>
	`${call.name} · ${fault.name} · ${attempts}`;

export const matrix = (): Cell[] =>
	CALLS.flatMap((call) =>
		FAULTS.filter((fault) => canMeet(fault, call)).flatMap((fault) =>
			ATTEMPTS.map((attempts) => ({ fault, call, attempts, expected: expectationOf(fault, call, attempts) })),
		),
	);
