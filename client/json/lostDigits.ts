import { hasLostDigits } from './numbers';

export interface LostDigits {
	/** The names on the way to it. */
	path: string[];
	/** What is left. */
	number: number;
}

/** The first number that an object held and a double may have changed; what was read from text is no such number. */
export function lostDigitsIn(value: unknown, path: string[] = []): LostDigits | undefined {
	if (typeof value === 'number') return hasLostDigits(value) ? { path, number: value } : undefined;
	if (typeof value !== 'object' || value === null) return undefined;
	for (const [name, one] of Object.entries(value)) {
		const lost = lostDigitsIn(one, [...path, name]);
		if (lost !== undefined) return lost;
	}
	return undefined;
}
