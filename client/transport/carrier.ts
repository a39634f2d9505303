/** What takes a request to its address and brings the answer: by default connections of our own. */
export interface Carrier {
	/**
	 * Carries one request, once; redirects are not followed.
	 * @param onSending called when the request is about to be written: before that, the service has certainly received nothing.
	 */
	carry(request: CarriedRequest, onSending: () => void): Promise<CarriedAnswer>;
	/** Closes every connection; running requests end with an error. */
	close(): Promise<void>;
}

export interface CarriedRequest {
	method: string;
	url: URL;
	/** All there are, names in lower case. */
	headers: Record<string, string>;
	body?: string | AsyncIterable<Uint8Array>;
	signal: AbortSignal;
	/** Whatever certificate there is will do, this once. */
	anyCertificate?: true;
}

export interface CarriedAnswer {
	status: number;
	/** Names in lower case. */
	headers: Record<string, string | string[] | undefined>;
	/** Destroying it closes its connection, unless it has come whole. */
	body: AnswerBody;
}

/** Node's streams are this. */
export interface AnswerBody extends AsyncIterable<Uint8Array> {
	readonly closed: boolean;
	destroy(): void;
	on(event: 'error', listener: () => void): this;
	once(event: 'close', listener: () => void): this;
}

/** Lets go of what is left of a body. A connection whose answer has come whole serves the next request all the same. */
export async function dropped(body: AnswerBody): Promise<void> {
	if (body.closed) return;
	const closed = new Promise<void>((resolve) => body.on('error', () => undefined).once('close', resolve));
	body.destroy();
	await closed;
}
