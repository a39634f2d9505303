const SENDABLE = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** An idempotency key travels in a header, which loses the spaces around it. */
export const isSendableKey = (key: string): boolean => SENDABLE.test(key);

/** What is said of another. */
export const SENDABLE_KEYS = 'An idempotency key has 1 to 255 printable ASCII characters';
