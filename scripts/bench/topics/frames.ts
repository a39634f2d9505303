import { contestOf } from './contestOf';
import { atMost, type Measure, resultOf, shownNumber, type Topic } from './topic';

const CLIENT = 'this package’s client';
const WS = '`ws` and `JSON.parse` alone';
const PER_SECOND = 5_000;

export const FRAME_TOPICS: readonly Topic[] = [
	{
		name: 'pace',
		times: 'given',
		title: 'Live news at a pace',
		how: 'A running job sends progress frames over a WebSocket, as ComfyUI does at each step; the client makes news of each, as Comfy Progress Trigger hears them.',
		means: 'Nothing is lost and nothing told twice, far beyond what one server sends; n8n stays free for other work.',
		shown: {
			'frames told': ({ told = NaN }) => told.toLocaleString('en-US'),
			'lost or twice': ({ wrong = NaN }) => String(wrong),
			'processor time a frame': ({ cpuMicros = NaN }) => `${shownNumber(cpuMicros)} µs`,
		},
		measure: async ({ frameSeconds, sizes }) => {
			const measures: Measure[] = [];
			for (const times of sizes) {
				const perSecond = PER_SECOND * times;
				const options = { perSecond, count: perSecond * frameSeconds };
				const results = await contestOf(
					{ [CLIENT]: ['frames.framesByClient', options], [WS]: ['frames.framesByWs', options] },
					{ rounds: 1, together: true },
				);
				for (const { facts, cpuMs } of results) {
					facts.wrong = Math.abs((facts.told ?? NaN) - options.count);
					facts.cpuMicros = (cpuMs * 1_000) / options.count;
				}
				measures.push({ size: `${perSecond.toLocaleString('en-US')} a second`, results });
			}
			return measures;
		},
		goals: (results) => [
			atMost(`${PER_SECOND.toLocaleString('en-US')} frames a second: lost or told twice`, resultOf(results, CLIENT).facts.wrong ?? NaN, 0),
		],
	},
	{
		name: 'frames',
		times: 'compared',
		title: 'Live news at full speed',
		how: 'The same frames, as fast as they are taken.',
		means: 'How much room there is above any real server.',
		shown: { 'frames a second': ({ perSecond = NaN }) => Math.round(perSecond).toLocaleString('en-US') },
		measure: async ({ frames, rounds, roundsBeside, sizes }) => {
			const measures: Measure[] = [];
			for (const times of sizes) {
				const options = { perSecond: null, count: Math.round(frames * times) };
				const results = await contestOf(
					{ [CLIENT]: ['frames.framesByClient', options], [WS]: ['frames.framesByWs', options] },
					{ rounds: times === 1 ? rounds : roundsBeside },
				);
				for (const { facts, ms } of results) facts.perSecond = (options.count * 1_000) / ms;
				measures.push({ size: `${options.count.toLocaleString('en-US')} frames`, results });
			}
			return measures;
		},
		goals: (results) => [atMost('Frames at full speed: time ÷ ws and JSON.parse', resultOf(results, CLIENT).ratios[WS] ?? NaN, 1.67)],
	},
];
