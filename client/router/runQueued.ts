import { throwIfStopped } from '../async/stoppableWait';
import type { JsonRecord } from '../json/decode';
import { StoppedError, UnknownOutcomeError } from '../errors/errors';
import { logDecision } from '../log/observer';
import { onAbort } from '../async/abort';
import { STOP_LIMIT_MS, withGrace } from '../async/grace';
import { outcomeOf } from '../async/outcome';
import { isGateway404, isTransient } from '../contact/failures';
import type { RouterApi } from './api';
import { modelPath } from './catalog';
import { readRunFacts } from './decode';
import {
	buildRequestLinks,
	isTemporaryReadError,
	readRequest,
	readResult,
	readStatus,
	readStoredResult,
	type RequestLinks,
	resolveRequestLinks,
	sendCancel,
} from './requests';
import { leavesRunUnconfirmed } from './retryTable';
import { prepareCall, remainingTime } from './run';
import { Deadline, sendUntilAnswered } from './sendUntilAnswered';
import type { RouterModelId, RouterRequest, RouterRequestAddress, RouterRun, RouterRunFacts, RouterRunOptions } from './types';

/** The pause between two status reads if the router asks for none. */
const DEFAULT_INTERVAL_MS = 1_000;

export type WaitForRequestOptions = Pick<RouterRunOptions, 'idempotencyKey' | 'signal' | 'shutdownSignal'>;
export type CollectOptions = WaitForRequestOptions & Pick<RouterRunOptions, 'maxWaitMs'>;
export type QueuedOptions = RouterRunOptions & { onSubmitted?: (request: RouterRequest) => void };

/** The limits of one wait. */
interface WaitContext {
	deadline: Deadline;
	shutdown: ShutdownState;
	/** Fires shortly after the stop, for work that a stop should not end at once. */
	graceSignal: AbortSignal;
}

/**
 * Runs a model by queued delivery, which survives a lost connection. It polls by `Retry-After`. A stop cancels the request, a
 * shutdown does not.
 */
export async function runQueued(api: RouterApi, model: RouterModelId, input: JsonRecord, options: QueuedOptions): Promise<RouterRun> {
	return await withWaitContext(options, async (context) => {
		if (context.shutdown.isShuttingDown) throw new StoppedError();
		const { request, facts } = await submit(api, model, input, options, context);
		options.onSubmitted?.(request);
		api.http.contact?.noteWork();
		const links = await resolveRequestLinks(api, { model, id: request.id }, request, { signal: context.graceSignal });
		const run = await new RequestWaiter(api, links, options, context).waitOrCancel(request);
		return { ...run, facts: mergeFacts(facts, run.facts) };
	});
}

/** Waits for the result of an accepted request, with reads only. A stop cancels the request, a shutdown does not. */
export async function collect(api: RouterApi, address: RouterRequestAddress, options: CollectOptions): Promise<RouterRun> {
	return await withWaitContext(options, async (context) => {
		const signal = context.shutdown.waitSignal;
		const findLinks = async () => await buildRequestLinks(api, address, { signal });
		const found = await outcomeOf(api.repeatFor(context.deadline.remainingMs, findLinks, { signal }));
		if (found.ok) return await new RequestWaiter(api, found.value, options, context).waitOrCancel();
		throw found.error instanceof StoppedError ? found.error : new UnknownOutcomeError(options.idempotencyKey, { cause: found.error });
	});
}

async function withWaitContext(options: CollectOptions, work: (context: WaitContext) => Promise<RouterRun>): Promise<RouterRun> {
	const deadline = new Deadline(options.maxWaitMs);
	const shutdown = new ShutdownState(options);
	const stopListening = shutdown.listen();
	try {
		return await withGrace(shutdown.waitSignal, STOP_LIMIT_MS, async (graceSignal) => await work({ deadline, shutdown, graceSignal }));
	} finally {
		stopListening();
	}
}

/**
 * Submits the request. A submission that is on its way gets the grace time for its answer, because only a known request can
 * be canceled.
 */
async function submit(
	api: RouterApi,
	model: RouterModelId,
	input: JsonRecord,
	options: QueuedOptions,
	{ deadline, shutdown, graceSignal }: WaitContext,
): Promise<{ request: RouterRequest; facts: RouterRunFacts }> {
	const { idempotencyKey } = options;
	const { limits } = api;
	const signal = shutdown.waitSignal;
	const call = await prepareCall(api, `${modelPath(model)}/requests`, input, { ...options, signal }, deadline);
	const attempt = async () => {
		throwIfStopped(signal);
		const response = await api.send({ ...call, signal: graceSignal, totalMs: limits.requestMs });
		return { request: await readRequest(api, response), facts: readRunFacts(response, idempotencyKey) };
	};
	return await sendUntilAnswered(attempt, { ...options, signal, deadline, limits, contact: api.http.contact, closed: api.http.closed });
}

/** Combines the facts of the submission with those of the result. */
function mergeFacts(submitted: RouterRunFacts, finished: RouterRunFacts): RouterRunFacts {
	return {
		...finished,
		replayed: submitted.replayed || finished.replayed,
		credits_used: finished.credits_used ?? submitted.credits_used,
		spend: finished.spend ?? submitted.spend,
		dropped_parameters: finished.dropped_parameters.length > 0 ? finished.dropped_parameters : submitted.dropped_parameters,
		fallback_provider: finished.fallback_provider ?? submitted.fallback_provider,
	};
}

