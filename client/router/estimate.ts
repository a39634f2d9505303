import type { JsonRecord } from '../json/decode';
import { ApiError } from '../errors/errors';
import { outcomeOf } from '../async/outcome';
import { jsonBody } from '../requests/serviceApi';
import type { HttpRequest } from '../transport/http';
import type { HttpResponse } from '../transport/response';
import type { RouterApi } from './api';
import { modelPath } from './catalog';
import { decodeEstimate, readRouterFacts } from './decode';
import type { EstimateOptions, RouterEstimate, RouterModelId } from './types';

/**
 * Estimates what a run costs. Nothing runs and nothing is charged, so the request is repeated like a read.
 * @param input the input of the run.
 * @throws ApiError as a run does for its input; `estimate_not_enabled` if the account has no estimates.
 */
export async function estimateRun(
	api: RouterApi,
	id: RouterModelId,
	input: JsonRecord,
	{ modelProvider, signal }: EstimateOptions = {},
): Promise<RouterEstimate> {
	const path = `${modelPath(id)}/estimate`;
	const body = jsonBody(input);
	const attempt = async (): Promise<RouterEstimate> => {
		const url = await api.route(path, { signal });
		if (modelProvider !== undefined) url.searchParams.set('model_provider', modelProvider);
		const response = await sendEstimate(api, { ...body, method: 'POST', url, signal, totalMs: api.limits.requestMs });
		return { ...readRouterFacts(response), ...(await api.decodeResponse(response, decodeEstimate)) };
	};
	return await api.repeat(attempt, { signal });
}

/** The router may run models for an account that has no estimates yet, so that rejection gets a code of its own. */
async function sendEstimate(api: RouterApi, request: HttpRequest): Promise<HttpResponse> {
	const outcome = await outcomeOf(api.send(request));
	if (outcome.ok) return outcome.value;
	const { error } = outcome;
	if (!(error instanceof ApiError) || error.code !== 'not_enabled') throw error;
	const { status, message, details, requestId } = error;
	throw new ApiError({ interface: 'router', code: 'estimate_not_enabled', status, message, details, requestId });
}
