/** What submissions over every interface have in common. */
import { jsonBody } from './api';
import { ApiError, ConnectionError, UnreadableAnswerError } from './errors';
import type { Submission } from './ports';

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

/** No answer, half an answer, or a failure on the way back: the service may have accepted a submission all the same. */
export function mayHaveMadeJob(error: unknown): boolean {
	if (error instanceof ConnectionError) return error.mayHaveArrived;
	if (error instanceof UnreadableAnswerError) return error.status < 300 || error.status >= 500;
	return error instanceof ApiError && error.status >= 500 && error.status !== 501;
}
