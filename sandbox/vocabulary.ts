/** The words for surfaces, accounts and states. */

/** The origins that serve the v2 interface. */
export type ServiceSurface = 'self_hosted' | 'self_hosted_token' | 'hosted' | 'deployment';
export type Surface = ServiceSurface | 'storage' | 'engine' | 'router';
/** Where executions are ordered. What self_hosted sends to its engine counts as self_hosted. */
export type RunSurface = ServiceSurface | 'engine';

/** `local` is every caller of a self-hosted surface. */
export type AccountName = 'main' | 'other' | 'local';

export type JobStatus = 'queued' | 'running' | 'canceling' | 'succeeded' | 'canceled' | 'failed' | 'expired';
