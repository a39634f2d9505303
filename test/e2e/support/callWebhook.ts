/** n8n does not know the address yet, or its database is not ready. */
const NOT_STARTED: ReadonlySet<number> = new Set([404, 503]);

/**
 * Calls a webhook that answers at once.
 * @returns false if n8n has started no execution. It may answer with another error and start one all the same, so a call that
 * is repeated then would start a second one.
 */
export async function callWebhook(url: string, path: string, body: object): Promise<boolean> {
	const { status } = await fetch(`${url}/webhook/${path}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	return !NOT_STARTED.has(status);
}
