import { randomUUID } from 'node:crypto';

import { derivedId, isDerivedId } from '../derivedId';

/** An engine lets the caller choose the id of a prompt, so that the same key always stands for the same job. */
export function promptIdOf(key: string | undefined): string {
	if (key === undefined) return randomUUID();
	return isDerivedId(key) ? key : derivedId(key);
}
