import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

import { type Clock, setClock, type Timer } from '../../../client/async/clock';
import { patientClock } from '../../support/patientClock';
import { isCleared } from '../../support/stillClock';

/** Enough to let a loop without an end show itself. */
const MOST_STEPS = 50;

/** Counts the timers that the client sets and the sockets that the process opens, in each test of a file. */
export function useResources() {
	let timers: Array<{ timer: Timer; call: () => void }> = [];
	let sockets: Socket[] = [];
	let fired = 0;
	const onSocket = (message: unknown): void => void sockets.push((message as { socket: Socket }).socket);
	const counted =
		(start: Clock['after']): Clock['after'] =>
		(milliseconds, call) => {
			const timer = start(milliseconds, () => {
				fired += 1;
				call();
			});
			timers.push({ timer, call });
			return timer;
		};
	beforeEach(() => {
		[timers, sockets, fired] = [[], [], 0];
		setClock({ ...patientClock, after: counted(patientClock.after), every: counted(patientClock.every) });
		subscribe('net.client.socket', onSocket);
	});
	afterEach(() => {
		unsubscribe('net.client.socket', onSocket);
		setClock(patientClock);
	});
	const running = () => timers.filter(({ timer }) => !isCleared(timer));
	return {
		/** The timers that have not fired and were not cleared. */
		timers: (): number => running().length,
		/** The sockets that are open or are being opened. */
		sockets: (): number => sockets.filter(({ destroyed }) => !destroyed).length,
		/** How many sockets were opened, and how many timers have fired so far. */
		opened: (): number => sockets.length,
		fired: (): number => fired,
		/** Lets time pass until no timer is left: fires them all, and those that they set, up to a limit. */
		letTimePass: async (): Promise<void> => {
			for (let steps = 0; steps < MOST_STEPS; steps++) {
				for (const { timer, call } of running()) {
					clearTimeout(timer);
					call();
				}
				await new Promise((resolve) => setTimeout(resolve, 0));
			}
		},
	};
}
