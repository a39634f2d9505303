import { ApiError, outcomeOf, UnreadableAnswerError } from '../../../client';
import { ItemFault } from '../itemFault';
import { joinNames, NOTHING_SENT } from './words';

/** Faults of operations on the server itself: its memory, its models and its history. */

/** What an operation does, for messages. */
export type ServerTask = 'clear the history' | 'free memory' | 'report its versions and memory' | 'list models' | 'return its log';

/** The hosted service and deployments do not give access to the ComfyUI that they run. */
export const noEngine = (task: ServerTask): ItemFault =>
	new ItemFault(
		`This service cannot ${task}: only a ComfyUI of your own can`,
		`${NOTHING_SENT} Set Authentication to Self-Hosted, and choose the credential of your ComfyUI.`,
	);

const tooOld = (task: ServerTask, routes: string): ItemFault =>
	new ItemFault(
		`This ComfyUI cannot ${task}, because it does not have this function`,
		`Update ComfyUI. If a reverse proxy is in front of ComfyUI, check that the proxy allows ${routes}.`,
	);

function statusOf(error: unknown): number | null {
	if (error instanceof ApiError) return error.status;
	return error instanceof UnreadableAnswerError ? error.facts.status : null;
}

/** Returns the result. @throws ItemFault if the server does not have the route. Its other errors are thrown unchanged. */
export async function requireRoute<T>(task: ServerTask, answer: Promise<T>, routes = 'all of its routes'): Promise<T> {
	const outcome = await outcomeOf(answer);
	if (outcome.ok) return outcome.value;
	throw [404, 405].includes(statusOf(outcome.error) ?? 0) ? tooOld(task, routes) : outcome.error;
}

/** @param near similar names of folders. */
export const unknownModelFolder = (folder: string, near: string[], known: string[]): ItemFault =>
	new ItemFault(
		`ComfyUI has no folder of models with the name "${folder}"`,
		`Choose another folder under Folder. ${near.length > 0 ? `Similar folders: ${joinNames(near)}.` : `ComfyUI has these folders: ${joinNames(known, 40)}.`}`,
	);

/** Notice in place of the list of folders. */
export const NO_MODEL_FOLDERS = 'Only a ComfyUI of your own has folders of models. Set Authentication to Self-Hosted.';
