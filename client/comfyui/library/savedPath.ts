import { ApiError, type ServiceName } from '../../errors';
import { isPathSegment } from '../../identifiers';

/** Below the user's folder on the server. */
export const SAVED_FOLDER = 'workflows';

/** Of one that this interface cannot give: a step elsewhere, an empty step. */
export function checkedSteps(path: string, name: ServiceName, code: string): string {
	const isInside = path.split('/').every((step) => isPathSegment(step) && !step.includes('\0'));
	if (isInside) return path;
	throw new ApiError({ interface: name, code, status: 404, message: 'No server keeps a file of such a name', details: { path } });
}

/**
 * The one step of a route that a saved workflow's whole path is.
 * @param layers more than one for servers behind something that decodes paths on their way: ComfyUI decodes what is left.
 */
export function savedStep(path: string, layers: number): string {
	let step = `${SAVED_FOLDER}/${path}`;
	for (let layer = 0; layer < layers; layer++) step = encodeURIComponent(step);
	return step;
}
