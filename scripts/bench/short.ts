import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { n8n } from '../../package.json';
import { projectRoot } from '../n8nHost/environment';
import { run } from '../n8nHost/processes';
import { runContest, runFileContest } from './contest';
import { bytesOf } from './topic';

export interface Check {
	what: string;
	measured: number;
	/** Higher than usual values, because no machine is exact. */
	most: number;
}

interface ShortScale {
	fileMib: number;
	jobs: number;
	poolJobs: number;
	waits: number;
	waitSeconds: number;
	frames: number;
}

export const SHORT: ShortScale = { fileMib: 128, jobs: 40, poolJobs: 40, waits: 200, waitSeconds: 10, frames: 20_000 };

/** Around the file, in a form. */
const FORM_BYTES = 4 * 1024;

interface FileCheck {
	what: string;
	work: string;
	hashes: boolean;
	isStored?: boolean;
	requests: number;
	bodyBytes: number;
	peakMib: number;
}

async function fileChecks({ fileMib }: ShortScale): Promise<Check[]> {
	const bytes = bytesOf(fileMib);
	const ways: FileCheck[] = [
		{ what: 'upload', work: 'node.upload', hashes: false, requests: 1, bodyBytes: bytes + FORM_BYTES, peakMib: 48 },
		{ what: 'upload with hash', work: 'node.upload', hashes: true, requests: 2, bodyBytes: bytes + FORM_BYTES, peakMib: 48 },
		{ what: 'stored', work: 'node.upload', hashes: true, isStored: true, requests: 2, bodyBytes: FORM_BYTES, peakMib: 48 },
		{ what: 'download', work: 'node.download', hashes: false, requests: 2, bodyBytes: 0, peakMib: 80 },
		{ what: 'download with hash', work: 'node.download', hashes: true, requests: 2, bodyBytes: 0, peakMib: 80 },
	];
	const checks: Check[] = [];
	for (const { what, work, hashes, isStored, ...most } of ways) {
		const folder = join(projectRoot, '.cache/bench');
		const [result] = await runFileContest(folder, { contestants: { [what]: work }, bytes, rounds: 1, hashes, isStored });
		const { requests = NaN, bodyBytes = NaN } = result?.facts ?? {};
		checks.push(
			{ what: `${what}: requests`, measured: requests, most: most.requests },
			{ what: `${what}: body bytes`, measured: bodyBytes, most: most.bodyBytes },
			{ what: `${what}: MiB of memory`, measured: result?.peakMib ?? NaN, most: most.peakMib },
		);
	}
	return checks;
}

async function jobChecks({ jobs }: ShortScale): Promise<Check[]> {
	const options = { count: jobs, jobMs: 200, concurrency: 5, maxJobs: null };
	const [free, rejected] = await runContest(
		{ free: ['node.batch', options], rejected: ['node.batch', { ...options, concurrency: 20, maxJobs: 5 }] },
		{ rounds: 1, together: true },
	);
	return [
		{ what: 'jobs: requests a job', measured: free?.facts.requestsPerJob ?? NaN, most: 4.5 },
		{ what: 'jobs: MiB of memory', measured: free?.peakMib ?? NaN, most: 64 },
		{ what: 'jobs, a full queue: requests a job', measured: rejected?.facts.requestsPerJob ?? NaN, most: 6.5 },
	];
}

async function poolChecks({ poolJobs: count }: ShortScale): Promise<Check[]> {
	const samplerMs = [400, 200, 100];
	const [pool, restarted, single] = await runContest(
		{
			pool: ['pool.pool', { count, samplerMs }],
			restarted: ['pool.pool', { count, samplerMs, killed: { index: 2, awayMs: 2_000 } }],
			single: ['pool.single', { count, samplerMs: [100] }],
		},
		{ rounds: 1, together: true },
	);
	const additional = (pool?.facts.requestsPerJob ?? NaN) - (single?.facts.requestsPerJob ?? NaN);
	return [
		{ what: 'pool: requests a job, in addition to one server', measured: additional, most: 2 },
		{ what: 'pool: jobs that were not delivered', measured: count - (pool?.facts.delivered ?? NaN), most: 0 },
		{ what: 'pool: jobs that ran twice', measured: (pool?.facts.runs ?? NaN) - count, most: 0 },
		{ what: 'pool, a server restarts: jobs that were not delivered', measured: count - (restarted?.facts.delivered ?? NaN), most: 0 },
	];
}

async function waitChecks({ waits, waitSeconds }: ShortScale): Promise<Check[]> {
	const options = { count: waits, jobMs: waitSeconds * 1_000 };
	const [free, eight, unlisted] = await runContest(
		{
			free: ['client.waits', { ...options, maxStreams: null, lists: 'nothing' }],
			eight: ['client.waits', { ...options, maxStreams: 8, lists: 'newest' }],
			unlisted: ['client.waits', { ...options, maxStreams: 8, lists: 'nothing' }],
		},
		{ rounds: 1, together: true },
	);
	return [
		{ what: 'waits: requests a wait', measured: (free?.facts.requests ?? NaN) / waits, most: 6 },
		{ what: 'waits: MiB of memory', measured: free?.peakMib ?? NaN, most: 80 },
		{ what: 'waits, 8 streams: streams at once', measured: eight?.facts.streamsAtOnce ?? NaN, most: 8 },
		{ what: 'waits, 8 streams: requests a wait', measured: (eight?.facts.requests ?? NaN) / waits, most: 5 },
		{ what: 'waits, 8 streams, no list: requests a wait', measured: (unlisted?.facts.requests ?? NaN) / waits, most: 8 },
		{ what: 'waits, 8 streams, no list: streams at once', measured: unlisted?.facts.streamsAtOnce ?? NaN, most: 8 },
	];
}

async function frameChecks({ frames }: ShortScale): Promise<Check[]> {
	const [paced, fast] = await runContest(
		{
			paced: ['client.frames', { count: frames / 4, perSecond: 2_000 }],
			fast: ['client.frames', { count: frames, perSecond: null }],
		},
		{ rounds: 1 },
	);
	return [
		{ what: 'frames at a pace: lost or reported twice', measured: Math.abs((paced?.facts.reported ?? NaN) - frames / 4), most: 0 },
		{ what: 'frames at full speed: lost or reported twice', measured: Math.abs((fast?.facts.reported ?? NaN) - frames), most: 0 },
	];
}

async function loadChecks(): Promise<Check[]> {
	const files = n8n.nodes.map((file) => join(projectRoot, file));
	if (!files.every(existsSync)) await run('npm', ['run', 'build'], { cwd: projectRoot });
	// n8n itself has loaded n8n-workflow before any node.
	const [loaded] = await runContest({ all: ['least.load', { files, already: [require.resolve('n8n-workflow')] }] }, { rounds: 1 });
	return [
		{ what: 'loading all nodes: modules', measured: loaded?.facts.modules ?? NaN, most: 900 },
		{ what: 'loading all nodes: MiB of memory', measured: loaded?.facts.mib ?? NaN, most: 40 },
	];
}

/** What does not depend on the machine. */
export async function shortChecks(scale: ShortScale): Promise<Check[]> {
	const parts = [fileChecks, jobChecks, poolChecks, waitChecks, frameChecks, loadChecks];
	const checks: Check[] = [];
	for (const part of parts) checks.push(...(await part(scale)));
	return checks;
}

export const isWithinLimit = ({ measured, most }: Check): boolean => measured <= most;
