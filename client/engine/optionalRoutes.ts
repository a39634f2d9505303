import { outcomeOf } from '../async/outcome';
import { isMissingRoute } from '../comfyui/rejections';
import { isTransient } from '../contact/failures';
import { AnswerError, ApiError, UnreadableAnswerError } from '../errors/errors';
import { type Decision, logDecision } from '../log/observer';
import { type Decoder, jsonBody } from '../requests/serviceApi';
import { SupportMemory } from '../requests/supportMemory';
import type { CallOptions } from '../ports/jobService';
import type { EngineApi } from './api';

/**
 * What only newer engines have: the list and the reads of `/api/jobs` since ComfyUI 0.6, its routes to cancel since 0.26, and
 * the filter for all statuses, which came in between.
 */
export type OptionalRoute = Extract<Decision, { kind: 'route_replaced' }>['route'];

interface OptionalRequest {
	/** Below the root, already encoded. */
	path: string;
	/** Sends a POST with this JSON, or with no body if it is null. Default: a GET. */
	body?: object | null;
}

/** Requests to routes that an engine may lack. What it lacks is remembered, so that other routes are used at once. */
export class OptionalRoutes {
	private readonly support = new SupportMemory<OptionalRoute>();

	constructor(private readonly api: EngineApi) {}

	/** Whether the engine may have the route. All need `/api/jobs`. */
	mayHave(route: OptionalRoute): boolean {
		return this.support.isSupported(route) !== false && this.support.isSupported('jobs') !== false;
	}

	/** Whether the engine certainly has the route. */
	has(route: OptionalRoute): boolean {
		return this.support.isSupported(route) === true;
	}

	/** Notes that other routes replace this one, and why. */
	noteMissing(route: OptionalRoute, error: unknown): void {
		this.support.note(route, false);
		logDecision({ kind: 'route_replaced', route, error });
	}

	/**
	 * Sends a request that is safe to repeat.
	 * @returns undefined if other routes have to be used: the engine lacks this one, has no such job, or fails inside. One bad
	 *   prompt of any program makes the list of ComfyUI fail with a 500.
	 * @throws other errors.
	 */
	async call<T>(
		route: OptionalRoute,
		{ path, body }: OptionalRequest,
		decode: Decoder<T>,
		options: CallOptions = {},
	): Promise<T | undefined> {
		if (!this.mayHave(route)) return undefined;
		const request = { method: body === undefined ? 'GET' : 'POST', url: this.api.url(path), signal: options.signal } as const;
		const send = async (): Promise<T> => await this.api.call({ ...request, ...(body && jsonBody(body)) }, decode);
		const isWorthRetrying = (error: unknown): boolean => isTransient(error) && !isInnerFault(error);
		const result = await outcomeOf(this.api.repeat(send, options, { isWorthRetrying }));
		if (result.ok) {
			this.support.note(route, true);
			return result.value;
		}
		const { error } = result;
		if (isInnerFault(error)) logDecision({ kind: 'route_replaced', route, error });
		else if (isMissingJob(error)) this.support.note(route, true);
		else if (isMissingRoute(error) || isOtherProgram(error)) this.noteMissing(route, error);
		else throw error;
		return undefined;
	}
}

const isInnerFault = (error: unknown): boolean => error instanceof AnswerError && error.status === 500;

/** The engine's own 404 is about the job. For a missing route, the answer has another form. */
const isMissingJob = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** A web page and another product's JSON. If a login is missing, the other reads report it. */
const isOtherProgram = (error: unknown): boolean => error instanceof UnreadableAnswerError && !isTransient(error);
