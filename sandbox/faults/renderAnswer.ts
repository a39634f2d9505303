import type { FaultAnswer } from '../fault';

export interface RenderedAnswer {
	status: number;
	headers: Record<string, string>;
	body: string | Buffer;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** The bytes of an injected answer. */
export function renderAnswer(answer: FaultAnswer): RenderedAnswer {
	const { type, body } = renderBody(answer);
	return {
		status: answer.status,
		headers: {
			...(type !== undefined && { 'content-type': type }),
			...(answer.retryAfter !== undefined && { 'retry-after': String(answer.retryAfter) }),
			...lowerCased(answer.headers),
		},
		body,
	};
}

function renderBody(answer: FaultAnswer): { type: string | undefined; body: string | Buffer } {
	const { status, code, message = `Injected ${code ?? status}`, details } = answer;
	if (answer.body !== undefined) {
		return { type: undefined, body: typeof answer.body === 'string' ? answer.body : Buffer.from(answer.body) };
	}
	if (answer.html === true) {
		return {
			type: 'text/html; charset=utf-8',
			body: `<!DOCTYPE html><html><head><title>${status}</title></head><body><h1>${status}</h1><p>nginx</p></body></html>`,
		};
	}
	if (answer.badJson === true) return { type: JSON_TYPE, body: '{"error":{"code":"upstr' };
	if (answer.json !== undefined) return { type: JSON_TYPE, body: JSON.stringify(answer.json) };
	if (code === undefined) return { type: undefined, body: '' };
	return { type: JSON_TYPE, body: JSON.stringify({ error: { code, message, details } }) };
}

const lowerCased = (headers: Record<string, string> = {}): Record<string, string> =>
	Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
