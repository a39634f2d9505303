import { MEASURES, type Sample, trendsOf } from '../../scripts/soak/trend';

const PER_HOUR = 3_600;

/** A sample each three seconds, of something that is so at each second. */
const samples = (count: number, valueAt: (seconds: number) => number): Sample[] =>
	Array.from({ length: count }, (_, index) => ({
		seconds: index * 3,
		held: Object.fromEntries(MEASURES.map((measure) => [measure, valueAt(index * 3)])) as Sample['held'],
		succeeded: 0,
		failed: 0,
		news: 0,
	}));

const unsteady = (seconds: number): number => 60 + ([0, 2, -1, 1, -2][(seconds / 3) % 5] ?? 0);

it.each<[string, boolean, number, (seconds: number) => number]>([
	['growth while it warms up', true, 200, (seconds) => unsteady(seconds) + Math.min(seconds, 150)],
	['growth from then on', false, 200, (seconds) => unsteady(seconds) + (400 * seconds) / PER_HOUR],
	['growth up to a bound', true, 200, (seconds) => 60 + (seconds > 250 ? 0.5 : seconds / 500)],
	['growth in a few samples', true, 12, (seconds) => seconds],
])('the soak says of %s whether it is flat: %s', (_, isFlat, count, valueAt) => {
	expect(trendsOf(samples(count, valueAt)).map((trend) => trend.isFlat)).toEqual(MEASURES.map(() => isFlat));
});
