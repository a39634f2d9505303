import { ApiError, type ServiceName } from './errors';

/** A step in a path leads elsewhere, and half a character cannot be written: no service gives such an id. */
export const isPathSegment = (id: string): boolean => id !== '' && id !== '.' && id !== '..' && !/\p{Surrogate}/u.test(id);

/**
 * An id as one segment of a path.
 * @param code what this interface says of ids that it does not know.
 * @throws ApiError with it, before anything is sent.
 */
export function pathSegment(id: string, name: ServiceName, code = 'job_not_found'): string {
	if (isPathSegment(id)) return encodeURIComponent(id);
	throw new ApiError({ interface: name, code, status: 404, message: 'No service gives such an id' });
}
