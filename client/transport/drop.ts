import type { AnswerBody } from './carrier';

/** Lets go of what is left of a body. A connection whose answer has come whole serves the next request all the same. */
export async function dropped(body: AnswerBody): Promise<void> {
	if (body.closed) return;
	const closed = new Promise<void>((resolve) => body.on('error', () => undefined).once('close', resolve));
	body.destroy();
	await closed;
}
