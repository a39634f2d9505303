import { Recently } from './recently';

const arrivals = new Recently<string[]>(10_000);

/**
 * Which of those that share a place somebody is, in the order in which they came to this process.
 * @param before who else is known to have come before, here or in another process.
 */
export function ordinalOf(place: string, who: string, before: string[] = []): number {
	const all = arrivals.get(place) ?? arrivals.set(place, []);
	const known = all.indexOf(who);
	if (known >= 0) return known;
	let ordinal = before.filter((one) => !all.includes(one)).length;
	while (all[ordinal] !== undefined) ordinal += 1;
	all[ordinal] = who;
	return ordinal;
}
