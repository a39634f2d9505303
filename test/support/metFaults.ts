import { FaultRules } from '../../sandbox/faults';
import type { FaultHandle, FaultRule } from '../../sandbox/faultTypes';

/*
 * For every suite: a fault that a test injects has to meet a request. One that met no request proves nothing: its rule may
 * name the wrong route, or what it was meant for may have been done without it.
 */

const injected = new Map<FaultHandle, FaultRule>();
const { inject } = FaultRules.prototype;

FaultRules.prototype.inject = function (this: FaultRules, rule: FaultRule): FaultHandle {
	const handle = inject.call(this, rule);
	injected.set(handle, rule);
	return handle;
};

/** For a fault that is left to chance. */
export const mayBeUnmet = (handle: FaultHandle): void => void injected.delete(handle);

beforeEach(() => injected.clear());

afterEach(() => {
	const unmet = [...injected].filter(([{ used }]) => used === 0).map(([, { on }]) => `No request met the fault on ${on}`);
	injected.clear();
	expect(unmet).toEqual([]);
});
