/** Nothing that a service means to say is nested deeper; what is would overflow the stack of whoever stores it. */
const DEEPEST = 50;

/** A copy of something made of JSON, cut where it nests without measure. */
export function shallow(value: unknown, depth = 0): unknown {
	if (typeof value !== 'object' || value === null) return value;
	if (depth >= DEEPEST) return '(nested too deep)';
	if (Array.isArray(value)) return value.map((one) => shallow(one, depth + 1));
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shallow(one, depth + 1)]));
}