/** Waits for the result of an accepted request, with reads only. */
class RequestWaiter {
	constructor(
		private readonly api: RouterApi,
		private readonly links: RequestLinks,
		private readonly options: WaitForRequestOptions,
		private readonly context: WaitContext,
	) {}

	/**
	 * A stop cancels the request. A shutdown does not.
	 * @param latest the latest status from the router, if it is known.
	 * @throws ApiError for how it ended; StoppedError for a stop, or a shutdown before the end; UnknownOutcomeError if its end
	 *   is unknown.
	 */
	async waitOrCancel(latest?: RouterRequest): Promise<RouterRun> {
		const { shutdown, graceSignal } = this.context;
		const outcome = await outcomeOf(this.wait(latest));
		if (outcome.ok) return outcome.value;
		const isStop = outcome.error instanceof StoppedError && !shutdown.isShuttingDown;
		if (isStop) await outcomeOf(sendCancel(this.api, this.links.cancel, { signal: graceSignal }));
		throw outcome.error;
	}

	private async wait(latest?: RouterRequest): Promise<RouterRun> {
		throwIfStopped(this.options.signal);
		for (let request = latest ?? (await this.readStatus()); ; request = await this.readStatus()) {
			logDecision({ kind: 'job_status', jobId: request.id, status: request.status, queuePosition: request.queue_position, from: 'read' });
			const run = hasEnded(request) ? await this.readResult(request) : undefined;
			if (run !== undefined) return run;
			const { remainingMs } = this;
			if (remainingMs <= 0) throw this.createUnknownEndError();
			const pauseMs = (request.retryAfterMs ?? DEFAULT_INTERVAL_MS) * this.api.limits.pauseScale;
			await this.api.pause(Math.min(pauseMs, remainingMs), this.context.shutdown.waitSignal);
		}
	}

	private async readStatus(): Promise<RouterRequest> {
		const attempt = () => readStatus(this.api, this.links.status, { signal: this.context.shutdown.waitSignal });
		return await this.repeat(attempt, isTransient);
	}

	private async readResult(request: RouterRequest): Promise<RouterRun | undefined> {
		const { signal, idempotencyKey } = this.options;
		const options = { signal, wholeMs: remainingTime(this.context.deadline, this.api.limits) };
		const { result } = this.links;
		if (request.error_type !== null) return await readStoredResult(this.api, result, idempotencyKey, request, options, this.remainingMs);
		return await this.repeat(() => readResult(this.api, result, idempotencyKey, options), isTemporaryReadError);
	}

	/** Repeats a read until the deadline. An accepted request continues despite failed reads. */
	private async repeat<T>(attempt: () => Promise<T>, isTemporary: (error: unknown) => boolean): Promise<T> {
		const signal = this.context.shutdown.waitSignal;
		// The router knows this request and names a bucket in each error, so another 404 comes from a gateway.
		const isWorthRetrying = (error: unknown): boolean => isTemporary(error) || isGateway404(error);
		const outcome = await outcomeOf(this.api.repeatFor(this.remainingMs, attempt, { signal }, { isWorthRetrying }));
		if (outcome.ok) return outcome.value;
		const { error } = outcome;
		throw isWorthRetrying(error) || leavesRunUnconfirmed(error) ? this.createUnknownEndError({ cause: error }) : error;
	}

	/** 0 during a shutdown. */
	private get remainingMs(): number {
		return this.context.shutdown.isShuttingDown ? 0 : Math.max(this.context.deadline.remainingMs, 0);
	}

	private createUnknownEndError(options?: ErrorOptions): Error {
		return this.context.shutdown.isShuttingDown ? new StoppedError() : new UnknownOutcomeError(this.options.idempotencyKey, options);
	}
}

/** A failed request has also ended. Only its bucket shows the failure. */
const hasEnded = ({ status, error_type: bucket }: RouterRequest): boolean => status === 'COMPLETED' || bucket !== null;

/**
 * Distinguishes a shutdown from a stop: the shutdown signal fires for both. After a shutdown the request is never canceled,
 * also if a stop follows.
 */
class ShutdownState {
	private hasShutDown = false;

	constructor(private readonly options: Pick<RouterRunOptions, 'signal' | 'shutdownSignal'>) {}

	get isShuttingDown(): boolean {
		return this.hasShutDown;
	}

	/** The signal that ends the wait. After a shutdown one last read is allowed. */
	get waitSignal(): AbortSignal | undefined {
		const { signal, shutdownSignal } = this.options;
		return this.hasShutDown ? signal : (shutdownSignal ?? signal);
	}

	/** @returns a function that stops listening. */
	listen(): () => void {
		const { signal, shutdownSignal } = this.options;
		const onShutdown = (): void => {
			this.hasShutDown = signal?.aborted !== true;
		};
		if (shutdownSignal?.aborted === true) onShutdown();
		return onAbort(shutdownSignal, onShutdown);
	}
}
