import { contestOf } from './contestOf';
import { atMost, type Measure, resultOf, shownNumber, type Topic } from './topic';

const WAIT = 'Comfy Wait For Job';
const CLIENT = 'this package’s client';
const SDK = '@comfyorg/sdk';
const RUN_FIVE = 'Comfy Run Workflow, 5 at a time';
const SDK_FIVE = '@comfyorg/sdk, 5 at a time';
const RUN_REFUSED = 'Comfy Run Workflow, 20 at a time, a service that takes 10';
const SDK_REFUSED = '@comfyorg/sdk, 20 at a time, a service that takes 10';

const JOB_MS = 500;
const END_AFTER_MS = 3_000;
const TAKES = 10;

/** No faster is possible. */
const idealMs = (count: number, atOnce: number): number => Math.ceil(count / atOnce) * JOB_MS;

export const JOB_TOPICS: readonly Topic[] = [
	{
		name: 'ends',
		times: 'compared',
		title: 'From the end of a job to the next node',
		how: 'How long after a job has ended the next step begins: the node behind Comfy Wait For Job, or the next line of a program. The sizes are how long the jobs take.',
		means: 'A workflow goes on at once, however long its jobs take: the service tells of the end, nobody has to ask.',
		shown: { 'slowest of a hundred': ({ p99 = NaN }) => `${shownNumber(p99)} ms` },
		measure: async ({ ends, sizes }) => {
			const measures: Measure[] = [];
			for (const times of sizes) {
				const options = { count: ends, jobMs: END_AFTER_MS * times };
				const results = await contestOf(
					{ [WAIT]: ['endsByNode.endsByNode', options], [CLIENT]: ['ends.endsByClient', options], [SDK]: ['ends.endsBySdk', options] },
					{ rounds: 1, together: true },
				);
				measures.push({ size: `jobs of ${options.jobMs / 1_000} s`, results });
			}
			return measures;
		},
		goals: (results) => [atMost('End of a job to the next node: time ÷ the SDK’s', resultOf(results, WAIT).ratios[SDK] ?? NaN, 0.05)],
	},
	{
		name: 'jobs',
		times: 'alone',
		title: 'Many short jobs',
		how: `Jobs of half a second through one call of Comfy Run Workflow on n8n’s engine: each submitted, waited for, and its file saved. A service that takes ${TAKES} at once refuses more.`,
		means: 'A batch takes as long as its jobs take, and a service whose queue is full is not pestered.',
		shown: {
			'requests a job': ({ requestsPerJob = NaN }) => shownNumber(requestsPerJob),
			refused: ({ refused = 0 }) => String(refused),
			'÷ the ideal': ({ overIdeal = NaN }) => shownNumber(overIdeal),
		},
		measure: async ({ jobs, sizes }) => {
			const measures: Measure[] = [];
			for (const times of sizes) {
				const count = Math.round(jobs * times);
				const five = { count, jobMs: JOB_MS, concurrency: 5, maxJobs: null };
				const refused = { count, jobMs: JOB_MS, concurrency: 20, maxJobs: TAKES };
				const results = await contestOf(
					{
						[RUN_FIVE]: ['jobs.jobsByNode', five],
						[SDK_FIVE]: ['jobs.jobsBySdk', five],
						[RUN_REFUSED]: ['jobs.jobsByNode', refused],
						[SDK_REFUSED]: ['jobs.jobsBySdk', refused],
					},
					{ rounds: 1, together: true },
				);
				for (const result of results) {
					const atOnce = result.name === RUN_FIVE || result.name === SDK_FIVE ? five.concurrency : TAKES;
					result.facts.overIdeal = result.ms / idealMs(count, atOnce);
				}
				measures.push({ size: `${count} jobs`, results });
			}
			return measures;
		},
		goals: (results) => [
			atMost('Five at a time: time ÷ the ideal', resultOf(results, RUN_FIVE).facts.overIdeal ?? NaN, 1.01),
			atMost('Five at a time: requests a job', resultOf(results, RUN_FIVE).facts.requestsPerJob ?? NaN, 4.05),
			atMost('Refused above ten: time ÷ the ideal', resultOf(results, RUN_REFUSED).facts.overIdeal ?? NaN, 1.02),
		],
	},
];
