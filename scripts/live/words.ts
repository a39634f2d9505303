import { ApiError, ConnectionError, NoServerError, StoppedError, UnreadableAnswerError } from '../../client';

/** Why a request to the engine came to nothing, and what to look at. */
export function wordsOf(error: unknown): string {
	if (error instanceof StoppedError || (error instanceof Error && error.name === 'AbortError'))
		return 'the time was over; a busy or slow ComfyUI needs more: --seconds';
	if (error instanceof NoServerError || error instanceof ConnectionError)
		return `${error.message}. Is ComfyUI running, and started with --listen if it is on another computer?`;
	if (error instanceof UnreadableAnswerError) return unreadable(error.facts);
	if (error instanceof ApiError)
		return error.code === 'unauthorized' ? ASKS_FOR_AUTHORIZATION : `ComfyUI answered ${error.status}: ${error.message}`;
	return error instanceof Error ? error.message : String(error);
}

const ASKS_FOR_AUTHORIZATION = 'a reverse proxy asks for an Authorization: give it with --authorization, e.g. "Basic dXNlcjpwYXNzd29yZA=="';

function unreadable({ reason, status, contentType, address }: UnreadableAnswerError['facts']): string {
	if (status === 401) return ASKS_FOR_AUTHORIZATION;
	const what = {
		html: 'a web page',
		truncated: 'half an answer',
		not_json: `no JSON (${contentType ?? 'no content type'})`,
		unexpected: 'an answer that ComfyUI does not give',
		other_origin: 'a redirect to another server',
	}[reason];
	return `found ${what} (HTTP ${status}) at ${address}, not ComfyUI. Give the address of ComfyUI itself, usually port 8188`;
}
