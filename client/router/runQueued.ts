import type { JsonRecord } from '../decode';
import { StoppedError, UnknownOutcomeError } from '../errors';
import { throwIfStopped } from '../transport/delay';
import { outcomeOf } from '../transport/outcome';
import { AcceptedRequest, type FollowOptions } from './acceptedRequest';
import type { RouterApi } from './api';
import { keyedCall } from './call';
import { departing, type Departure } from './departure';
import { runFacts } from './headers';
import { modelPath } from './modelId';
import { Deadline, persist } from './persist';
import { linksOf, type RequestLinks, requestOf, sendCancel } from './requests';
import type { RouterModelId, RouterRequest, RouterRequestAddress, RouterRun, RouterRunFacts, RouterRunOptions } from './types';

export type CollectOptions = FollowOptions & Pick<RouterRunOptions, 'maxWaitMs'>;
export type QueuedOptions = RouterRunOptions & { onSubmitted?: (request: RouterRequest) => void };

/** @see ModelRouter.runQueued */
export async function runQueued(api: RouterApi, model: RouterModelId, input: JsonRecord, options: QueuedOptions): Promise<RouterRun> {
	const deadline = new Deadline(options.maxWaitMs);
	// A submission on its way may bring its answer: only a request that is known can be cancelled.
	return await departing(options, async (departure, later) => {
		if (departure.isLeft) throw new StoppedError();
		const { request, facts } = await submit(api, model, input, { ...options, signal: departure.patience }, deadline, later);
		options.onSubmitted?.(request);
		const links = await linksOf(api, { model, id: request.id }, request, { signal: later });
		const run = await followed(api, links, options, { deadline, departure, later }, request);
		return { ...run, facts: together(facts, run.facts) };
	});
}

/** @see ModelRouter.collect */
export async function collect(api: RouterApi, address: RouterRequestAddress, options: CollectOptions): Promise<RouterRun> {
	const deadline = new Deadline(options.maxWaitMs);
	return await departing(options, async (departure, later) => {
		const within = { signal: departure.patience };
		const found = await outcomeOf(
			api.repeat(async () => await linksOf(api, address, {}, within), within, { budgetMs: deadline.remainingMs }),
		);
		if (found.ok) return await followed(api, found.value, options, { deadline, departure, later });
		throw found.error instanceof StoppedError ? found.error : new UnknownOutcomeError(options.idempotencyKey, { cause: found.error });
	});
}

interface Course {
	deadline: Deadline;
	departure: Departure;
	/** Fires a little after the stop. */
	later: AbortSignal;
}

/** A stop cancels the request first, unless it was left before. */
async function followed(
	api: RouterApi,
	links: RequestLinks,
	options: FollowOptions,
	{ deadline, departure, later }: Course,
	request?: RouterRequest,
): Promise<RouterRun> {
	const outcome = await outcomeOf(
		(async () => {
			throwIfStopped(options.signal);
			return await new AcceptedRequest(api, links, options, deadline, departure).finished(request);
		})(),
	);
	if (outcome.ok) return outcome.value;
	if (outcome.error instanceof StoppedError && !departure.isLeft) await outcomeOf(sendCancel(api, links.cancel, { signal: later }));
	throw outcome.error;
}

async function submit(
	api: RouterApi,
	model: RouterModelId,
	input: JsonRecord,
	options: QueuedOptions,
	deadline: Deadline,
	later: AbortSignal,
) {
	const { idempotencyKey, signal } = options;
	const { limits } = api;
	const call = await keyedCall(api, `${modelPath(model)}/requests`, input, options, deadline);
	const attempt = async () => {
		throwIfStopped(signal);
		const response = await api.send({ ...call, signal: later, totalMs: limits.requestMs });
		return { request: await requestOf(api, response), facts: runFacts(response, idempotencyKey) };
	};
	return await persist(attempt, { ...options, deadline, limits, contact: api.http.contact });
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
