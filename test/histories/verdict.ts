import type { Execution } from './execution';
import type { Bill, Condition, Sent, Unconfirmed } from './interfaces/interface';
import { SHARED, START_IS_LOST } from './interfaces/outcomes';
import type { World } from './world';

/** How a history ended. */
export interface Ending {
	/** Why executions did not deliver; empty if all did. */
	unconfirmed: ReadonlySet<Unconfirmed>;
	/** Why items have more or fewer jobs than they should have. */
	conditions: ReadonlySet<Condition>;
}

/** @throws Error, in words, for what must never be. */
export function verdictOn(world: World): Ending {
	const { via, sandbox, mark, chains, last } = world;
	const isOurs = (one: { mark: string }): boolean => one.mark.startsWith(mark);
	const bills = via.bills(sandbox).filter(isOurs);
	const sent = via.sent(sandbox).filter(isOurs);
	const conditions = new Set<Condition>();
	for (const marked of new Set(bills.map((bill) => bill.mark))) {
		const ofMark = bills.filter((bill) => bill.mark === marked);
		if (!isBilledTwice(world, marked, ofMark)) continue;
		const condition = via.conditions?.find((one) => one !== SHARED && one.isFor(world, ofMark));
		if (condition === undefined) throw new Error(`Billed ${ofMark.length} times: ${told(bills)}`);
		conditions.add(condition);
	}
	for (const marked of new Set(sent.map((one) => one.mark))) {
		sentAlike(
			world,
			marked,
			sent.filter((one) => one.mark === marked),
		);
	}
	sentInDoubt(world);
	for (const execution of chains.flat()) if (execution.state === 'delivered') deliveredRightly(world, execution, bills, sent);
	for (const condition of sharedUnder(world)) conditions.add(condition);
	const failed = last.filter(({ state }) => state !== 'delivered');
	return { unconfirmed: new Set(failed.map((execution) => whyUnconfirmed(world, execution, bills))), conditions };
}

const told = (facts: unknown): string => JSON.stringify(facts);

const countOf = (mark: string, execution: Execution): number =>
	execution.steps.flatMap(({ marks }) => marks).filter((one) => one === mark).length;

/** How many jobs of this mark somebody wants: as many as a try had such items, in each chain. */
const wantedOf = ({ chains }: World, mark: string): number =>
	chains.reduce((sum, chain) => sum + Math.max(...chain.map((execution) => countOf(mark, execution))), 0);

const isOfUse = ({ isCanceled }: Bill): boolean => isCanceled !== true;

/** What is run after a stop is another job; but where the first was not canceled, it is that which is taken. */
function isBilledTwice(world: World, mark: string, bills: readonly Bill[]): boolean {
	const most = wantedOf(world, mark);
	const isTold = bills.every(({ isCanceled }) => isCanceled !== undefined);
	// An engine that has forgotten a canceled one is sent the same id again, after n8n has died.
	const ofUse = new Set(bills.filter(isOfUse).map(({ id }) => id));
	return bills.length > most * (1 + world.stops) || (isTold && ofUse.size > most);
}

function whyUnconfirmed(world: World, execution: Execution, bills: readonly Bill[]): Unconfirmed {
	const before = bills.filter((bill) => isOfUse(bill) && bill.at <= execution.failedAt);
	const isBilled = execution.steps.every(({ marks }) =>
		marks.every((marked) => before.filter(({ mark }) => mark === marked).length >= wantedOf(world, marked)),
	);
	const why = [START_IS_LOST, ...world.via.unconfirmed].find((one) => one.words.test(execution.failure) && one.isFor(world, isBilled));
	if (why === undefined) throw new Error(`Nothing was delivered, and nothing is unconfirmed: ${execution.failure}; ${told(bills)}`);
	return why;
}

/** Each try of an item has the same key and, if the workflow does not change it, the same input. */
function sentAlike(world: World, mark: string, sent: readonly Sent[]): void {
	const most = wantedOf(world, mark) * (1 + world.stops);
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

/**
 * The record of the execution names the job, the key under which it was sent or, if nothing answered then, its input; or the job
 * was made in this try.
 */
function isNamed({ record, startedAt }: Execution, { at, value }: Bill | Sent, id: string, sent: readonly Sent[]): boolean {
	const keys = sent.filter((one) => one.value === value).flatMap(({ key }) => key ?? []);
	return at >= startedAt || [id, String(value), ...keys].some((name) => record.includes(name));
}

/** Each item once, with a job of its own that was billed for it. */
function deliveredRightly({ via, history }: World, execution: Execution, bills: readonly Bill[], sent: readonly Sent[]): void {
	const problems: string[] = [];
	const owners = new Set<string>();
	for (const { node, marks, items } of execution.finished) {
		const delivered = items.map((item) => ({ item: (item.pairedItem as { item: number }).item, ...via.delivered(item) }));
		for (const one of delivered) {
			if (owners.has(`${node} ${one.id}`)) problems.push(`A job was delivered to two items: ${told(one)}`);
			owners.add(`${node} ${one.id}`);
			// An engine that has forgotten an ID runs it again, and the sandbox then shows only the last of its graphs.
			const ofJob = [...bills.filter(({ id }) => id === one.id), ...sent.filter(({ key }) => key === one.id)];
			const own = ofJob.findLast(
				({ mark, value }) => mark === marks[one.item] && mark === (one.mark ?? mark) && value === (one.value ?? value),
			);
			if (own === undefined) problems.push(`${told(one)} is not of its item ${marks[one.item]}, but ${told(ofJob)}`);
			else if (history.input === 'random' && !isNamed(execution, own, one.id, sent))
				problems.push(`${told(one)} is of an input that no record names`);
		}
		const each = marks.map((_, item) => delivered.filter((one) => one.item === item).length);
		if (each.some((times) => times !== 1)) problems.push(`Items were delivered ${each.join(', ')} times`);
	}
	if (problems.length > 0) throw new Error(problems.join('\n'));
}

/** Twins and nodes have jobs of their own. Of twins, n8n has to know which one it retries. */
function sharedUnder(world: World): Condition[] {
	const { chains, lostRecords, via } = world;
	const owners = new Map<string, Set<string>>();
	for (const [nth, chain] of chains.entries()) {
		const chainName = lostRecords.length > 0 ? '' : String(nth);
		for (const { node, items } of chain.flatMap(({ state, finished }) => (state === 'delivered' ? finished : [])))
			for (const { id } of items.map(via.delivered)) owners.set(id, (owners.get(id) ?? new Set()).add(chainName + node));
	}
	const shared = [...owners].filter(([, { size }]) => size > 1);
	if (shared.length === 0) return [];
	if (via.conditions?.includes(SHARED) === true && SHARED.isFor(world, [])) return [SHARED];
	throw new Error(`A job was delivered to two nodes or executions: ${told(shared.map(([id]) => id))}`);
}
