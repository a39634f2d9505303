/** What the benchmark measures, with the text, the figures and the goals of each section of `docs/speed.md`. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { projectRoot } from '../n8nHost/environment';
import { runContest, type Facts, type FileContest, runFileContest, type Result } from './contest';

/** How much is measured. */
export interface Scale {
	/** The size itself first; others beside it, as parts of it. */
	sizes: readonly number[];
	/** Of the largest that is always measured; a tenth and three times as much beside it. */
	fileMib: number;
	rounds: number;
	/** At the other sizes. */
	roundsBeside: number;
	jobs: number;
	waits: number;
	waitSeconds: number;
	frames: number;
	ends: number;
}

export const FULL: Scale = {
	sizes: [1, 0.1, 3],
	fileMib: 1_024,
	rounds: 5,
	roundsBeside: 3,
	jobs: 200,
	waits: 1_000,
	waitSeconds: 60,
	frames: 200_000,
	ends: 10,
};

export const QUICK: Scale = {
	sizes: [1],
	fileMib: 128,
	rounds: 3,
	roundsBeside: 1,
	jobs: 40,
	waits: 300,
	waitSeconds: 20,
	frames: 60_000,
	ends: 3,
};

/** What was measured at one size. */
export interface Measure {
	size: string;
	results: Result[];
}

interface Goal {
	what: string;
	measured: number;
	most: number;
	unit: string;
}

export interface Topic {
	name: string;
	title: string;
	/** What is done, and by whom. */
	how: string;
	/** What it means for a user. */
	means: string;
	/** Facts in its table, each with its heading. */
	shown?: Readonly<Record<string, (facts: Facts) => string>>;
	/** `compared`: times, and the first one's as a part of each other's. `alone`: times only. `given`: none, since all take the same. */
	times: 'compared' | 'alone' | 'given';
	/** @param times the size, as a part of what the scale says. */
	measure(scale: Scale, times: number): Promise<Measure>;
	/** @param results at the first size. */
	goals(results: readonly Result[], scale: Scale): Goal[];
}

const MIB = 1024 * 1024;
export const bytesOf = (mib: number): number => Math.max(1, Math.round(mib)) * MIB;

const resultOf = (results: readonly Result[], name: string): Result => results.find((result) => result.name === name) as Result;

const createGoal = (what: string, measured = NaN, most = NaN, unit = ''): Goal => ({ what, measured, most, unit });

export const shownNumber = (value: number): string =>
	Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(value < 10 ? 2 : 1);

const grouped = (value: number): string => value.toLocaleString('en-US');
const milliseconds = (value = NaN): string => `${shownNumber(value)} ms`;

const CURL = 'curl';
const SDK = '@comfyorg/sdk';
const HASH = 'reading and hashing alone';
const UPLOAD = 'Comfy Upload Asset';
const DOWNLOAD = 'Comfy Download Outputs';

const sizeOf = (mib: number): string => (mib >= 1_024 ? `${shownNumber(mib / 1_024)} GiB` : `${Math.max(1, Math.round(mib))} MiB`);

const filesBy =
	(contestants: FileContest['contestants'], asked: Pick<FileContest, 'hashes'>) =>
	async ({ fileMib, rounds, roundsBeside }: Scale, times: number): Promise<Measure> => {
		const mib = fileMib * times;
		const folder = join(projectRoot, '.cache/bench', randomUUID());
		const files = { contestants, ...asked, bytes: bytesOf(mib), rounds: times === 1 ? rounds : roundsBeside };
		return { size: sizeOf(mib), results: await runFileContest(folder, files) };
	};

const shownOfDownload = { requests: ({ requests = 0 }: Facts) => String(requests) };
const shownOfUpload = {
	...shownOfDownload,
	sent: ({ bodyBytes = 0 }: Facts) => (bodyBytes < MIB ? `${bodyBytes} bytes` : sizeOf(bodyBytes / MIB)),
};

