/** The topics of the benchmark, in the order of docs/development/benchmarks.md. */
import { type FileContest, MIB, type Result, runContest, runFileContest } from './contest';

export interface Topic {
	name: string;
	/** With the size of what is measured. */
	title: string;
	/** Columns of the table, without the memory: the heading, and how to write the value. */
	columns: Readonly<Record<string, (result: Result) => string>>;
	measure(): Promise<Result[]>;
}

const number = (value = NaN): string =>
	Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(value < 10 ? 2 : 1);
const milliseconds = (ms = NaN): string => (ms >= 10_000 ? `${number(ms / 1_000)} s` : `${number(ms)} ms`);

const fact =
	(name: string, write: (value?: number) => string) =>
	({ facts }: Result) =>
		write(facts[name]);
const time = { time: ({ ms }: Result) => milliseconds(ms) };

/** The memory of curl is not measured, because it is a separate program. */
const memoryOf = ({ name, peakMib }: Result): string => (name === CURL ? '–' : `${Math.round(peakMib)} MiB`);

export function renderTable({ columns }: Topic, results: readonly Result[]): string {
	const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
	const head = ['', ...Object.keys(columns), 'memory'];
	const rows = results.map((result) => row([result.name, ...Object.values(columns).map((write) => write(result)), memoryOf(result)]));
	return [row(head), row(head.map(() => '---')), ...rows].join('\n');
}

const CURL = 'curl';
const SDK = '@comfyorg/sdk';

const filesBy = (contestants: FileContest['contestants'], hashes: boolean) => async () =>
	await runFileContest({ contestants, hashes, bytes: 1_024 * MIB, rounds: 5 });

const UPLOADS = { 'Comfy Upload Asset': 'node.upload', [CURL]: 'least.upload' };
const DOWNLOADS = { 'Comfy Download Outputs': 'node.download', [CURL]: 'least.download' };
const requests = { requests: fact('requests', String) };

const END_OF_JOBS = { count: 10, jobMs: 3_000 };
const BATCH = { count: 200, jobMs: 500 };
const FIVE = { ...BATCH, concurrency: 5, maxJobs: null };
const REJECTED = { ...BATCH, concurrency: 20, maxJobs: 10 };
const WAITS = { count: 1_000, jobMs: 60_000 };
/** Of the sampler, in milliseconds. */
const POOL = { count: 140, samplerMs: [1_000, 500, 250] };

export const TOPICS: readonly Topic[] = [
	{
		name: 'upload',
		title: 'Upload a file of 1 GiB',
		columns: { ...time, ...requests },
		measure: filesBy(UPLOADS, false),
	},
	{
		name: 'upload-hash',
		title: 'Upload a new file of 1 GiB with its hash',
		columns: { ...time, ...requests },
		measure: filesBy({ ...UPLOADS, [SDK]: 'sdk.upload', 'hashing only': 'least.hash' }, true),
	},
	{
		name: 'download',
		title: 'Download a file of 1 GiB',
		columns: { ...time, ...requests },
		measure: filesBy({ ...DOWNLOADS, [SDK]: 'sdk.download' }, false),
	},
	{
		name: 'download-hash',
		title: 'Download a file of 1 GiB and check its hash',
		columns: { ...time, ...requests },
		measure: filesBy({ ...DOWNLOADS, 'hashing only': 'least.hash' }, true),
	},
	{
		name: 'ends',
		title: 'From the end of a job to the next node',
		columns: { ...time, '99th percentile': fact('p99', milliseconds) },
		measure: async () =>
			await runContest({ 'Comfy Wait For Job': ['node.ends', END_OF_JOBS], [SDK]: ['sdk.ends', END_OF_JOBS] }, { together: true }),
	},
	{
		name: 'jobs',
		title: 'Run 200 short jobs',
		columns: {
			...time,
			'requests per job': fact('requestsPerJob', number),
			rejected: fact('rejected', String),
			'time, relative to the ideal': fact('overIdeal', number),
		},
		measure: async () =>
			await runContest(
				{
					'Comfy Run Workflow, 5 at a time': ['node.batch', FIVE],
					'@comfyorg/sdk, 5 at a time': ['sdk.batch', FIVE],
					'Comfy Run Workflow, 20 at a time, the service accepts 10': ['node.batch', REJECTED],
					'@comfyorg/sdk, 20 at a time, the service accepts 10': ['sdk.batch', REJECTED],
				},
				{ together: true },
			),
	},
	{
		name: 'pool',
		title: 'Run a batch of 140 jobs on several servers',
		columns: {
			...time,
			delivered: fact('delivered', String),
			'jobs that ran': fact('runs', String),
			'requests per job': fact('requestsPerJob', number),
			'time, relative to the ideal': fact('overIdeal', number),
		},
		measure: async () => [
			...(await runContest({ 'three servers as a pool': ['pool.pool', POOL] }, {})),
			...(await runContest(
				{
					'three servers as a pool, the fastest one restarts': ['pool.pool', { ...POOL, killed: { index: 2, awayMs: 10_000 } }],
					'only the fastest server': ['pool.single', { ...POOL, samplerMs: [250] }],
				},
				{ together: true },
			)),
		],
	},
	{
		name: 'waits',
		title: 'Wait for 1,000 jobs of 60 s at the same time',
		columns: {
			'late (median)': fact('p50', milliseconds),
			'late (99th percentile)': fact('p99', milliseconds),
			requests: fact('requests', number),
			'most event streams': fact('streamsAtOnce', String),
		},
		measure: async () =>
			await runContest(
				{
					'this package, unlimited event streams': ['client.waits', { ...WAITS, maxStreams: null, lists: 'nothing' }],
					'this package, 8 event streams, with a list of jobs': ['client.waits', { ...WAITS, maxStreams: 8, lists: 'newest' }],
					'this package, 8 event streams, without a list of jobs': ['client.waits', { ...WAITS, maxStreams: 8, lists: 'nothing' }],
					[SDK]: ['sdk.waits', { ...WAITS, maxStreams: 0, lists: 'nothing' }],
				},
				{ together: true },
			),
	},
];
