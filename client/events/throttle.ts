import { clock, type Timer } from '../async/clock';
import { Cache } from '../cache/cache';
import type { EventType, TriggerEvent } from './event';

/** Frequent events, of which only the newest matters. */
const REPLACEABLE: ReadonlySet<EventType> = new Set(['progress', 'preview', 'text', 'queue', 'log', 'node', 'other']);
/** Bounds the memory if a job sends events with ever new nodes. */
const MOST_WAITING = 500;
const MOST_LANES = 10_000;

/**
 * Passes on at most one replaceable event for each job, type and node per interval: the first immediately, then the newest.
 * Other events pass immediately, after the waiting events of their job, so that the order stays.
 */
export class Throttle {
	private readonly waiting = new Map<string, TriggerEvent>();
	/** When events passed. Older times do not matter. */
	private readonly passedAt: Cache<string, number>;
	private timer?: Timer;
	private isClosed = false;

	constructor(
		private readonly intervalMs: number,
		private readonly pass: (event: TriggerEvent) => void,
	) {
		this.passedAt = new Cache({ mostEntries: MOST_LANES, ttlMs: intervalMs });
	}

	/** Ignores the event if the throttle is closed. */
	add(event: TriggerEvent): void {
		if (this.isClosed) return;
		if (!REPLACEABLE.has(event.kind)) {
			this.release((waiting) => waiting.job_id === event.job_id);
			this.pass(event);
			return;
		}
		const lane = laneOf(event);
		this.waiting.delete(lane);
		this.waiting.set(lane, event);
		if (this.waiting.size > MOST_WAITING) this.release(() => true);
		this.releaseDue();
	}

	/** Drops the waiting events. */
	close(): void {
		this.isClosed = true;
		clearTimeout(this.timer);
		this.waiting.clear();
	}

	private readonly releaseDue = (): void => {
		this.release((_, lane) => this.dueInMs(lane) <= 0);
		clearTimeout(this.timer);
		const next = Math.min(...[...this.waiting.keys()].map((lane) => this.dueInMs(lane)));
		if (Number.isFinite(next)) this.timer = clock.after(Math.ceil(next), this.releaseDue);
	};

	private dueInMs(lane: string): number {
		return (this.passedAt.get(lane) ?? -Infinity) + this.intervalMs - clock.now();
	}

	private release(isDue: (event: TriggerEvent, lane: string) => boolean): void {
		for (const [lane, event] of this.waiting) {
			if (!isDue(event, lane)) continue;
			this.waiting.delete(lane);
			this.passedAt.set(lane, clock.now());
			this.pass(event);
		}
	}
}

const laneOf = ({ job_id, kind, node_id }: TriggerEvent): string => `${job_id} ${kind} ${kind === 'progress' ? '' : node_id}`;