const FILE_TOPICS: readonly Topic[] = [
	{
		name: 'upload',
		times: 'compared',
		title: 'Upload of a file',
		how: 'A file in n8n’s store (for curl, on the disk) is sent as it is: *Skip If Already Stored* is off.',
		means: 'A film of some gigabytes is sent about as fast as the network takes it, and n8n needs no memory for it.',
		shown: shownOfUpload,
		measure: filesBy({ [UPLOAD]: 'node.upload', [CURL]: 'least.upload' }, { hashes: false }),
		goals: (results) => {
			const node = resultOf(results, UPLOAD);
			return [createGoal('Upload: time ÷ curl’s', node.ratios[CURL], 1.05), createGoal('Upload: memory', node.peakMib, 16, ' MiB')];
		},
	},
	{
		name: 'upload-hash',
		times: 'compared',
		title: 'Upload with the file’s hash, where the service does not have it',
		how: 'The default: the file is hashed first, and sent because the service does not know it. The SDK always works so.',
		means: 'Asking first costs the time that BLAKE3 takes, once; a file that is used again is not sent again.',
		shown: shownOfUpload,
		measure: filesBy({ [UPLOAD]: 'node.upload', [SDK]: 'sdk.upload', [HASH]: 'least.hash', [CURL]: 'least.upload' }, { hashes: true }),
		goals: (results) => {
			const [node = NaN, hash = NaN, curl = NaN] = [UPLOAD, HASH, CURL].map((name) => resultOf(results, name).ms);
			return [createGoal('Upload with hash: time ÷ (hashing alone + curl’s upload)', node / (hash + curl), 1.06)];
		},
	},
	{
		name: 'download',
		times: 'compared',
		title: 'Download of a file',
		how: 'A job’s file is saved in n8n’s store (for curl and the SDK: in a file). The service reports its size and no hash.',
		means: 'Large results are streamed into n8n’s store, and a download resumes where its connection was cut.',
		shown: shownOfDownload,
		measure: filesBy({ [DOWNLOAD]: 'node.download', [SDK]: 'sdk.download', [CURL]: 'least.download' }, { hashes: false }),
		goals: (results) => [createGoal('Download: memory', resultOf(results, DOWNLOAD).peakMib, 40, ' MiB')],
	},
	{
		name: 'download-hash',
		times: 'compared',
		title: 'Download with the file’s hash',
		how: 'The service reports the hash, and the download is compared with it. The SDK cannot do that.',
		means: 'A file that was damaged on its way never reaches the workflow.',
		shown: shownOfDownload,
		measure: filesBy({ [DOWNLOAD]: 'node.download', [HASH]: 'least.hash', [CURL]: 'least.download' }, { hashes: true }),
		goals: (results) => {
			const [node = NaN, hash = NaN, curl = NaN] = [DOWNLOAD, HASH, CURL].map((name) => resultOf(results, name).ms);
			return [
				createGoal('Download with hash: time ÷ hashing alone', node / hash, 1.15),
				// Where storing the file takes long, one thread can do no better: the hash comes first.
				createGoal('Download with hash: time ÷ (hashing alone + curl’s download)', node / (hash + curl), 1.06),
			];
		},
	},
];

const WAIT = 'Comfy Wait For Job';
const RUN_FIVE = 'Comfy Run Workflow, 5 at a time';
const SDK_FIVE = '@comfyorg/sdk, 5 at a time';
const RUN_REJECTED = 'Comfy Run Workflow, 20 at a time, a service that takes 10';
const SDK_REJECTED = '@comfyorg/sdk, 20 at a time, a service that takes 10';

const JOB_MS = 500;
const END_AFTER_MS = 3_000;
const MAX_JOBS = 10;

const JOB_TOPICS: readonly Topic[] = [
	{
		name: 'ends',
		times: 'compared',
		title: 'From the end of a job to the next node',
		how: 'How long after a job has ended the next step begins: the node behind Comfy Wait For Job, or the next line of a program. The sizes are how long the jobs take.',
		means: 'A workflow goes on at once, however long its jobs take: the service reports the end, so that nothing polls for it.',
		shown: { 'slowest of a hundred': ({ p99 }) => milliseconds(p99) },
		measure: async (scale, times) => {
			const options = { count: scale.ends, jobMs: END_AFTER_MS * times };
			const results = await runContest({ [WAIT]: ['node.ends', options], [SDK]: ['sdk.ends', options] }, { rounds: 1, together: true });
			return { size: `jobs of ${options.jobMs / 1_000} s`, results };
		},
		goals: (results) => [createGoal('End of a job to the next node: time ÷ the SDK’s', resultOf(results, WAIT).ratios[SDK], 0.05)],
	},
	{
		name: 'jobs',
		times: 'alone',
		title: 'Many short jobs',
		how: `Jobs of half a second through one call of Comfy Run Workflow on n8n’s engine: each submitted, waited for, and its file saved. A service that takes ${MAX_JOBS} at once rejects more.`,
		means: 'A batch takes as long as its jobs take, and a service with a full queue gets few requests.',
		shown: {
			'requests a job': ({ requestsPerJob = NaN }) => shownNumber(requestsPerJob),
			rejected: ({ rejected = 0 }) => String(rejected),
			'÷ the ideal': ({ overIdeal = NaN }) => shownNumber(overIdeal),
		},
		measure: async (scale, times) => {
			const count = Math.round(scale.jobs * times);
			const five = { count, jobMs: JOB_MS, concurrency: 5, maxJobs: null };
			const rejected = { count, jobMs: JOB_MS, concurrency: 20, maxJobs: MAX_JOBS };
			const results = await runContest(
				{
					[RUN_FIVE]: ['node.batch', five],
					[SDK_FIVE]: ['sdk.batch', five],
					[RUN_REJECTED]: ['node.batch', rejected],
					[SDK_REJECTED]: ['sdk.batch', rejected],
				},
				{ rounds: 1, together: true },
			);
			for (const { name, ms, facts } of results) {
				const atOnce = name === RUN_FIVE || name === SDK_FIVE ? five.concurrency : MAX_JOBS;
				facts.overIdeal = ms / (Math.ceil(count / atOnce) * JOB_MS);
			}
			return { size: `${count} jobs`, results };
		},
		goals: (results) => [
			createGoal('Five at a time: time ÷ the ideal', resultOf(results, RUN_FIVE).facts.overIdeal, 1.01),
			createGoal('Rejected above ten: time ÷ the ideal', resultOf(results, RUN_REJECTED).facts.overIdeal, 1.02),
		],
	},
];

