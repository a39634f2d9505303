import { shapeOf, slopeOf, trendsOf, MEASURES, type Sample } from '../../scripts/soak/trend';

const PER_HOUR = 3_600;

/** A sample each three seconds, of something that begins at 60 and is so at each second. */
const samples = (count: number, valueAt: (seconds: number) => number): Sample[] =>
	Array.from({ length: count }, (_, index) => ({
		seconds: index * 3,
		held: Object.fromEntries(MEASURES.map((measure) => [measure, valueAt(index * 3)])) as Sample['held'],
		succeeded: 0,
		failed: 0,
		news: 0,
	}));

const unsteady = (seconds: number): number => [0, 2, -1, 1, -2][(seconds / 3) % 5] ?? 0;

it('a slope is that of the line with the least squares', () => {
	expect(slopeOf([0, 1, 2, 3].map((x) => [x, 2 * x + 1] as const))).toBeCloseTo(2);
});

it('what goes up and down is flat, and so is what grows while it warms up', () => {
	const trends = trendsOf(samples(200, (seconds) => 60 + unsteady(seconds) + Math.min(seconds, 150)));
	expect(trends.map(({ isFlat }) => isFlat)).toEqual(MEASURES.map(() => true));
});

it('what grows from then on is not, however unsteadily', () => {
	const trends = trendsOf(samples(200, (seconds) => 60 + unsteady(seconds) + (400 * seconds) / PER_HOUR));
	expect(trends.map(({ isFlat }) => isFlat)).toEqual(MEASURES.map(() => false));
	expect(trends[0]?.perHour).toBeCloseTo(400, -1);
});

it('what fills up to a bound is no leak', () => {
	const trends = trendsOf(samples(200, (seconds) => 60 + (seconds > 250 ? 0.5 : seconds / 500)));
	expect(trends.map(({ isFlat }) => isFlat)).toEqual(MEASURES.map(() => true));
});

it('of a few samples no line is drawn', () => {
	expect(trendsOf(samples(12, (seconds) => seconds)).map(({ perHour, isFlat }) => [perHour, isFlat])).toEqual(
		MEASURES.map(() => [undefined, true]),
	);
});

it('a shape has a bar for each value, and for many values forty at most', () => {
	expect(shapeOf([1, 2, 3])).toBe('▁▅█');
	expect(shapeOf([4, 4])).toBe('▁▁');
	expect(shapeOf(Array.from({ length: 1_000 }, (_, index) => index)).length).toBeLessThanOrEqual(40);
});
