/** Deeper than any workflow, and not so deep that writing it down would fail. */
const DEEPEST = 400;

export function nestsTooDeep(value: unknown): boolean {
	let level = [value];
	for (let depth = 0; level.length > 0; depth++) {
		if (depth > DEEPEST) return true;
		const inside: unknown[] = [];
		for (const one of level) {
			if (typeof one !== 'object' || one === null) continue;
			for (const inner of Object.values(one)) if (typeof inner === 'object' && inner !== null) inside.push(inner);
		}
		level = inside;
	}
	return false;
}
