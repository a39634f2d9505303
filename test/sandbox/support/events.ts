export interface StreamEvent {
	event: string;
	data: Record<string, unknown>;
}

/** All events of a stream, until it ends. Rejects when it is cut off. */
export async function eventsOf(response: Response): Promise<StreamEvent[]> {
	return parseEvents(await response.text());
}

/** What arrives until the stream ends, is cut off, or `ms` have passed. */
export async function textWithin(response: Response, ms: number): Promise<{ text: string; cut: boolean }> {
	const reader = response.body?.getReader();
	let text = '';
	let cut = false;
	const timer = setTimeout(() => void reader?.cancel(), ms);
	try {
		for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
			text += Buffer.from(read.value as Uint8Array).toString('utf8');
		}
	} catch {
		cut = true;
	}
	clearTimeout(timer);
	return { text, cut };
}

export function parseEvents(text: string): StreamEvent[] {
	return text.split('\n\n').flatMap((block) => {
		const [, event, data] = /^event: (.+)\ndata: (.+)$/.exec(block) ?? [];
		return event === undefined || data === undefined ? [] : [{ event, data: JSON.parse(data) as Record<string, unknown> }];
	});
}
