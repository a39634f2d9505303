import { StoppedError, UnknownOutcomeError } from '../errors';
import type { JsonRecord } from '../records';
import { STOP_GRACE_MS } from '../submission';
import { throwIfStopped } from '../transport/delay';
import { withGrace } from '../transport/grace';
import { outcomeOf } from '../transport/outcome';
import type { RouterApi } from './api';
import { keyedCall } from './call';
import { runFacts } from './headers';
import { modelPath } from './modelId';
import { Deadline, persist } from './persist';
import { type FollowOptions, QueuedRun } from './queuedRun';
import { linksOf, requestOf, type RequestLinks, sendCancel } from './requests';
import type { RouterModelId, RouterRequest, RouterRequestAddress, RouterRun, RouterRunFacts, RouterRunOptions } from './types';

export type CollectOptions = FollowOptions & Pick<RouterRunOptions, 'maxWaitMs'>;
export type QueuedOptions = RouterRunOptions & { onSubmitted?: (request: RouterRequest) => void };

/** @see ModelRouter.runQueued */
export async function runQueued(api: RouterApi, model: RouterModelId, input: JsonRecord, options: QueuedOptions): Promise<RouterRun> {
	const deadline = new Deadline(options.maxWaitMs);
	// A submission on its way may bring its answer: only a request that is known can be cancelled.
	return await withGrace(options.signal, STOP_GRACE_MS, async (later) => {
		const { request, facts } = await submit(api, model, input, options, deadline, later);
		options.onSubmitted?.(request);
		const links = await linksOf(api, { model, id: request.id }, request, { signal: later });
		const run = await followed(api, links, options, deadline, later, request);
		return { ...run, facts: together(facts, run.facts) };
	});
}

/** @see ModelRouter.collect */
export async function collect(api: RouterApi, address: RouterRequestAddress, options: CollectOptions): Promise<RouterRun> {
	const deadline = new Deadline(options.maxWaitMs);
	return await withGrace(options.signal, STOP_GRACE_MS, async (later) => {
		const found = await outcomeOf(api.repeat(async () => await linksOf(api, address, {}, options), options, { budgetMs: deadline.remainingMs }));
		if (found.ok) return await followed(api, found.value, options, deadline, later);
		throw found.error instanceof StoppedError ? found.error : new UnknownOutcomeError(options.idempotencyKey, { cause: found.error });
	});
}

/** A stop cancels the request first. */
async function followed(api: RouterApi, links: RequestLinks, options: FollowOptions, deadline: Deadline, later: AbortSignal, request?: RouterRequest): Promise<RouterRun> {
	const outcome = await outcomeOf(
		(async () => {
			throwIfStopped(options.signal);
			return await new QueuedRun(api, links, options, deadline).finished(request);
		})(),
	);
	if (outcome.ok) return outcome.value;
	if (outcome.error instanceof StoppedError) await outcomeOf(sendCancel(api, links.cancel, { signal: later }));
	throw outcome.error;
}

async function submit(api: RouterApi, model: RouterModelId, input: JsonRecord, options: QueuedOptions, deadline: Deadline, later: AbortSignal) {
	const { idempotencyKey, signal, firstSentAt, onSending, onMayHaveRun } = options;
	const { limits } = api;
	const call = await keyedCall(api, `${modelPath(model)}/requests`, input, options, deadline);
	const attempt = async () => {
		throwIfStopped(signal);
		const response = await api.send({ ...call, signal: later, totalMs: limits.requestMs });
		return { request: await requestOf(api, response), facts: runFacts(response, idempotencyKey) };
	};
	return await persist(attempt, { idempotencyKey, deadline, limits, signal, firstSentAt, onSending, onMayHaveRun });
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
