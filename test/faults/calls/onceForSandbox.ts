import type { Sandbox } from '../../../sandbox';
import type { Door } from '../shapes';

/** Makes what all cells of a sandbox may use, when the first of them wants it. */
export function onceForSandbox<T, Kind extends string>(
	make: (door: Door, kind: Kind) => Promise<T>,
): (door: Door, kind: Kind) => Promise<T> {
	const made = new WeakMap<Sandbox, Map<Kind, Promise<T>>>();
	return async (door, kind) => {
		const ofSandbox = made.get(door.sandbox) ?? new Map<Kind, Promise<T>>();
		made.set(door.sandbox, ofSandbox);
		const one = ofSandbox.get(kind) ?? make(door, kind);
		ofSandbox.set(kind, one);
		return await one;
	};
}
