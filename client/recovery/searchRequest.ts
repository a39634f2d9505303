import { clock } from '../async/clock';
import type { UnknownOutcomeError } from '../errors/errors';
import type { ApiGraph } from '../ports/job';
import type { CallOptions, NewJob, SubmitOptions } from '../ports/jobService';
import { unansweredSince } from '../requests/submissionSeries';

/** How far the service's clock may lag behind ours. */
export const CLOCK_SKEW_MS = 60_000;
/** Some lists round times down to seconds. */
export const ROUNDED_BY_MS = 1_000;
/** Services keep keys and jobs for 24 hours. The margin allows for different clocks. */
const SURELY_KEPT_MS = 23 * 60 * 60 * 1000;

/** What to search for: the job of a submission that is unconfirmed, or that an earlier process may have made. */
export interface SearchRequest extends CallOptions {
	graph: ApiGraph;
	/** When the submission may have been sent first (epoch milliseconds). */
	since: number;
	/** The submission that the job is claimed for. */
	owner: unknown;
	/** Jobs of other submissions. */
	knownJobIds?: ReadonlySet<string>;
	/** Other ids that the submission may have been sent under, after stops whose record is lost. */
	laterIds?: readonly string[];
	/** Called with `recovered` when the job is found. */
	onEvent?: SubmitOptions['onEvent'];
	/** The idempotency key, for the error if no job is found. */
	key?: string;
	/** What the error says about a submission of an earlier process. */
	before?: UnknownOutcomeError['before'];
	/** Why the submission is unconfirmed. */
	cause?: unknown;
}

/** Returns who owns the job of a submission. A submission without id and key is its own owner. */
export const ownerOf = ({ submissionId, idempotencyKey }: SubmitOptions): unknown => submissionId ?? idempotencyKey ?? {};

/** Returns when the submission may have been sent first (epoch milliseconds); undefined if it certainly was not sent. */
export const sentSince = (options: SubmitOptions): number | undefined => options.earlier?.lostRecord?.since ?? unansweredSince(options);

export function toSearchRequest({ graph }: NewJob, options: SubmitOptions, since: number): SearchRequest {
	const { lostRecord, answerLost } = options.earlier ?? {};
	return {
		graph,
		since,
		owner: ownerOf(options),
		knownJobIds: options.knownJobIds,
		laterIds: lostRecord?.laterIds,
		onEvent: options.onEvent,
		key: options.idempotencyKey,
		before: lostRecord === undefined || answerLost === true ? undefined : 'not_reported',
		signal: options.signal,
	};
}

/** Returns whether the service may have forgotten a key and a job of that time. */
export const mayBeForgotten = (since: number): boolean => clock.wallNow() - since > SURELY_KEPT_MS;

/** Returns whether the time is in the future, because our clock was set back. No list can prove anything about jobs since then. */
export const isInFuture = (since: number): boolean => since > clock.wallNow() + ROUNDED_BY_MS;
