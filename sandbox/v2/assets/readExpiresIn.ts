import { malformed, type Traits } from '../../service/traits';

const SHORTEST_SECONDS = 60;
const LONGEST_SECONDS = 604_800;

/** When an asset of this `expires_in` ends, in epoch milliseconds; null: never. The proxy takes no notice of it. @throws Refusal when out of bounds. */
export function readExpiresIn(expiresIn: unknown, traits: Traits): number | null {
	if (traits.selfHosted || expiresIn === undefined || expiresIn === null) return null;
	const seconds = Number.isInteger(expiresIn) ? Number(expiresIn) : NaN;
	if (!(seconds >= SHORTEST_SECONDS && seconds <= LONGEST_SECONDS)) {
		throw malformed(traits, `expires_in must be ${SHORTEST_SECONDS} to ${LONGEST_SECONDS} seconds`);
	}
	return Date.now() + seconds * 1000;
}
