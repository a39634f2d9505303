import { randomUUID } from 'node:crypto';

import { clock, observed } from '../../../client';
import { startSandbox, type Sandbox } from '../../../sandbox';
import { type Aim, openProxy, type Proxy } from '../proxy/openProxy';
import { openStranger, type Stranger } from '../proxy/stranger';
import { DONE, outcomeOf } from '../outcomes';
import type { Call, Cell, Door, Outcome } from '../shapes';
import { faultsOfTelling, listening } from './secrets';

/** On the client's clock, which no loaded machine moves: nothing takes half of it. */
const LONGEST_CELL_MS = 3 * 60 * 60_000;
const LONGEST_CLOSING_MS = 10 * 60_000;
const HANGS: Outcome = 'hangs';

export interface CellResult {
	outcome: Outcome;
	/** Empty for a cell that holds. */
	failures: string[];
}

/** Does the one call, with the one fault. @param shared for the calls that need none of their own. */
export async function runCell(cell: Cell, shared: Sandbox): Promise<CellResult> {
	const { fault, call, attempts, expected } = cell;
	return await throughProxy(call, shared, { fault, attempts, on: call.on, at: call.at }, async ({ door, proxy, stranger }) => {
		const { outcome, error, lines } = await called(cell, door, proxy);
		const left = await openAtTheEnd(proxy);
		await proxy.delivered();
		const paid = call.billed?.(door) ?? 0;
		const failures = [
			...(outcome === expected.outcome ? [] : [`ended as "${outcome}", not as "${expected.outcome}" (${expected.because})`]),
			...(proxy.hasMet ? [] : ['no request met the fault']),
			...(paid > (expected.billed ?? 1) ? [`${paid} jobs are paid`] : []),
			...(call.billed !== undefined && outcome === DONE && paid === 0 ? ['nothing was made'] : []),
			...(left > 0 ? [`${left} connections are left open`] : []),
			...(stranger.sawSecret(door.sandbox) ? ['a stranger has got a key'] : []),
			...(error === undefined ? [] : faultsOfTelling(error, lines, door.sandbox)),
		];
		return { outcome, failures };
	});
}

/** The same call where nothing is wrong. */
export const runUnharmed = async (call: Call, shared: Sandbox): Promise<Outcome> =>
	await throughProxy(call, shared, undefined, async ({ door }) => (await call.run(door)) ?? DONE);

interface Parts {
	door: Door;
	proxy: Proxy;
	stranger: Stranger;
}

async function throughProxy<T>(call: Call, shared: Sandbox, aim: Aim | undefined, work: (parts: Parts) => Promise<T>): Promise<T> {
	const own = call.sandbox && (await startSandbox(call.sandbox));
	const sandbox = own ?? shared;
	const stranger = await openStranger();
	const proxy = await openProxy(sandbox, aim && { ...aim, stranger: stranger.url });
	try {
		return await work({ door: { sandbox, urls: proxy.origins.urls, mark: randomUUID(), stranger: stranger.url }, proxy, stranger });
	} finally {
		await proxy.close();
		await stranger.close();
		await own?.close();
	}
}

interface Called {
	outcome: Outcome;
	error?: unknown;
	lines: string[];
}

async function called({ call, attempts }: Cell, door: Door, proxy: Proxy): Promise<Called> {
	const { observer, lines } = listening(({ error }) => {
		proxy.hasTold(error);
		if (error !== undefined && attempts === 'first') proxy.reopenPort();
	});
	try {
		const ended = await within(observed(observer, async () => (await call.run(door)) ?? DONE));
		return { outcome: ended, lines };
	} catch (error) {
		return { outcome: outcomeOf(error), error, lines };
	}
}

async function within(running: Promise<Outcome>): Promise<Outcome> {
	let timer: NodeJS.Timeout | undefined;
	const bound = new Promise<Outcome>((resolve) => (timer = clock.after(LONGEST_CELL_MS, () => resolve(HANGS))));
	try {
		return await Promise.race([running, bound]);
	} finally {
		clearTimeout(timer);
	}
}

/** The call has closed its connection: its sockets go in a moment. */
async function openAtTheEnd(proxy: Proxy): Promise<number> {
	const deadline = clock.now() + LONGEST_CLOSING_MS;
	while (proxy.openSockets > 0 && clock.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5));
	return proxy.openSockets;
}
