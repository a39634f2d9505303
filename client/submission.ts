/** What submissions over every interface have in common. */
import { jsonBody } from './api';
import { ApiError, ConnectionError, UnreadableAnswerError } from './errors';
import type { Submission } from './ports';
import { isContactOver, markUnanswered } from './transport/retry';
import type { FailureSeries, ServerContact } from './transport/serverContact';

/** How long to keep trying while the service is busy or unreachable. */
export const SUBMIT_BUDGET_MS = 60_000;

/**
 * @param field what the interface calls the graph.
 * @param more what it takes beside it.
 */
export function submissionBody(
	field: 'workflow' | 'prompt',
	{ graph, extraData }: Submission,
	more: Record<string, unknown> = {},
): ReturnType<typeof jsonBody> {
	const isUsed = extraData !== undefined && Object.keys(extraData).length > 0;
	return jsonBody({ [field]: graph, ...(isUsed && { extra_data: extraData }), ...more });
}

export interface SubmissionTime {
	/** What is left of the time for a service that is full or busy, in milliseconds. */
	budgetMs: number;
	/** Before the next attempt. */
	pauseMs: number;
	/** A job may exist already. */
	mayExist: boolean;
}

/** For how long one submission is repeated. */
export class SubmissionLimit {
	private readonly series?: FailureSeries;

	constructor(private readonly contact: ServerContact | undefined) {
		this.series = contact?.newSeries();
	}

	/**
	 * @returns for how long to repeat a submission that failed like this, in milliseconds. A job that may exist is worth the
	 *   whole budget, unless the server has never answered.
	 */
	timeLeft(error: unknown, { budgetMs, pauseMs, mayExist }: SubmissionTime): number {
		const contactMs = this.series?.remainingAfter(error);
		if (contactMs === undefined || (mayExist && this.contact?.hasAnswered)) return budgetMs;
		if (!isContactOver(error, contactMs, pauseMs)) return mayExist ? Math.min(budgetMs, contactMs) : contactMs;
		markUnanswered(error, this.contact);
		return 0;
	}
}

/** No answer, half an answer, or a failure on the way back: the service may have accepted a submission all the same. */
export function mayHaveMadeJob(error: unknown): boolean {
	if (error instanceof ConnectionError) return error.mayHaveArrived;
	if (error instanceof UnreadableAnswerError) return error.status < 300 || error.status >= 500;
	return error instanceof ApiError && error.status >= 500 && error.status !== 501;
}
