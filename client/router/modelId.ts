import { ApiError } from '../errors';
import type { RouterModelId } from './types';

const SEGMENT = /^[a-z0-9]+([._-][a-z0-9]+)*$/;
/** In characters. */
export const LONGEST_MODEL_ID = { provider: 64, model: 128 } as const;

/** Whether this can be the id of a model: `<provider>/<model>`, at most 193 characters. */
export function isRouterModelId(id: string): id is RouterModelId {
	const [provider = '', model = '', ...rest] = id.split('/');
	if (rest.length > 0 || provider.length > LONGEST_MODEL_ID.provider || model.length > LONGEST_MODEL_ID.model) return false;
	return SEGMENT.test(provider) && SEGMENT.test(model);
}

/** The model's route. @throws ApiError `invalid_input` for what can be no model's id; nothing is sent. */
export function modelPath(id: RouterModelId): string {
	if (isRouterModelId(id)) return `/models/${id}`;
	const message =
		'A model id is <provider>/<model>: small letters and digits, joined by single ".", "_" or "-", at most 64 and 128 characters';
	throw new ApiError({ interface: 'router', code: 'invalid_input', status: 400, message });
}
