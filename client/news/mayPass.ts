import { isGateway404, isTransient } from '../transport/retry';

/** Whether what went wrong may be over within seconds; a wrong key, or a page in place of a list, is not. */
export const mayPass = (error: unknown): boolean => isTransient(error) || isGateway404(error);
