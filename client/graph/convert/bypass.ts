import type { NodeSockets } from './slots';

const isAny = (type: string): boolean => type === '' || type === '*' || type === '0';

/** Types are names, or lists of names with commas. */
function fits(one: string, other: string): boolean {
	if (isAny(one) || isAny(other) || one === other) return true;
	const others = new Set(other.toLowerCase().split(','));
	return one
		.toLowerCase()
		.split(',')
		.some((name) => isAny(name) || others.has(name) || [...others].some(isAny));
}

/**
 * The input that a bypassed node hands on at one of its outputs: the one at the same place if it fits, else the first
 * of exactly the type that is wanted, else the first that fits.
 * @param wanted the type of the input that asks.
 * @returns undefined where none fits.
 */
export function bypassedInput({ inputs, outputTypes }: NodeSockets, slot: number, wanted: string): number | undefined {
	if (wanted === '' || wanted === '*') return inputs.length > slot ? slot : 0;
	const given = outputTypes[slot] ?? '';
	const isFitting = ({ type }: { type: string }): boolean => fits(type, given) && fits(type, wanted);
	const opposite = inputs[slot];
	if (opposite !== undefined && isFitting(opposite)) return slot;
	const exact = inputs.findIndex(({ type }) => type === wanted);
	const found = exact === -1 ? inputs.findIndex(isFitting) : exact;
	return found === -1 ? undefined : found;
}
