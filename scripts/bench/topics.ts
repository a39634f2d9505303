/** The topics of the benchmark, in the order of docs/development/benchmarks.md. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { projectRoot } from '../n8nHost/environment';
import { POOL_TOPIC } from './poolTopic';
import { type Facts, type FileContest, type Result, runContest, runFileContest } from './contest';
import {
	bytesOf,
	createGoal,
	CURL,
	grouped,
	type Measure,
	MIB,
	milliseconds,
	resultOf,
	type Scale,
	shownMemory,
	shownNumber,
	shownSize,
	shownTime,
	type Topic,
} from './topic';

const SDK = '@comfyorg/sdk';
const HASH = 'hashing only';
const UPLOAD = 'Comfy Upload Asset';
const DOWNLOAD = 'Comfy Download Outputs';

const timeAndMemory = (result: Result): string =>
	result.name === CURL ? shownTime(result.ms) : `${shownTime(result.ms)}, ${shownMemory(result)} of memory`;

const filesBy =
	(contestants: FileContest['contestants'], asked: Pick<FileContest, 'hashes'>) =>
	async ({ fileMib, rounds, roundsBeside }: Scale, times: number): Promise<Measure> => {
		const mib = fileMib * times;
		const folder = join(projectRoot, '.cache/bench', randomUUID());
		const files = { contestants, ...asked, bytes: bytesOf(mib), rounds: times === 1 ? rounds : roundsBeside };
		return { size: shownSize(mib), results: await runFileContest(folder, files) };
	};

const shownOfDownload = { requests: ({ requests = 0 }: Facts) => String(requests) };
const shownOfUpload = {
	...shownOfDownload,
	sent: ({ bodyBytes = 0 }: Facts) => (bodyBytes < MIB ? `${bodyBytes} bytes` : shownSize(bodyBytes / MIB)),
};

const FILE_TOPICS: readonly Topic[] = [
	{
		name: 'upload',
		times: 'compared',
		title: 'Upload a file',
		how: 'A file from n8n’s storage is uploaded. *Skip If Already Stored* is off, so the node does not calculate a hash. curl reads the file from the disk.',
		means: 'Uploads are about as fast as with curl and need almost no memory.',
		summary: { task: 'Upload a file', own: UPLOAD, other: CURL, show: timeAndMemory },
		shown: shownOfUpload,
		measure: filesBy({ [UPLOAD]: 'node.upload', [CURL]: 'least.upload' }, { hashes: false }),
		goals: (results) => {
			const node = resultOf(results, UPLOAD);
			return [
				createGoal('Upload: time, relative to curl', node.ratios[CURL], 1.05),
				createGoal('Upload: memory', node.peakMib, 16, ' MiB'),
			];
		},
	},
	{
		name: 'upload-hash',
		times: 'compared',
		title: 'Upload a new file with its hash',
		how: 'This is the default. The node calculates the BLAKE3 hash and asks the service for it. The service does not have the file, so the node uploads it. The SDK always works this way.',
		means: 'The hash costs some time once. If you use the file again, it is not uploaded again.',
		summary: { task: 'Upload a new file with its hash', own: UPLOAD, other: SDK, show: timeAndMemory },
		shown: shownOfUpload,
		measure: filesBy({ [UPLOAD]: 'node.upload', [SDK]: 'sdk.upload', [HASH]: 'least.hash', [CURL]: 'least.upload' }, { hashes: true }),
		goals: (results) => {
			const [node = NaN, hash = NaN, curl = NaN] = [UPLOAD, HASH, CURL].map((name) => resultOf(results, name).ms);
			return [createGoal('Upload with hash: time, relative to hashing and uploading with curl', node / (hash + curl), 1.06)];
		},
	},
	{
		name: 'download',
		times: 'compared',
		title: 'Download a file',
		how: 'An output of a job is saved in n8n’s storage; curl and the SDK save it in a file. The service reports the size but no hash.',
		means: 'Large files are streamed to the disk and need little memory. After a lost connection, the download resumes.',
		summary: { task: 'Download a file', own: DOWNLOAD, other: CURL, show: timeAndMemory },
		shown: shownOfDownload,
		measure: filesBy({ [DOWNLOAD]: 'node.download', [SDK]: 'sdk.download', [CURL]: 'least.download' }, { hashes: false }),
		goals: (results) => [createGoal('Download: memory', resultOf(results, DOWNLOAD).peakMib, 40, ' MiB')],
	},
	{
		name: 'download-hash',
		times: 'compared',
		title: 'Download a file and check its hash',
		how: 'The service reports the hash, and the node compares it with the downloaded file. The SDK cannot do this.',
		means: 'A damaged file never reaches the workflow.',
		summary: { task: 'Download a file and check its hash', own: DOWNLOAD, other: HASH, show: timeAndMemory },
		shown: shownOfDownload,
		measure: filesBy({ [DOWNLOAD]: 'node.download', [HASH]: 'least.hash', [CURL]: 'least.download' }, { hashes: true }),
		goals: (results) => {
			const [node = NaN, hash = NaN, curl = NaN] = [DOWNLOAD, HASH, CURL].map((name) => resultOf(results, name).ms);
			return [
				createGoal('Download with hash: time, relative to hashing only', node / hash, 1.15),
				// One thread does both: it calculates the hash, then it stores the file.
				createGoal('Download with hash: time, relative to hashing and downloading with curl', node / (hash + curl), 1.06),
			];
		},
	},
];

const WAIT = 'Comfy Wait For Job';
const RUN_FIVE = 'Comfy Run Workflow, 5 at a time';
const SDK_FIVE = '@comfyorg/sdk, 5 at a time';
const RUN_REJECTED = 'Comfy Run Workflow, 20 at a time, the service accepts 10';
const SDK_REJECTED = '@comfyorg/sdk, 20 at a time, the service accepts 10';

const JOB_MS = 500;
const END_AFTER_MS = 3_000;
const MAX_JOBS = 10;

const JOB_TOPICS: readonly Topic[] = [
	{
		name: 'ends',
		times: 'compared',
		title: 'From the end of a job to the next node',
		how: 'The time between the end of a job and the start of the next node, or of the next line in a program that uses the SDK. The sizes are durations of jobs.',
		means: 'The next node starts immediately, because the service reports the end of a job.',
		summary: { task: 'Delay after the end of a job', own: WAIT, other: SDK, show: ({ ms }) => milliseconds(ms) },
		shown: { '99th percentile': ({ p99 }) => milliseconds(p99) },
		measure: async (scale, times) => {
			const options = { count: scale.ends, jobMs: END_AFTER_MS * times };
			const results = await runContest({ [WAIT]: ['node.ends', options], [SDK]: ['sdk.ends', options] }, { rounds: 1, together: true });
			return { size: `jobs of ${options.jobMs / 1_000} s`, results };
		},
		goals: (results) => [createGoal('End of a job to the next node: time, relative to the SDK', resultOf(results, WAIT).ratios[SDK], 0.05)],
	},
	{
		name: 'jobs',
		times: 'alone',
		title: 'Run many short jobs',
		how: `One run of Comfy Run Workflow with jobs of half a second. It submits each job, waits for it and saves its file. In two of the cases, the service accepts ${MAX_JOBS} jobs at the same time and rejects more. The ideal is the time of the jobs alone.`,
		means: 'A batch takes hardly longer than its jobs. A service with a full queue gets few additional requests.',
		summary: { task: 'Run a batch, 5 jobs at a time', own: RUN_FIVE, other: SDK_FIVE, show: ({ ms }) => shownTime(ms) },
		shown: {
			'requests per job': ({ requestsPerJob = NaN }) => shownNumber(requestsPerJob),
			rejected: ({ rejected = 0 }) => String(rejected),
			'time, relative to the ideal': ({ overIdeal = NaN }) => shownNumber(overIdeal),
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
			createGoal('Five jobs at a time: time, relative to the ideal', resultOf(results, RUN_FIVE).facts.overIdeal, 1.01),
			createGoal('Twenty jobs at a time, ten accepted: time, relative to the ideal', resultOf(results, RUN_REJECTED).facts.overIdeal, 1.02),
		],
	},
];

const FREE = 'this package, unlimited event streams';
const EIGHT = 'this package, 8 event streams, with a list of jobs';
const UNLISTED = 'this package, 8 event streams, without a list of jobs';

const WAIT_TOPIC: Topic = {
	name: 'waits',
	times: 'given',
	title: 'Wait for many jobs at the same time',
	how: 'Many clients wait at the same time, each for its own job, over one connection. Some services limit the number of event streams (the API proxy allows eight), and some cannot list their jobs.',
	means: 'A thousand executions can wait at the same time. They need some megabytes of memory and few requests.',
	summary: {
		task: 'Wait for many jobs at the same time',
		own: EIGHT,
		other: SDK,
		show: (result) =>
			`${milliseconds(result.facts.p50)} late, ${grouped(result.facts.requests ?? NaN)} requests, ${shownMemory(result)} of memory`,
	},
	shown: {
		'late (median)': ({ p50 }) => milliseconds(p50),
		'late (99th percentile)': ({ p99 }) => milliseconds(p99),
		requests: ({ requests = NaN }) => grouped(requests),
		'most event streams': ({ streamsAtOnce = NaN }) => String(streamsAtOnce),
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
			createGoal('Waits, 8 event streams, with a list: requests for 1,000 minutes', requests(eight), 4_000),
			createGoal('Waits, 8 event streams, with a list: late (median)', eight.facts.p50, 2_000, ' ms'),
			createGoal('Waits, 8 event streams, with a list: memory', eight.peakMib, 40, ' MiB'),
			createGoal('Waits, 8 event streams, without a list: requests for 1,000 minutes', requests(unlisted), 12_000),
			createGoal('Waits, 8 event streams, without a list: late (median)', unlisted.facts.p50, 3_000, ' ms'),
		];
	},
};

const CLIENT = 'this package’s client';
const WS = 'only `ws` and `JSON.parse`';

const FRAME_TOPIC: Topic = {
	name: 'frames',
	times: 'compared',
	title: 'Process live events',
	how: 'A job sends progress messages over a WebSocket, as fast as the client reads them. The client turns each message into an event for Comfy Progress Trigger.',
	means: 'The client processes far more messages than a real server sends.',
	summary: {
		task: 'Process live events',
		own: CLIENT,
		other: WS,
		show: ({ facts }) => `${grouped(Math.round(facts.perSecond ?? NaN))} messages per second`,
	},
	shown: { 'messages per second': ({ perSecond = NaN }) => grouped(Math.round(perSecond)) },
	measure: async (scale, times) => {
		const options = { perSecond: null, count: Math.round(scale.frames * times) };
		const contestants = { [CLIENT]: ['client.frames', options], [WS]: ['least.frames', options] } as const;
		const results = await runContest(contestants, { rounds: times === 1 ? scale.rounds : scale.roundsBeside });
		for (const { facts, ms } of results) facts.perSecond = (options.count * 1_000) / ms;
		return { size: `${grouped(options.count)} messages`, results };
	},
	goals: (results) => [createGoal('Live events: time, relative to only ws and JSON.parse', resultOf(results, CLIENT).ratios[WS], 1.67)],
};

/** In the order of the report. */
export const TOPICS: readonly Topic[] = [...FILE_TOPICS, ...JOB_TOPICS, POOL_TOPIC, WAIT_TOPIC, FRAME_TOPIC];
