/** The router's answers. Field names of the service stay as they are on the wire. */
import { isRecord, numberOr, requireRecord, recordsOf, requireText, textOr, type Told } from '../decode';
import { ShapeError } from '../errors';
import type { Router } from '../generated/router';
import type { HttpResponse } from '../transport/response';
import { answerFacts } from './headers';
import type { RouterModel, RouterModelPage, RouterRequest } from './types';

/** Only `has_more` tells of the end: a page may be short, or empty. @throws ShapeError when this is no page. */
export function decodePage(value: unknown, response: HttpResponse): RouterModelPage {
	const { data, has_more: hasMore, next_cursor: next, limit } = requireRecord<Router['ModelPage']>(value, 'page');
	if (!Array.isArray(data) || typeof hasMore !== 'boolean') throw new ShapeError('page holds no list');
	const models = recordsOf(data).map(decodeModel);
	const nextCursor = hasMore ? requireText(next, 'page.next_cursor') : undefined;
	return { ...answerFacts(response), models, limit: numberOr(limit, models.length), ...(nextCursor !== undefined && { nextCursor }) };
}

export function decodeModel(value: unknown): RouterModel {
	const { input_schema_url: schemaUrl, ...model } = requireRecord<Router['ModelDetail']>(value, 'model');
	const id = requireText(model.id, 'model.id');
	const [provider = '', name = ''] = id.split('/');
	const { charges_on_policy_rejection: charges }: Told<Router['Billing']> = isRecord(model.billing) ? model.billing : {};
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
		...answerFacts(response),
		id: requireText(id, 'request.request_id'),
		status: requireText(rest.status, 'request.status'),
		queue_position: numberOr(rest.queue_position, null),
		error_type: textOr(rest.error_type, null),
		...(retryAfterMs !== undefined && { retryAfterMs }),
	};
}
