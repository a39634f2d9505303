import { Readable } from 'node:stream';

import type { ICredentialTestFunctions } from 'n8n-workflow';

import { type DispatchResponse, type DispatchRequest, type HttpDispatcher, ConnectionError } from '../../../client';

/** For whoever holds a signal that never fires; the client's own limits are shorter. */
const TIMEOUT_MS = 60_000;

export interface HelperCarrierOptions {
	rejectUnauthorized: boolean;
}

/** What the helper returns for these options. */
interface FullResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	body?: unknown;
}

type Helper = ICredentialTestFunctions['helpers']['request'];

/**
 * Carries requests by the one helper that n8n gives to credential tests, so that its own rules on which addresses may be
 * reached hold. It has no signal, and cannot tell when it sends: for reads only.
 */
export class HelperCarrier implements HttpDispatcher {
	constructor(
		private readonly helper: Helper,
		private readonly options: HelperCarrierOptions,
	) {}

	async dispatch({ method, url, headers, body, anyCertificate }: DispatchRequest): Promise<DispatchResponse> {
		if (body !== undefined) throw new Error('A credential test only reads');
		const request = {
			method,
			uri: url.href,
			headers: { ...headers },
			followRedirect: false,
			simple: false,
			resolveWithFullResponse: true,
			useStream: true,
			timeout: TIMEOUT_MS,
			// n8n takes the name alone for a wish.
			...((anyCertificate === true || !this.options.rejectUnauthorized) && { rejectUnauthorized: false }),
		};
		try {
			return answerOf((await this.helper(request)) as FullResponse);
		} catch (error) {
			throw isBlocked(error) ? blocked(url.origin, error) : error;
		}
	}

	async close(): Promise<void> {
		// Its connections are n8n's.
	}
}

function answerOf({ statusCode, headers, body }: FullResponse): DispatchResponse {
	const lowerCased = Object.entries(headers).map(
		([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value.map(String) : String(value)] as const,
	);
	return { status: statusCode, headers: Object.fromEntries(lowerCased), body: streamOf(body) };
}

/** Older versions read the answer to a refusal themselves. */
const streamOf = (body: unknown): Readable => {
	if (body instanceof Readable) return body;
	const bytes =
		typeof body === 'string' || body instanceof Uint8Array
			? Buffer.from(body)
			: Buffer.from(body === undefined ? '' : JSON.stringify(body));
	return Readable.from(bytes.byteLength === 0 ? [] : [bytes]);
};

/** A refusal of n8n's own, wherever the layers between have put it. */
function isBlocked(error: unknown): boolean {
	for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
		if (/^SsrfBlocked/.test(at.name)) return true;
	}
	return false;
}

const blocked = (origin: string, cause: unknown): ConnectionError =>
	new ConnectionError({ trouble: 'blocked', origin, mayHaveArrived: false, message: `n8n blocks ${origin}` }, { cause });
