/** What submissions over every interface have in common. */
import { jsonBody } from './api';
import type { Submission } from './services';

/** How long to keep trying while the service is busy or unreachable. */
export const SUBMIT_BUDGET_MS = 60_000;
/** A request on its way when the caller stops may bring its answer: only a job that is known can be canceled. */
export const STOP_GRACE_MS = 5_000;

/**
 * @param field what the interface calls the graph.
 * @param more what it takes beside it.
 */
export function submissionBody(field: 'workflow' | 'prompt', { graph, extraData }: Submission, more: Record<string, string> = {}): ReturnType<typeof jsonBody> {
	const isUsed = extraData !== undefined && Object.keys(extraData).length > 0;
	return jsonBody({ [field]: graph, ...(isUsed && { extra_data: extraData }), ...more });
}
