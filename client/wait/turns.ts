import { clock, type Timer } from '../clock';
import { isTerminal, type Job } from '../job';
import { runAsShared } from '../observer';
import { outcomeOf } from '../transport/outcome';
import { JobLook } from './jobLook';
import { FIRST_INTERVAL_MS, LONGEST_INTERVAL_MS, SHARED_TIMES, type SharedTimes, slower } from './times';
import type { ListWord, Waiter } from './waiter';

/** Fewer are read one by one: a list may be long. */
const LISTED_FROM = 4;
/** With each request; else reads are the smaller work. */
const LEAST_TOLD = 2;
/** Whoever rests for so long is looked for this much more often where one look serves all. */
const LOOKS_IN_A_REST = 5;
/** Each further page of a look puts off the next one by this part of its time. */
const PART_FOR_A_PAGE = 0.1;
/** A look that takes longer holds nobody up. */
const LONGEST_LOOK_MS = 5_000;
/** The more there are, the coarser the clock. */
const WAITERS_FOR_A_MS = 50;
/** What is left over of a quiet time is no reason for many reads at once. */
const LONGEST_CREDIT_MS = 50;

/**
 * When the waits of one connection read their jobs: each at the pace of plain polling at most, all together no faster
 * than is bearable, and where the service lists its jobs by one look for all.
 */
export class Turns {
	/** Who has rested longest comes first. */
	private readonly waiters = new Set<Waiter>();
	private timer?: Timer;
	private timerAt = Infinity;
	private lastTurnAt = -Infinity;
	private hurriedUntil = -Infinity;
	private lookingSince?: number;
	private lookedAt = -Infinity;
	private requestsOfLook = 1;
	private noListUntil = -Infinity;
	/** The list has no pages and is longer than what it tells. */
	private onlyEnds = false;

	constructor(private readonly times: SharedTimes = SHARED_TIMES) {}

	get isEmpty(): boolean {
		return this.waiters.size === 0;
	}

	join(waiter: Waiter): void {
		if (this.isEmpty) this.lookedAt = clock.now();
		this.waiters.add(waiter);
	}

	leave(waiter: Waiter): void {
		this.waiters.delete(waiter);
		if (this.isEmpty) this.setTimer(Infinity);
	}

	/** One of them has just read its job, and rests. */
	rests(waiter: Waiter): void {
		if (this.waiters.delete(waiter)) this.waiters.add(waiter);
		waiter.slackMs = isUrgent(waiter) ? 0 : this.slackMs(waiter.restMs);
		if (waiter.dueAt < this.timerAt) this.setTimer(waiter.dueAt);
	}

	/** A job has ended: others that began with it may end now, too. */
	hurry(): void {
		this.hurriedUntil = clock.now() + this.times.hurriedMs;
		if (!this.isEmpty) this.setTimer(Math.min(this.timerAt, clock.now() + this.leastTickMs));
	}

	/** By chance, so that waits which began together do not read together, and as much as keeps all of them within their pace. */
	private slackMs(restMs: number): number {
		const { roundMs, readsApartMs } = this.times;
		return 2 * Math.random() * Math.max(0, Math.min(roundMs, readsApartMs * this.waiters.size) - restMs);
	}

	private get leastTickMs(): number {
		return this.waiters.size / WAITERS_FOR_A_MS;
	}

	private setTimer(at: number): void {
		clearTimeout(this.timer);
		this.timerAt = at;
		if (at < Infinity) this.timer = clock.after(Math.max(this.leastTickMs, at - clock.now()), () => this.tick());
	}

	private tick(): void {
		const now = clock.now();
		const lookAt = this.nextLookAt(now);
		if (lookAt <= now) void this.look();
		const turnAt = this.giveTurns(now);
		this.setTimer(Math.min(turnAt, this.lookingSince === undefined ? lookAt : this.stuckAt(now, this.lookingSince)));
	}

	/** When a look that goes on holds nobody up any more; where that is over, its end brings the next turn by itself. */
	private stuckAt(now: number, lookingSince: number): number {
		const at = lookingSince + LONGEST_LOOK_MS;
		return at > now ? at : Infinity;
	}

	/** @returns when the next may be due. */
	private giveTurns(now: number): number {
		const apartMs = this.readsApartMs(now);
		const isListing = this.isListing(now);
		this.lastTurnAt = Math.max(this.lastTurnAt, now - Math.max(apartMs, LONGEST_CREDIT_MS));
		let next = Infinity;
		for (const waiter of this.waiters) {
			if (!waiter.isResting) continue;
			const dueAt = (isListing ? this.dueBesideList(waiter) : waiter.dueAt) + (now < this.hurriedUntil ? 0 : waiter.slackMs);
			if (dueAt <= now && (isUrgent(waiter) || this.lastTurnAt + apartMs <= now)) {
				if (!isUrgent(waiter)) this.lastTurnAt += apartMs;
				waiter.call('turn');
			} else next = Math.min(next, Math.max(dueAt, isUrgent(waiter) ? 0 : this.lastTurnAt + apartMs));
		}
		return next;
	}

