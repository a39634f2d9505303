import { derivedId } from '../../../client';

/** The same parts always give the same key, in any process. */
export const derivedKey = (parts: Array<string | number>): string => derivedId(JSON.stringify(parts));
