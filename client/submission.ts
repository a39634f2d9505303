/** The parts of a submission that all interfaces have in common. */
import { jsonBody } from './api';
import { ApiError, ConnectionError, UnreadableAnswerError } from './errors';
import type { Submission } from './ports';
import { isContactOver, markUnanswered } from './transport/retry';
import type { FailureSeries, ServerContact } from './transport/serverContact';

/** How long a submission is repeated while the service is busy or unreachable. */
export const SUBMIT_BUDGET_MS = 60_000;

/**
 * @param field the interface's name for the graph.
 * @param otherFields of the body.
 */
export function toSubmissionBody(
	field: 'workflow' | 'prompt',
	{ graph, extraData }: Submission,
	otherFields: Record<string, unknown> = {},
): ReturnType<typeof jsonBody> {
	const hasExtraData = extraData !== undefined && Object.keys(extraData).length > 0;
	return jsonBody({ [field]: graph, ...(hasExtraData && { extra_data: extraData }), ...otherFields });
}

export interface SubmissionTime {
	/** The remaining time for a service that is full or busy, in milliseconds. */
	budgetMs: number;
	/** The pause before the next attempt, in milliseconds. */
	pauseMs: number;
	/** Whether a job may exist already. */
	isUnconfirmed: boolean;
}

/** Decides how long one submission is repeated. */
export class SubmissionLimit {
	private readonly series?: FailureSeries;

	constructor(private readonly contact: ServerContact | undefined) {
		this.series = contact?.newSeries();
	}

	/**
	 * @returns how long to repeat a submission after this error, in milliseconds. If a job may exist, the whole budget is
	 *   used, unless the server has never answered.
	 */
	timeLeft(error: unknown, { budgetMs, pauseMs, isUnconfirmed }: SubmissionTime): number {
		const contactMs = this.series?.remainingAfter(error);
		if (contactMs === undefined || (isUnconfirmed && this.contact?.hasAnswered)) return budgetMs;
		if (!isContactOver(error, contactMs, pauseMs)) return isUnconfirmed ? Math.min(budgetMs, contactMs) : contactMs;
		markUnanswered(error, this.contact);
		return 0;
	}
}

/**
 * Whether the service may have accepted a submission despite this error: no response, half a response, or a failure on
 * the way back.
 */
export function mayHaveMadeJob(error: unknown): boolean {
	if (error instanceof ConnectionError) return error.mayHaveArrived;
	if (error instanceof UnreadableAnswerError) return error.status < 300 || error.status >= 500;
	return error instanceof ApiError && error.status >= 500 && error.status !== 501;
}
