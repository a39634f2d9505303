import type { Bill, Doubt, Limit, Sent } from './interfaces/interface';
import type { World } from './world';

/** How a history ended. */
export interface Ending {
	/** Delivered without. */
	doubt?: Doubt;
	/** By which something was paid for twice. */
	limit?: Limit;
}

/** @throws Error, in words, for what must never be. */
export function verdictOn(world: World): Ending {
	const { via, sandbox, mark, history } = world;
	const isOurs = (one: { mark: string }): boolean => one.mark.startsWith(mark);
	const bills = via.bills(sandbox).filter(isOurs);
	const sent = via.sent(sandbox).filter(isOurs);
	const isOver = [...new Set(bills.map((bill) => bill.mark))].some((marked) =>
		isBilledTwice(
			world,
			bills.filter((bill) => bill.mark === marked),
		),
	);
	const limit = isOver ? via.limits?.find((one) => one.isFor(history)) : undefined;
	if (isOver && limit === undefined) throw new Error(`Billed ${bills.length} times: ${told(bills)}`);
	for (const marked of new Set(sent.map((one) => one.mark))) {
		sentAlike(
			world,
			sent.filter((one) => one.mark === marked),
		);
	}
	sentInDoubt(world);
	if (world.delivered !== undefined) {
		deliveredRightly(world, bills);
		return { limit };
	}
	const last = world.ends.at(-1)?.failure ?? '';
	const doubt = via.doubts.find((one) => one.words.test(last) && one.isFor(history, bills.filter(isOfUse).length >= history.items));
	if (doubt === undefined) throw new Error(`Nothing was delivered, and nothing is unconfirmed: ${last}; ${told(bills)}`);
	return { doubt, limit };
}

const told = (facts: unknown): string => JSON.stringify(facts);

/** How many items share a mark. */
const sharing = ({ history }: World): number => (history.areEqual ? history.items : 1);

const isOfUse = ({ isCanceled }: Bill): boolean => isCanceled !== true;

/** What is run after a stop is another job; but where the first was not canceled, it is that which is taken. */
function isBilledTwice(world: World, bills: readonly Bill[]): boolean {
	const most = sharing(world);
	const isTold = bills.every(({ isCanceled }) => isCanceled !== undefined);
	// An engine that has forgotten a canceled one is sent the same id again, after n8n has died.
	const ofUse = new Set(bills.filter(isOfUse).map(({ id }) => id));
	return bills.length > most * (1 + world.stops) || (isTold && ofUse.size > most);
}

/** Each try of an item has the same key and, if the workflow does not change it, the same input. */
function sentAlike(world: World, sent: readonly Sent[]): void {
	const most = sharing(world) * (1 + world.stops);
	const keys = new Set(sent.map(({ key }) => key));
	if (keys.size > most) throw new Error(`${keys.size} keys for ${most}: ${told(sent)}`);
	if (world.history.input === 'random') return;
	const values = new Set(sent.map(({ key, value }) => told([key, value])));
	if (values.size > most) throw new Error(`Its input changed between tries: ${told(sent)}`);
}

/** Statuses of answers to a submission that made no job. */
const isRefusal = (status: number | null): boolean => status !== null && status >= 400 && status < 500;

/**
 * While a server of a pool that may have a job is unreachable, no other server gets the job. A server that became unreachable
 * during the run does not count: the run may have asked it before.
 */
function sentInDoubt({ via, pool, mark, begunAt }: World): void {
	if (pool === undefined) return;
	const all = pool.members.flatMap((member, server) =>
		via
			.sent(member)
			.filter((one) => one.mark.startsWith(mark))
			.map((one) => ({ server, ...one })),
	);
	for (const { server, key, at, value } of all) {
		const runBegan = Math.max(...begunAt.filter((time) => time <= at));
		const may = all.find((other) => other.key === key && other.server !== server && other.at < at && !isRefusal(other.status));
		const isDown = pool.outages.some(
			(one) => one.server === may?.server && one.from > may.at && one.from < runBegan && (one.to ?? Infinity) > at,
		);
		if (isDown) throw new Error(`${told({ key, value })} was sent to server ${server} while server ${may?.server} may have it`);
	}
}

/** Each item once, with a job of its own that was billed for it. */
function deliveredRightly(world: World, bills: readonly Bill[]): void {
	const { via, delivered = [], history } = world;
	const items = delivered.map((item) => ({ item: (item.pairedItem as { item: number }).item, ...via.delivered(item) }));
	const problems = items.flatMap((one) => {
		const bill = bills.find(({ id }) => id === one.id);
		if (bill === undefined) return [`${told(one)} was billed to nobody here`];
		const isOwn = (one.mark ?? bill.mark) === bill.mark && bill.mark === world.markOf(one.item) && bill.value === one.value;
		return isOwn ? [] : [`${told(one)} is not of its item, but ${told(bill)}`];
	});
	const each = Array.from({ length: history.items }, (_, item) => items.filter((one) => one.item === item).length);
	if (each.some((times) => times !== 1)) problems.push(`Items were delivered ${each.join(', ')} times`);
	if (new Set(items.map(({ id }) => id)).size < items.length) problems.push(`A job was delivered to two items: ${told(items)}`);
	if (problems.length > 0) throw new Error(problems.join('\n'));
}
