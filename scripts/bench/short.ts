import { MIB, runContest, runFileContest } from './contest';

interface Check {
	what: string;
	measured: number;
	/** Higher than usual values, because no machine is exact. */
	most: number;
}

const FILE_BYTES = 128 * MIB;
/** With what surrounds the file in a form. */
const FORM_BYTES = FILE_BYTES + 4 * 1024;

const FILE_CHECKS = [
	{ what: 'upload', work: 'node.upload', requests: 1, bodyBytes: FORM_BYTES, peakMib: 48 },
	{ what: 'upload with hash', work: 'node.upload', hashes: true, requests: 2, bodyBytes: FORM_BYTES, peakMib: 48 },
	{ what: 'stored', work: 'node.upload', hashes: true, isStored: true, requests: 2, bodyBytes: 4 * 1024, peakMib: 48 },
	{ what: 'download', work: 'node.download', requests: 2, bodyBytes: 0, peakMib: 80 },
	{ what: 'download with hash', work: 'node.download', hashes: true, requests: 2, bodyBytes: 0, peakMib: 80 },
];

async function fileChecks(): Promise<Check[]> {
	const checks: Check[] = [];
	for (const { what, work, hashes, isStored, ...most } of FILE_CHECKS) {
		const [result] = await runFileContest({ contestants: { [what]: work }, bytes: FILE_BYTES, hashes, isStored });
		const { requests = NaN, bodyBytes = NaN } = result?.facts ?? {};
		checks.push(
			{ what: `${what}: requests`, measured: requests, most: most.requests },
			{ what: `${what}: body bytes`, measured: bodyBytes, most: most.bodyBytes },
			{ what: `${what}: MiB of memory`, measured: result?.peakMib ?? NaN, most: most.peakMib },
		);
	}
	return checks;
}

async function jobChecks(): Promise<Check[]> {
	const options = { count: 40, jobMs: 200, concurrency: 5, maxJobs: null };
	const [free, rejected] = await runContest(
		{ free: ['node.batch', options], rejected: ['node.batch', { ...options, concurrency: 20, maxJobs: 5 }] },
		{ together: true },
	);
	return [
		{ what: 'jobs: requests a job', measured: free?.facts.requestsPerJob ?? NaN, most: 4.5 },
		{ what: 'jobs: MiB of memory', measured: free?.peakMib ?? NaN, most: 64 },
		{ what: 'jobs, a full queue: requests a job', measured: rejected?.facts.requestsPerJob ?? NaN, most: 6.5 },
	];
}

async function poolChecks(): Promise<Check[]> {
	const [count, samplerMs] = [40, [400, 200, 100]];
	const [pool, restarted, single] = await runContest(
		{
			pool: ['pool.pool', { count, samplerMs }],
			restarted: ['pool.pool', { count, samplerMs, killed: { index: 2, awayMs: 2_000 } }],
			single: ['pool.single', { count, samplerMs: [100] }],
		},
		{ together: true },
	);
	const additional = (pool?.facts.requestsPerJob ?? NaN) - (single?.facts.requestsPerJob ?? NaN);
	return [
		{ what: 'pool: requests a job, in addition to one server', measured: additional, most: 2 },
		{ what: 'pool: jobs that were not delivered', measured: count - (pool?.facts.delivered ?? NaN), most: 0 },
		{ what: 'pool: jobs that ran twice', measured: (pool?.facts.runs ?? NaN) - count, most: 0 },
		{ what: 'pool, a server restarts: jobs that were not delivered', measured: count - (restarted?.facts.delivered ?? NaN), most: 0 },
	];
}

async function waitChecks(): Promise<Check[]> {
	const options = { count: 200, jobMs: 10_000 };
	const [free, eight, unlisted] = await runContest(
		{
			free: ['client.waits', { ...options, maxStreams: null, lists: 'nothing' }],
			eight: ['client.waits', { ...options, maxStreams: 8, lists: 'newest' }],
			unlisted: ['client.waits', { ...options, maxStreams: 8, lists: 'nothing' }],
		},
		{ together: true },
	);
	return [
		{ what: 'waits: requests a wait', measured: (free?.facts.requests ?? NaN) / options.count, most: 6 },
		{ what: 'waits: MiB of memory', measured: free?.peakMib ?? NaN, most: 80 },
		{ what: 'waits, 8 streams: streams at once', measured: eight?.facts.streamsAtOnce ?? NaN, most: 8 },
		{ what: 'waits, 8 streams: requests a wait', measured: (eight?.facts.requests ?? NaN) / options.count, most: 5 },
		{ what: 'waits, 8 streams, no list: requests a wait', measured: (unlisted?.facts.requests ?? NaN) / options.count, most: 8 },
		{ what: 'waits, 8 streams, no list: streams at once', measured: unlisted?.facts.streamsAtOnce ?? NaN, most: 8 },
	];
}

/** What does not depend on the machine. */
export async function shortChecks(): Promise<Check[]> {
	return [...(await fileChecks()), ...(await jobChecks()), ...(await poolChecks()), ...(await waitChecks())];
}

export const isWithinLimit = ({ measured, most }: Check): boolean => measured <= most;
