import type { Frame } from './values';

// Looked up for every value of a picture: in a test's own realm that takes longer than all the rest.
const { max, min, round, sqrt } = Math;

/** On values from 0 to 1, as ComfyUI's ImageBlend defines them. */
const MODES = {
	normal: (_a: number, b: number) => b,
	multiply: (a: number, b: number) => a * b,
	screen: (a: number, b: number) => 1 - (1 - a) * (1 - b),
	overlay: (a: number, b: number) => (a <= 0.5 ? 2 * a * b : 1 - 2 * (1 - a) * (1 - b)),
	soft_light: (a: number, b: number) => (b <= 0.5 ? a - (1 - 2 * b) * a * (1 - a) : a + (2 * b - 1) * (lighter(a) - a)),
	difference: (a: number, b: number) => a - b,
};

const lighter = (a: number): number => (a <= 0.25 ? ((16 * a - 12) * a + 4) * a : sqrt(a));

export type BlendMode = keyof typeof MODES;
export const BLEND_MODES = Object.keys(MODES) as BlendMode[];

/** Mixes two frames of one size: `a * (1 - factor) + mode(a, b) * factor`, rounded to whole values. */
export function blendFrames(first: Frame, second: Frame, factor: number, mode: BlendMode): Frame {
	const blend = MODES[mode];
	const data = Buffer.allocUnsafe(first.data.length);
	for (let index = 0; index < data.length; index++) {
		const a = first.data[index] as number;
		const b = second.data[index] as number;
		const mixed = a * (1 - factor) + blend(a / 255, b / 255) * 255 * factor;
		data[index] = min(255, max(0, round(mixed)));
	}
	return { ...first, data };
}
