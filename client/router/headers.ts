import type { HttpResponse } from '../transport/response';
import type { RouterFacts, RouterRunFacts, RouterSpend } from './types';

export const answerFacts = ({ requestId }: HttpResponse): RouterFacts => ({ request_id: requestId ?? null });

/** What the headers of a finished run tell. */
export function runFacts(response: HttpResponse, idempotencyKey: string | null): RouterRunFacts {
	return {
		...answerFacts(response),
		idempotency_key: idempotencyKey,
		replayed: response.header('idempotent-replayed')?.toLowerCase() === 'true',
		credits_used: response.vendorHeader('credits-used') ?? null,
		spend: spendOf(response),
		dropped_parameters: droppedParameters(response.vendorHeader('dropped-params')),
		fallback_provider: response.vendorHeader('fallback-provider') ?? null,
	};
}

/** Null where the answer has none of the three. */
export function spendOf(response: HttpResponse): RouterSpend | null {
	const cents = (name: string) => headerNumber(response.vendorHeader(`committed-spend-${name}`));
	const spend = { limit: cents('limit'), current: cents('current'), remaining: cents('remaining') };
	return Object.values(spend).every((value) => value === null) ? null : spend;
}

export function headerNumber(text: string | undefined): number | null {
	const value = text === undefined || text.trim() === '' ? NaN : Number(text);
	return Number.isFinite(value) ? value : null;
}

/** One JSON text that holds a list of names. */
function droppedParameters(header: string | undefined): string[] {
	if (header === undefined) return [];
	try {
		const names: unknown = JSON.parse(header);
		return Array.isArray(names) ? names.map((name) => (typeof name === 'string' ? name : JSON.stringify(name))) : [header];
	} catch {
		return [header];
	}
}
