import type { Wire } from '../shapes';

/** Calls of HTTP whose answer is one thing. */
export const ANSWERED: readonly Wire[] = ['json', 'bare', 'upload', 'file', 'web'];
/** Those that read its body. */
export const WITH_BODY: readonly Wire[] = ['json', 'upload', 'file', 'web'];
/** Those that read JSON of it. */
export const OF_JSON: readonly Wire[] = ['json', 'upload'];

export const NEEDS_BODY = { needsBody: true } as const;
