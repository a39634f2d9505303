import { ApiError, outcomeOf, UnreadableAnswerError } from '../../../client';
import { ItemFault } from '../../shared/itemFault';
import { messages } from '../../shared/messages/catalogue';
import type { ServerTask } from '../../shared/messages/topics/server';

function statusOf(error: unknown): number | null {
	if (error instanceof ApiError) return error.status;
	return error instanceof UnreadableAnswerError ? error.facts.status : null;
}

/** Returns the result. @throws ItemFault if the server does not have the route. Its other errors are thrown unchanged. */
export async function requireRoute<T>(task: ServerTask, answer: Promise<T>): Promise<T> {
	const outcome = await outcomeOf(answer);
	if (outcome.ok) return outcome.value;
	throw [404, 405].includes(statusOf(outcome.error) ?? 0) ? new ItemFault(messages.COMFYUI_TOO_OLD(task)) : outcome.error;
}
