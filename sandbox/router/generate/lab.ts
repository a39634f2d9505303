/** What the models that exist for tests do. */
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Model } from '../model';
import { policyViolation, providerError, RouterRefusal } from '../refusal';

const CHUNK_BYTES = 64 * 1024;

/** Answers with what it was given. */
export const echo: Model['generate'] = async (input) => ({ kind: 'json', value: { input } });

export const afterWhile: Model['generate'] = async (input, { signal, accepted }) => {
	const { ms = 1000, accept_after_ms: acceptAfter = 0, note = null } = input as { ms?: number; accept_after_ms?: number; note?: string };
	if (acceptAfter > 0) await delay(acceptAfter, undefined, { signal });
	accepted();
	await delay(ms, undefined, { signal });
	return { kind: 'json', value: { waited_ms: ms, note } };
};

export const ofSize: Model['generate'] = async (input) => {
	const sizeBytes = Number(input.bytes);
	return { kind: 'large', sizeBytes, open: () => Readable.from(filler(sizeBytes)) };
};

function* filler(sizeBytes: number): Generator<Buffer> {
	const [head, tail] = ['{"filler":"', '"}'];
	yield Buffer.from(head);
	for (let left = sizeBytes - head.length - tail.length; left > 0; left -= CHUNK_BYTES)
		yield Buffer.alloc(Math.min(left, CHUNK_BYTES), 'x');
	yield Buffer.from(tail);
}

export const refuse: Model['generate'] = async ({ subject }) => {
	throw policyViolation(subject === 'output' ? 'output' : 'input');
};

const STATUSES: Record<string, number> = { provider_error: 502, provider_timeout: 504, service_unavailable: 503, internal_error: 500 };

export const fail: Model['generate'] = async ({ error_type: bucket = 'provider_error' }) => {
	const upstream = { 'X-Vendor-Upstream-Status': '500', 'X-Vendor-Upstream-Detail': 'The partner broke' };
	throw new RouterRefusal({
		status: STATUSES[String(bucket)] ?? 500,
		bucket: String(bucket),
		detail: 'The provider did not deliver',
		headers: upstream,
		extra: { upstream_detail: 'The partner broke' },
	});
};

/** Its own provider never delivers. */
export const byAnother: Model['generate'] = async (input, { fallback, fellBackTo }) => {
	if (!fallback) throw providerError('The provider did not deliver');
	fellBackTo('aurora');
	return { kind: 'json', value: { input } };
};
