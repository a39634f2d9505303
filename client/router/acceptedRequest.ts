import { StoppedError, UnknownOutcomeError } from '../errors';
import { decided } from '../observer';
import { delay } from '../transport/delay';
import { outcomeOf } from '../transport/outcome';
import { isForeign404, isTransient } from '../transport/retry';
import type { RouterApi } from './api';
import type { Departure } from './departure';
import type { Deadline } from './persist';
import { isPassingTrouble, readResult, readStatus, readStored, type RequestLinks } from './requests';
import { leavesItOpen } from './retryTable';
import { restOf } from './run';
import type { RouterRequest, RouterRun, RouterRunOptions } from './types';

const INTERVAL_MS = 1_000;

export type FollowOptions = Pick<RouterRunOptions, 'idempotencyKey' | 'signal' | 'leaving'>;

/** A request that was accepted, followed to its result by reads alone. */
export class AcceptedRequest {
	constructor(
		private readonly api: RouterApi,
		private readonly links: RequestLinks,
		private readonly options: FollowOptions,
		private readonly deadline: Deadline,
		private readonly departure: Departure,
	) {}

	/**
	 * @param submitted what the router said of it last, where that is known.
	 * @throws ApiError for how it ended; StoppedError for a stop, and for who leaves before the end; UnknownOutcomeError for whatever says nothing of that.
	 */
	async finished(submitted?: RouterRequest): Promise<RouterRun> {
		for (let request = submitted ?? (await this.status()); ; request = await this.status()) {
			decided({ kind: 'job_stands', jobId: request.id, status: request.status, queuePosition: request.queue_position, from: 'read' });
			const run = hasEnded(request) ? await this.result(request) : undefined;
			if (run !== undefined) return run;
			const { remainingMs } = this;
			if (remainingMs <= 0) throw this.unknown();
			await delay(Math.min((request.retryAfterMs ?? INTERVAL_MS) * this.api.limits.pauseScale, remainingMs), this.departure.patience);
		}
	}

	private async status(): Promise<RouterRequest> {
		return await this.read(() => readStatus(this.api, this.links.status, { signal: this.departure.patience }), mayPass(isTransient));
	}

	private async result(request: RouterRequest): Promise<RouterRun | undefined> {
		const { signal, idempotencyKey } = this.options;
		const options = { signal, wholeMs: restOf(this.deadline, this.api.limits) };
		const { result } = this.links;
		if (request.error_type !== null) return await readStored(this.api, result, idempotencyKey, request, options, this.remainingMs);
		return await this.read(() => readResult(this.api, result, idempotencyKey, options), mayPass(isPassingTrouble));
	}

	/** Reads until the deadline, if the router has ever answered. A request that was accepted goes on, whatever its reads meet with. */
	private async read<T>(attempt: () => Promise<T>, isWorthRetrying: (error: unknown) => boolean): Promise<T> {
		const signal = this.departure.patience;
		const { contact } = this.api.http;
		const policy = { budgetMs: this.remainingMs, contact: contact?.hasAnswered ? undefined : contact, isWorthRetrying };
		const outcome = await outcomeOf(this.api.repeat(attempt, { signal }, policy));
		if (outcome.ok) return outcome.value;
		const { error } = outcome;
		throw isWorthRetrying(error) || leavesItOpen(error) ? this.unknown({ cause: error }) : error;
	}

	/** None for who has left. */
	private get remainingMs(): number {
		return this.departure.isLeft ? 0 : Math.max(this.deadline.remainingMs, 0);
	}

	private unknown(options?: ErrorOptions): Error {
		return this.departure.isLeft ? new StoppedError() : new UnknownOutcomeError(this.options.idempotencyKey, options);
	}
}

/** The router names the kind of each refusal, and this request is known to it: another 404 is a gateway's. */
const mayPass =
	(isPassing: (error: unknown) => boolean) =>
	(error: unknown): boolean =>
		isPassing(error) || isForeign404(error);

/** Completed badly is completed too, and only its bucket tells. */
const hasEnded = ({ status, error_type: bucket }: RouterRequest): boolean => status === 'COMPLETED' || bucket !== null;
