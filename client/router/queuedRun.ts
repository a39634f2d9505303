import { UnknownOutcomeError } from '../errors';
import { delay } from '../transport/delay';
import { outcomeOf } from '../transport/outcome';
import { isTransient } from '../transport/retry';
import type { RouterApi } from './api';
import type { Deadline } from './persist';
import { isPassingTrouble, readResult, readStatus, readStored, type RequestLinks } from './requests';
import { leavesItOpen } from './retryTable';
import { restOf } from './run';
import type { RouterRequest, RouterRun, RouterRunOptions } from './types';

const INTERVAL_MS = 1_000;

export type FollowOptions = Pick<RouterRunOptions, 'idempotencyKey' | 'signal'>;

/** A request that was accepted, followed to its result by reads alone. */
export class QueuedRun {
	constructor(
		private readonly api: RouterApi,
		private readonly links: RequestLinks,
		private readonly options: FollowOptions,
		private readonly deadline: Deadline,
	) {}

	/**
	 * @param submitted what the router said of it last, where that is known.
	 * @throws ApiError for how it ended; UnknownOutcomeError for whatever says nothing of that.
	 */
	async finished(submitted?: RouterRequest): Promise<RouterRun> {
		const { signal, idempotencyKey } = this.options;
		for (let request = submitted ?? (await this.status()); ; request = await this.status()) {
			const run = hasEnded(request) ? await this.result(request) : undefined;
			if (run !== undefined) return run;
			const { remainingMs } = this.deadline;
			if (remainingMs <= 0) throw new UnknownOutcomeError(idempotencyKey);
			await delay(Math.min((request.retryAfterMs ?? INTERVAL_MS) * this.api.limits.pauseScale, remainingMs), signal);
		}
	}

	private async status(): Promise<RouterRequest> {
		const { signal } = this.options;
		return await this.read(() => readStatus(this.api, this.links.status, { signal }), isTransient);
	}

	private async result(request: RouterRequest): Promise<RouterRun | undefined> {
		const { signal, idempotencyKey } = this.options;
		const options = { signal, wholeMs: restOf(this.deadline, this.api.limits) };
		const { result } = this.links;
		if (request.error_type !== null) return await readStored(this.api, result, idempotencyKey, request, options, Math.max(this.deadline.remainingMs, 0));
		return await this.read(() => readResult(this.api, result, idempotencyKey, options), isPassingTrouble);
	}

	/** Reads until the deadline. A request that was accepted goes on, whatever its reads meet with. */
	private async read<T>(attempt: () => Promise<T>, isWorthRetrying: (error: unknown) => boolean): Promise<T> {
		const { signal, idempotencyKey } = this.options;
		const outcome = await outcomeOf(this.api.repeat(attempt, { signal }, { budgetMs: Math.max(this.deadline.remainingMs, 0), isWorthRetrying }));
		if (outcome.ok) return outcome.value;
		const { error } = outcome;
		throw isWorthRetrying(error) || leavesItOpen(error) ? new UnknownOutcomeError(idempotencyKey, { cause: error }) : error;
	}
}

/** Completed badly is completed too, and only its bucket tells. */
const hasEnded = ({ status, error_type: bucket }: RouterRequest): boolean => status === 'COMPLETED' || bucket !== null;
