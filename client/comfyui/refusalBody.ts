import { UnreadableAnswerError } from '../errors';
import { outcomeOf } from '../transport/outcome';
import { type HttpResponse, isGatewayStatus } from '../transport/response';

/** What a failed answer holds; nothing where its status says enough. @throws UnreadableAnswerError. */
export async function refusalBody(response: HttpResponse): Promise<unknown> {
	const read = await outcomeOf(readBody(response));
	if (read.ok) return read.value;
	if (read.error instanceof UnreadableAnswerError && isGatewayStatus(response.status)) return undefined;
	throw read.error;
}

async function readBody(response: HttpResponse): Promise<unknown> {
	const text = await response.text();
	return text.trim() === '' ? undefined : response.parseJson(text, { orElse: text });
}
