import { AnswerError } from '../errors';

/** Whether a route is not there, or does not know what it was asked for: deployments differ in what they offer. */
export const isUnavailable = (error: unknown): error is AnswerError =>
	error instanceof AnswerError && [404, 405, 501].includes(error.status);
