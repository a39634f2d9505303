import { ApiError, type Job, StoppedError } from '../../../client';
import { findJobsEndedSince, readAndReport, type SourceListener } from '../../../client/events/eventSource';
import type { JobService } from '../../../client/ports';
import { job } from '../comfyui/progress/support';

const unknownJob = new ApiError({ interface: 'v1', code: 'not_found', status: 404, message: '' });
const failure = new ApiError({ interface: 'v1', code: 'upstream_error', status: 500, message: '' });

/** Reads job `a`, and returns the result and what was reported. */
async function readJob(answer: Job | Error, inFlight: string[] = []): Promise<unknown[]> {
	const jobs = { get: async () => await (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)) };
	const reported: unknown[] = [];
	const listener: Partial<SourceListener> = {
		inFlight: () => inFlight,
		onJob: ({ job_id, status }) => reported.push([job_id, status]),
		onTrouble: ({ error, retryInMs, jobId }) => reported.push([error, retryInMs, jobId]),
	};
	const read = await readAndReport(jobs as unknown as JobService, 'a', listener as SourceListener, new AbortController().signal);
	return [read?.status, ...reported];
}

test('a job that was read is reported and returned', async () => {
	await expect(readJob(job('a', 'running'))).resolves.toEqual(['running', ['a', 'running']]);
});

test('a read that was stopped reports nothing', async () => {
	await expect(readJob(new StoppedError())).resolves.toEqual([undefined]);
});

test('a job in flight that the service does not know any more is reported as expired', async () => {
	await expect(readJob(unknownJob, ['a'])).resolves.toEqual([undefined, ['a', 'expired']]);
});

test('an unknown job is reported as a trouble that is not tried again', async () => {
	await expect(readJob(unknownJob, ['b'])).resolves.toEqual([undefined, [unknownJob, null, 'a']]);
});

test('another failure is reported with the time of the next read', async () => {
	await expect(readJob(failure, ['a'])).resolves.toEqual([undefined, [failure, 60_000, 'a']]);
});

describe('the search for missed jobs', () => {
	const HOUR_MS = 60 * 60 * 1000;
	const ago = (milliseconds: number): string => new Date(Date.now() - milliseconds).toISOString();
	const running = (jobId: string, ageMs: number): Job => job(jobId, 'running', { created_at: ago(ageMs) });

	async function find(pages: Job[][]): Promise<{ found: string[]; pagesRead: number }> {
		let pagesRead = 0;
		const list = async ({ cursor = '0' } = {}) => {
			pagesRead += 1;
			return await Promise.resolve({ jobs: pages[Number(cursor)] ?? [], nextCursor: String(Number(cursor) + 1) });
		};
		const found = await findJobsEndedSince({ list } as unknown as JobService, Date.now() - 1_000, new AbortController().signal);
		return { found: found.map(({ job_id }) => job_id), pagesRead };
	}

	test('ends after ten pages', async () => {
		const pages = Array.from({ length: 12 }, (_, page) => [running(`job ${page}`, page)]);
		const { found, pagesRead } = await find(pages);
		expect([found.length, pagesRead]).toEqual([10, 10]);
	});

	test('ends with the first job that is older than a day', async () => {
		const pages = [
			[running('new', 0)],
			[running('of today', 23 * HOUR_MS), running('older', 25 * HOUR_MS)],
			[running('oldest', 26 * HOUR_MS)],
		];
		await expect(find(pages)).resolves.toEqual({ found: ['new', 'of today'], pagesRead: 2 });
	});
});
