/** Queued requests. They wait, run, and keep their result for a day. */
import { randomUUID } from 'node:crypto';
import type { Clock, RouterLimits } from './routerParts';
import type { Generation, GenerationOrder, Generations } from './generations';
import type { Generated } from './model';
import { RouterRefusal } from './refusals';

const RETENTION_MS = 24 * 60 * 60 * 1000;
const WORKERS = 4;

export interface QueuedRequest {
	readonly id: string;
	readonly order: GenerationOrder;
	status: 'IN_QUEUE' | 'IN_PROGRESS' | 'COMPLETED';
	generation?: Generation;
	outcome?: { result: Generated } | { error: unknown };
	completedAt?: number;
}

const cancelled = (): RouterRefusal => new RouterRefusal({ status: 409, bucket: 'cancelled', detail: 'The request was cancelled' });

export class RequestQueue {
	readonly #requests = new Map<string, QueuedRequest>();

	constructor(
		private readonly clock: Clock,
		private readonly generations: Generations,
		private readonly limits: RouterLimits,
	) {}

	submit(order: GenerationOrder): QueuedRequest {
		const request: QueuedRequest = { id: randomUUID(), order, status: 'IN_QUEUE' };
		this.#requests.set(request.id, request);
		this.advance();
		return request;
	}

	find(id: string): QueuedRequest | undefined {
		this.advance();
		return this.#requests.get(id);
	}

	/** 0 is the next to run. */
	positionOf(request: QueuedRequest): number {
		return this.#waiting().indexOf(request);
	}

	hasAgedOut({ completedAt }: QueuedRequest): boolean {
		return completedAt !== undefined && this.clock.now() - completedAt >= RETENTION_MS;
	}

	/** @returns false if it had already completed. */
	cancel(request: QueuedRequest): boolean {
		if (request.status === 'COMPLETED') return false;
		request.generation?.abort();
		this.#complete(request, { error: cancelled() });
		return true;
	}

	/** Starts the requests that may run. */
	advance(): void {
		for (const request of this.#waiting()) {
			if (this.#running() >= Math.min(WORKERS, this.limits.concurrency)) return;
			this.#start(request);
		}
	}

	#start(request: QueuedRequest): void {
		const generation = this.generations.start(request.order);
		request.generation = generation;
		request.status = 'IN_PROGRESS';
		generation.result.then(
			(result) => this.#complete(request, { result }),
			(error: unknown) => this.#complete(request, { error }),
		);
	}

	#complete(request: QueuedRequest, outcome: NonNullable<QueuedRequest['outcome']>): void {
		if (request.status === 'COMPLETED') return;
		Object.assign(request, { status: 'COMPLETED', outcome, completedAt: this.clock.now() });
		this.advance();
	}

	#waiting(): QueuedRequest[] {
		return [...this.#requests.values()].filter(({ status }) => status === 'IN_QUEUE');
	}

	#running(): number {
		return [...this.#requests.values()].filter(({ status }) => status === 'IN_PROGRESS').length;
	}
}
