import { ApiError, isListUnsupported } from '../../../client';

/** A service that lists no jobs says so by several codes; it has one sentence. */
export const notListed = (error: unknown): unknown =>
	isListUnsupported(error) ? new ApiError({ ...error, message: error.message, code: 'jobs_not_listed' }) : error;
