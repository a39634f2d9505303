import { clock, type Timer } from '../clock';
import type { News, NewsKind } from './news';

/** What comes in floods, where only the newest matters. */
const REPLACEABLE: ReadonlySet<NewsKind> = new Set(['progress', 'preview', 'text', 'queue', 'log', 'node', 'other']);
/** A job that says ever new things waits in line; more than this cannot be of use to anybody. */
const MOST_WAITING = 500;

/**
 * Passes on at most one piece of replaceable news for each job, kind and node per interval: the first at once, then the
 * newest. Whatever else comes is passed on at once, after what waits of its job, so that the order holds.
 */
export class Throttle {
	private readonly waiting = new Map<string, News>();
	private readonly passedAt = new Map<string, number>();
	private timer?: Timer;

	constructor(
		private readonly intervalMs: number,
		private readonly pass: (news: News) => void,
	) {}

	take(news: News): void {
		if (!REPLACEABLE.has(news.kind)) {
			this.release((waiting) => waiting.job_id === news.job_id);
			if (news.kind === 'finished') this.forget(news.job_id);
			this.pass(news);
			return;
		}
		const lane = laneOf(news);
		this.waiting.delete(lane);
		this.waiting.set(lane, news);
		if (this.waiting.size > MOST_WAITING) this.release(() => true);
		this.releaseDue();
	}

	/** What waits is dropped. */
	close(): void {
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

	private release(isMeant: (news: News, lane: string) => boolean): void {
		for (const [lane, news] of this.waiting) {
			if (!isMeant(news, lane)) continue;
			this.waiting.delete(lane);
			this.passedAt.set(lane, clock.now());
			this.pass(news);
		}
	}

	private forget(jobId: string | null): void {
		for (const lane of this.passedAt.keys()) if (lane.startsWith(`${jobId} `)) this.passedAt.delete(lane);
	}
}

const laneOf = ({ job_id, kind, node_id }: News): string => `${job_id} ${kind} ${kind === 'progress' ? '' : node_id}`;
