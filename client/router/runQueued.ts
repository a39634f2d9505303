import { ApiError, StoppedError, UnknownOutcomeError } from '../errors';
import type { JsonRecord } from '../records';
import { STOP_GRACE_MS } from '../submission';
import { delay, throwIfStopped } from '../transport/delay';
import { withGrace } from '../transport/grace';
import { outcomeOf } from '../transport/outcome';
import { isTransient } from '../transport/retry';
import type { RouterApi } from './api';
import { bucketOf } from './buckets';
import { keyedCall } from './call';
import { runFacts } from './headers';
import { modelPath } from './modelId';
import { Deadline, persist } from './persist';
import { isPassingTrouble, linksOf, readResult, readStatus, requestOf, type RequestLinks, sendCancel } from './requests';
import { restOf } from './run';
import type { RouterModelId, RouterRequest, RouterRun, RouterRunFacts, RouterRunOptions } from './types';

const INTERVAL_MS = 1_000;

export type QueuedOptions = RouterRunOptions & { onSubmitted?: (request: RouterRequest) => void };

/** @see ModelRouter.runQueued */
export async function runQueued(api: RouterApi, model: RouterModelId, input: JsonRecord, options: QueuedOptions): Promise<RouterRun> {
	const { signal, onSubmitted } = options;
	const deadline = new Deadline(options.maxWaitMs);
	// A submission on its way may bring its answer: only a request that is known can be cancelled.
	return await withGrace(signal, STOP_GRACE_MS, async (later) => {
		const { request, facts } = await submit(api, model, input, options, deadline, later);
		const links = await linksOf(api, { model, id: request.id }, request, { signal: later });
		const outcome = await outcomeOf(
			(async () => {
				onSubmitted?.(request);
				throwIfStopped(signal);
				return await new QueuedRun(api, links, options, deadline).finished(request);
			})(),
		);
		if (outcome.ok) return { ...outcome.value, facts: together(facts, outcome.value.facts) };
		if (outcome.error instanceof StoppedError) await outcomeOf(sendCancel(api, links.cancel, { signal: later }));
		throw outcome.error;
	});
}

async function submit(api: RouterApi, model: RouterModelId, input: JsonRecord, options: QueuedOptions, deadline: Deadline, later: AbortSignal) {
	const { idempotencyKey, signal } = options;
	const { limits } = api;
	const call = await keyedCall(api, `${modelPath(model)}/requests`, input, options, deadline);
	const attempt = async () => {
		throwIfStopped(signal);
		const response = await api.send({ ...call, signal: later, totalMs: limits.requestMs });
		return { request: await requestOf(api, response), facts: runFacts(response, idempotencyKey) };
	};
	return await persist(attempt, { idempotencyKey, deadline, limits, signal });
}

/** A submitted request, followed to its result. */
class QueuedRun {
	constructor(
		private readonly api: RouterApi,
		private readonly links: RequestLinks,
		private readonly options: QueuedOptions,
		private readonly deadline: Deadline,
	) {}

	async finished(submitted: RouterRequest): Promise<RouterRun> {
		const { signal, idempotencyKey } = this.options;
		for (let request = submitted; ; request = await this.read(() => readStatus(this.api, this.links.status, { signal }), isTransient)) {
			const run = hasEnded(request) ? await this.result(request) : undefined;
			if (run !== undefined) return run;
			const { remainingMs } = this.deadline;
			if (remainingMs <= 0) throw new UnknownOutcomeError(idempotencyKey);
			await delay(Math.min((request.retryAfterMs ?? INTERVAL_MS) * this.api.limits.pauseScale, remainingMs), signal);
		}
	}

	private async result(request: RouterRequest): Promise<RouterRun | undefined> {
		const { signal, idempotencyKey } = this.options;
		const wholeMs = restOf(this.deadline, this.api.limits);
		const attempt = () => readResult(this.api, this.links.result, idempotencyKey, { signal, wholeMs });
		if (request.error_type === null) return await this.read(attempt, isPassingTrouble);
		// The result of a failed request says more than its status does, where it still answers.
		const outcome = await outcomeOf(attempt());
		const error = outcome.ok ? undefined : outcome.error;
		throw error instanceof StoppedError || tellsTheEnd(error, request) ? error : failureOf(request);
	}

	/** Reads until the deadline; what happens to the run is unknown then. */
	private async read<T>(attempt: () => Promise<T>, isWorthRetrying: (error: unknown) => boolean): Promise<T> {
		const { signal, idempotencyKey } = this.options;
		const outcome = await outcomeOf(this.api.repeat(attempt, { signal }, { budgetMs: Math.max(this.deadline.remainingMs, 0), isWorthRetrying }));
		if (outcome.ok) return outcome.value;
		throw isWorthRetrying(outcome.error) ? new UnknownOutcomeError(idempotencyKey, { cause: outcome.error }) : outcome.error;
	}
}

/** Completed badly is completed too, and only its bucket tells. */
const hasEnded = ({ status, error_type: bucket }: RouterRequest): boolean => status === 'COMPLETED' || bucket !== null;

const tellsTheEnd = (error: unknown, { error_type: bucket }: RouterRequest): boolean =>
	error instanceof ApiError && (!isPassingTrouble(error) || error.code === bucketOf(bucket ?? ''));

function failureOf({ error_type: word, request_id: requestId, ...request }: RouterRequest): ApiError {
	const code = bucketOf(word ?? '');
	const message = `The request ended with ${word}`;
	const details = { ...request, ...(code !== word && { error_type: word }) };
	return new ApiError({ interface: 'router', code, status: 200, message, details, requestId: requestId ?? undefined });
}

/** Some facts are told on submission, others with the result. */
function together(submitted: RouterRunFacts, finished: RouterRunFacts): RouterRunFacts {
	return {
		...finished,
		replayed: submitted.replayed || finished.replayed,
		credits_used: finished.credits_used ?? submitted.credits_used,
		spend: finished.spend ?? submitted.spend,
		dropped_parameters: finished.dropped_parameters.length > 0 ? finished.dropped_parameters : submitted.dropped_parameters,
		fallback_provider: finished.fallback_provider ?? submitted.fallback_provider,
	};
}