const FREE = 'this package, any number of streams';
const EIGHT = 'this package, 8 streams, the service lists jobs';
const UNLISTED = 'this package, 8 streams, the service lists none';

const WAIT_TOPIC: Topic = {
	name: 'waits',
	times: 'given',
	title: 'Many waits at the same time',
	how: 'Each waits for a job of its own; all at the same time, on one connection. A service may allow few event streams (the API proxy allows eight), and may list its jobs or not.',
	means:
		'A thousand executions may wait at the same time: n8n needs some megabytes for them, and the service gets fewer requests than from programs that poll.',
	shown: {
		'late (half of them)': ({ p50 }) => milliseconds(p50),
		'late (99 of 100)': ({ p99 }) => milliseconds(p99),
		requests: ({ requests = NaN }) => grouped(requests),
		'streams at once': ({ streamsAtOnce = NaN }) => String(streamsAtOnce),
	},
	measure: async (scale, times) => {
		const count = Math.round(scale.waits * times);
		const options = { count, jobMs: scale.waitSeconds * 1_000 };
		const results = await runContest(
			{
				[FREE]: ['client.waits', { ...options, maxStreams: null, lists: 'nothing' }],
				[EIGHT]: ['client.waits', { ...options, maxStreams: 8, lists: 'newest' }],
				[UNLISTED]: ['client.waits', { ...options, maxStreams: 8, lists: 'nothing' }],
				[SDK]: ['sdk.waits', { ...options, maxStreams: 0, lists: 'nothing' }],
			},
			{ rounds: 1, together: true },
		);
		return { size: `${count} waits of ${scale.waitSeconds} s`, results };
	},
	goals: (results, { waits, waitSeconds }) => {
		const [eight, unlisted] = [resultOf(results, EIGHT), resultOf(results, UNLISTED)];
		// The goals are of a thousand waits of a minute.
		const requests = ({ facts }: Result) => ((facts.requests ?? NaN) * 1_000 * 60) / (waits * waitSeconds);
		return [
			createGoal('Waits, 8 streams and a list: requests for a thousand minutes', requests(eight), 4_000),
			createGoal('Waits, 8 streams and a list: late (half of them)', eight.facts.p50, 2_000, ' ms'),
			createGoal('Waits, 8 streams and a list: memory', eight.peakMib, 40, ' MiB'),
			createGoal('Waits, 8 streams, no list: requests for a thousand minutes', requests(unlisted), 12_000),
			createGoal('Waits, 8 streams, no list: late (half of them)', unlisted.facts.p50, 3_000, ' ms'),
		];
	},
};

const CLIENT = 'this package’s client';
const WS = '`ws` and `JSON.parse` alone';

const FRAME_TOPIC: Topic = {
	name: 'frames',
	times: 'compared',
	title: 'Live events',
	how: 'A running job sends progress frames over a WebSocket, as ComfyUI does at each step, as fast as they are read. The client makes an event of each, as Comfy Progress Trigger receives them.',
	means: 'How much room there is above any real server.',
	shown: { 'frames a second': ({ perSecond = NaN }) => grouped(Math.round(perSecond)) },
	measure: async (scale, times) => {
		const options = { perSecond: null, count: Math.round(scale.frames * times) };
		const contestants = { [CLIENT]: ['client.frames', options], [WS]: ['least.frames', options] } as const;
		const results = await runContest(contestants, { rounds: times === 1 ? scale.rounds : scale.roundsBeside });
		for (const { facts, ms } of results) facts.perSecond = (options.count * 1_000) / ms;
		return { size: `${grouped(options.count)} frames`, results };
	},
	goals: (results) => [createGoal('Frames at full speed: time ÷ ws and JSON.parse', resultOf(results, CLIENT).ratios[WS], 1.67)],
};

/** In the order of the report. */
export const TOPICS: readonly Topic[] = [...FILE_TOPICS, ...JOB_TOPICS, WAIT_TOPIC, FRAME_TOPIC];
