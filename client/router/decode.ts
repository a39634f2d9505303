import { numberOr, parseIfJson, recordOf, recordsOf, requireRecord, requireText, textOr } from '../json/decode';
import { ShapeError } from '../errors/errors';
import type { Router } from '../generated/router';
import type { HttpResponse } from '../transport/response';
import type {
	EstimateFault,
	RouterEstimate,
	RouterFacts,
	RouterModel,
	RouterModelPage,
	RouterRequest,
	RouterRunFacts,
	RouterSpend,
} from './types';

/** Decoders for the router's responses. Field names of the service stay as they are on the wire. */
/**
 * Decodes a page of the catalog. Only `has_more` marks the last page: a page may be short or empty.
 * @throws ShapeError if it is not a page.
 */
export function decodePage(value: unknown, response: HttpResponse): RouterModelPage {
	const { data, has_more: hasMore, next_cursor: next, limit } = requireRecord<Router['ModelPage']>(value, 'page');
	if (!Array.isArray(data) || typeof hasMore !== 'boolean') throw new ShapeError('page has no list');
	const models = recordsOf(data).map(decodeModel);
	const nextCursor = hasMore ? requireText(next, 'page.next_cursor') : undefined;
	return { ...readRouterFacts(response), models, limit: numberOr(limit, models.length), ...(nextCursor !== undefined && { nextCursor }) };
}

export function decodeModel(value: unknown): RouterModel {
	const { input_schema_url: schemaUrl, ...model } = requireRecord<Router['ModelDetail']>(value, 'model');
	const id = requireText(model.id, 'model.id');
	const [provider = '', name = ''] = id.split('/');
	const { charges_on_policy_rejection: charges } = recordOf<Router['Billing']>(model.billing);
	return {
		...model,
		id,
		provider: textOr(model.provider, provider),
		model: textOr(model.model, name),
		charges_on_policy_rejection: charges === 'yes' || charges === 'no' ? charges : 'unknown',
		...(typeof schemaUrl === 'string' && { input_schema_url: schemaUrl }),
	};
}

export function decodeRequest(value: unknown, response: HttpResponse): RouterRequest {
	const { request_id: id, ...rest } = requireRecord<Router['RequestStatus']>(value, 'request');
	const { retryAfterMs } = response;
	return {
		...rest,
		...readRouterFacts(response),
		id: requireText(id, 'request.request_id'),
		status: requireText(rest.status, 'request.status'),
		queue_position: numberOr(rest.queue_position, null),
		error_type: textOr(rest.error_type, null),
		...(retryAfterMs !== undefined && { retryAfterMs }),
	};
}

type EstimatedCost = Omit<RouterEstimate, keyof RouterFacts>;

/** Decodes an estimate. Its schema is not public, so any shape without a usable amount means that the cost is unknown. */
export function decodeEstimate(value: unknown): EstimatedCost {
	const { source, currency, reason, amount, min_amount, max_amount, pricing_as_of } = recordOf<Router['Estimate']>(value);
	const without = {
		amount_usd: null,
		min_amount_usd: null,
		max_amount_usd: null,
		reason: textOr(reason, null),
		pricing_as_of: textOr(pricing_as_of, null),
	};
	const unusable = (fault: EstimateFault): EstimatedCost => ({ ...without, source: 'unknown', fault });
	if (source === 'unknown') return { ...without, source };
	if (source !== 'exact' && source !== 'estimated') return unusable('source');
	if (currency !== undefined && currency !== null && String(currency).toLowerCase() !== 'usd') return unusable('currency');
	if (source === 'exact') {
		const exact = parseDollars(amount);
		return exact === null ? unusable('amount') : { ...without, source, amount_usd: exact };
	}
	const [least, most] = [parseDollars(min_amount), parseDollars(max_amount)];
	if (most === null || (least ?? 0) > most) return unusable('amount');
	return { ...without, source, min_amount_usd: least, max_amount_usd: most };
}

/** Returns null for anything but an amount from 0, as a number or as a decimal text. */
function parseDollars(value: unknown): number | null {
	const amount = typeof value === 'string' ? parseHeaderNumber(value) : numberOr(value, null);
	return amount !== null && amount >= 0 ? amount : null;
}

export const readRouterFacts = ({ requestId }: HttpResponse): RouterFacts => ({ request_id: requestId ?? null });

/** Returns the facts in the headers of a finished run. */
export function readRunFacts(response: HttpResponse, idempotencyKey: string | null): RouterRunFacts {
	const replayed = response.header('idempotent-replayed')?.toLowerCase() === 'true';
	// A stored result is not billed again.
	const cost = replayed ? null : parseDollars(response.vendorHeader('litellm-response-cost'));
	return {
		...readRouterFacts(response),
		idempotency_key: idempotencyKey,
		replayed,
		credits_used: response.vendorHeader('credits-used') ?? null,
		...(cost !== null && { cost_usd: cost }),
		spend: readSpend(response),
		dropped_parameters: parseDroppedParameters(response.vendorHeader('dropped-params')),
		fallback_provider: response.vendorHeader('fallback-provider') ?? null,
	};
}

/** Returns null if the response has none of the three headers. */
export function readSpend(response: HttpResponse): RouterSpend | null {
	const cents = (name: string) => parseHeaderNumber(response.vendorHeader(`committed-spend-${name}`));
	const spend = { limit: cents('limit'), current: cents('current'), remaining: cents('remaining') };
	return Object.values(spend).every((value) => value === null) ? null : spend;
}

export function parseHeaderNumber(text: string | undefined): number | null {
	const value = text === undefined || text.trim() === '' ? NaN : Number(text);
	return Number.isFinite(value) ? value : null;
}

/** The header contains a JSON list of names. */
function parseDroppedParameters(header: string | undefined): string[] {
	if (header === undefined) return [];
	const names = parseIfJson(header);
	return Array.isArray(names) ? names.map((name) => (typeof name === 'string' ? name : JSON.stringify(name))) : [header];
}