	private readsApartMs(now: number): number {
		const { roundMs, hurriedRoundMs, readsApartMs } = this.times;
		return Math.min(readsApartMs, (now < this.hurriedUntil ? hurriedRoundMs : roundMs) / this.waiters.size);
	}

	/** Where the list tells of its job, a wait has no turn of its own; the list's silence is not believed for ever. */
	private dueBesideList(waiter: Waiter): number {
		const { word, dueAt, readAt, parts } = waiter;
		if (isUrgent(waiter) || parts.job() === undefined || (word !== undefined && !vouches(word))) return dueAt;
		return word === 'silent' ? readAt + this.times.silenceMs : Infinity;
	}

	/** The list is looked at for those who rest, or will be in a moment. */
	private isListing(now: number): boolean {
		const isStuck = this.lookingSince !== undefined && now - this.lookingSince >= LONGEST_LOOK_MS;
		const [anyone] = this.waiters;
		const isWorthIt = this.waiters.size >= LISTED_FROM && anyone?.parts.jobs.capabilities.cheapList === true;
		return isWorthIt && !isStuck && now >= this.noListUntil;
	}

	/** One look serves all, so that it may come as often as all of them together may read. */
	private nextLookAt(now: number): number {
		if (this.lookingSince !== undefined || !this.isListing(now)) return Infinity;
		let rate = 0;
		let shortest = Infinity;
		for (const { isResting, restMs } of this.waiters) {
			if (!isResting) continue;
			rate += 1 / restMs;
			shortest = Math.min(shortest, restMs);
		}
		if (rate === 0) return Infinity;
		const pages = 1 + (this.requestsOfLook - 1) * PART_FOR_A_PAGE;
		const apartMs = Math.max(
			this.requestsOfLook / rate,
			Math.max(this.times.looksApartMs, now < this.hurriedUntil ? 0 : shortest / LOOKS_IN_A_REST) * pages,
		);
		return this.lookedAt + apartMs;
	}

	/** By the service of one of them. When that one is gone meanwhile, another takes over. */
	private async look(): Promise<void> {
		const wanted = [...this.waiters].filter(({ isResting, parts }) => isResting && !parts.signal.aborted && parts.job() !== undefined);
		const [looker] = wanted;
		this.lookedAt = clock.now();
		if (looker === undefined) return;
		this.lookingSince = this.lookedAt;
		const jobs = new Map(wanted.map(({ parts }) => parts.job() as Job).map((job) => [job.job_id, job]));
		const look = new JobLook(looker.parts.jobs, jobs, looker.parts.signal, this.onlyEnds);
		const looked = await outcomeOf(runAsShared(async () => await look.run()));
		this.lookingSince = undefined;
		this.lookedAt = clock.now();
		if (looked.ok) this.tell(look, wanted);
		else if (this.waiters.has(looker) && !looker.parts.signal.aborted) this.noListUntil = this.lookedAt + this.times.noListMs;
		else this.lookedAt = -Infinity;
		if (!this.isEmpty) this.tick();
	}

	private tell(look: JobLook, wanted: readonly Waiter[]): void {
		this.requestsOfLook = look.requests;
		this.onlyEnds = look.onlyEnds;
		if (look.told < LEAST_TOLD * look.requests && look.told < wanted.length) this.noListUntil = this.lookedAt + this.times.noListMs;
		for (const waiter of wanted) {
			const jobId = waiter.parts.job()?.job_id ?? '';
			tellWaiter(waiter, look.listed.get(jobId) ?? (look.silent.has(jobId) ? 'silent' : 'unknown'));
		}
	}
}

/** The end was told, and the read lags behind by a moment. */
const isUrgent = ({ restMs }: Waiter): boolean => restMs < FIRST_INTERVAL_MS;

function tellWaiter(waiter: Waiter, word: ListWord): void {
	const { word: before } = waiter;
	waiter.word = word;
	if (typeof word === 'object') waiter.parts.onListed(word);
	if (vouches(word)) restOn(waiter);
	else if (vouches(before)) readSoon(waiter);
	// Once: a read that does not say so is repeated in its turn.
	if (hasEnded(word) && !hasEnded(before)) waiter.call('list');
}

const hasEnded = (word: ListWord | undefined): boolean => typeof word === 'object' && isTerminal(word.status);

/** The job goes on, as far as a list can tell. */
const vouches = (word: ListWord | undefined): boolean => word === 'silent' || (typeof word === 'object' && !hasEnded(word));

/** Being vouched for counts like having been read. */
function restOn(waiter: Waiter): void {
	if (waiter.restMs < LONGEST_INTERVAL_MS) waiter.restMs = slower(waiter.restMs);
	waiter.dueAt = clock.now() + waiter.restMs;
}

function readSoon(waiter: Waiter): void {
	waiter.slackMs = 0;
	waiter.dueAt = Math.min(waiter.dueAt, waiter.readAt + waiter.restMs);
}
