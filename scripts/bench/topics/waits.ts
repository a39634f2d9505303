import { contestOf, type Contestants } from './contestOf';
import { atMost, type Measure, resultOf, type Scale, shownNumber, type Topic } from './topic';

const FREE = 'this package, any number of streams';
const EIGHT = 'this package, 8 streams, the service lists jobs';
const UNLISTED = 'this package, 8 streams, the service lists none';
const SDK = '@comfyorg/sdk';

/** The figures that are wanted are of a thousand waits of a minute. */
const perThousandMinutes = (requests: number, { waits, waitSeconds }: Scale): number => (requests * 1_000 * 60) / (waits * waitSeconds);

export const WAIT_TOPIC: Topic = {
	name: 'waits',
	times: 'given',
	title: 'Many waits at the same time',
	how: 'Each waits for a job of its own; all at the same time, on one connection. A service may allow few event streams (the API proxy allows eight), and may list its jobs or not.',
	means:
		'A thousand executions may wait at the same time: n8n needs some megabytes for them, and the service gets fewer requests than from programs that ask again and again.',
	shown: {
		'late (half of them)': ({ p50 = NaN }) => `${shownNumber(p50)} ms`,
		'late (99 of 100)': ({ p99 = NaN }) => `${shownNumber(p99)} ms`,
		requests: ({ requests = NaN }) => requests.toLocaleString('en-US'),
		'streams at once': ({ streamsAtOnce = NaN }) => String(streamsAtOnce),
	},
	measure: async (scale) => {
		const measures: Measure[] = [];
		for (const times of scale.sizes) {
			const count = Math.round(scale.waits * times);
			const wait = (maxStreams: number | null, lists: 'newest' | 'nothing') => ({
				count,
				jobMs: scale.waitSeconds * 1_000,
				maxStreams,
				lists,
			});
			const ours: Contestants = {
				[FREE]: ['waits.waitsByClient', wait(null, 'nothing')],
				[EIGHT]: ['waits.waitsByClient', wait(8, 'newest')],
				[UNLISTED]: ['waits.waitsByClient', wait(8, 'nothing')],
			};
			const results = await contestOf({ ...ours, [SDK]: ['waits.waitsBySdk', wait(0, 'nothing')] }, { rounds: 1, together: true });
			measures.push({ size: `${count} waits of ${scale.waitSeconds} s`, results });
		}
		return measures;
	},
	goals: (results, scale) => {
		const [free, eight, unlisted] = [FREE, EIGHT, UNLISTED].map((name) => resultOf(results, name)) as [
			ReturnType<typeof resultOf>,
			ReturnType<typeof resultOf>,
			ReturnType<typeof resultOf>,
		];
		const requests = ({ facts }: ReturnType<typeof resultOf>) => perThousandMinutes(facts.requests ?? NaN, scale);
		return [
			atMost('Waits, any number of streams: memory', free.peakMib, 60, ' MiB'),
			atMost('Waits, 8 streams: streams at once', eight.facts.streamsAtOnce ?? NaN, 8),
			atMost('Waits, 8 streams and a list: requests for a thousand minutes', requests(eight), 4_000),
			atMost('Waits, 8 streams and a list: late (half of them)', eight.facts.p50 ?? NaN, 2_000, ' ms'),
			atMost('Waits, 8 streams and a list: memory', eight.peakMib, 40, ' MiB'),
			atMost('Waits, 8 streams, no list: requests for a thousand minutes', requests(unlisted), 12_000),
			atMost('Waits, 8 streams, no list: late (half of them)', unlisted.facts.p50 ?? NaN, 3_000, ' ms'),
		];
	},
};
