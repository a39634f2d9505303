import type { OutgoingHttpHeader } from 'node:http';
import type { MeteredResponse } from '../../http/metered';

export interface EventStreamOptions {
	keepAliveMs: number;
	/** The socket is destroyed after this many events. */
	lostAfter: number | undefined;
	/** Nothing is sent any more after this many events. */
	silentAfter: number | undefined;
	/** It ends with a refusal after this many events. */
	refused: { after: number; code: string } | undefined;
}

/** Writes server-sent events: a name and one line of JSON each, comments in between to keep the link alive. */
export class EventStream {
	readonly #keepAlive: NodeJS.Timeout;
	#sent = 0;

	constructor(
		private readonly response: MeteredResponse,
		headers: Record<string, OutgoingHttpHeader | undefined>,
		private readonly options: EventStreamOptions,
	) {
		response.writeHead(200, { ...headers, 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
		if (this.#silent) response.flushHeaders();
		this.#keepAlive = setInterval(() => this.#write(': keep-alive\n\n'), options.keepAliveMs);
		this.onClose(() => clearInterval(this.#keepAlive));
		this.#loseIfDue();
		this.#refuseIfDue();
	}

	send(event: string, data: unknown): void {
		if (this.#lost) return;
		this.#write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
		this.#sent += 1;
		this.#loseIfDue();
		this.#refuseIfDue();
	}

	end(): void {
		if (!this.#silent && !this.#lost) this.response.end();
	}

	onClose(listener: () => void): void {
		this.response.once('close', listener);
	}

	get #silent(): boolean {
		return this.#sent >= (this.options.silentAfter ?? Infinity);
	}

	get #lost(): boolean {
		return this.#sent >= (this.options.lostAfter ?? Infinity);
	}

	#write(text: string): void {
		if (!this.#silent && !this.response.writableEnded) this.response.write(text);
	}

	#refuseIfDue(): void {
		const { refused } = this.options;
		if (refused === undefined || this.#sent < refused.after || this.response.writableEnded) return;
		const envelope = { error: { code: refused.code, message: `Injected ${refused.code}`, details: null } };
		this.response.end(`event: error\ndata: ${JSON.stringify(envelope)}\n\n`);
	}

	/** What was sent before still arrives. */
	#loseIfDue(): void {
		if (this.#lost) this.response.socket?.destroySoon();
	}
}
