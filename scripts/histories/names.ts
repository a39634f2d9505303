/** Of the interfaces in test/histories/interfaces; which process plays them knows what they are. */
export const NAMES = ['v2', 'deployment', 'v1', 'engine', 'older engine', 'router direct', 'router queued'] as const;
