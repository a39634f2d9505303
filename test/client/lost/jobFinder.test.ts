/** Which job of a process that is gone belongs to which submission. */
import { type ApiGraph, type JobService, UnknownOutcomeError } from '../../../client';
import type { Job, JobStatus } from '../../../client/job';
import { JobFinder, type Sought } from '../../../client/lost/jobFinder';
import { lookFirst, ownerOf, sentSince, soughtBy } from '../../../client/lost/lookFirst';
import { TakenJobs, takenJobs } from '../../../client/lost/takenJobs';
import { type Decision, observed } from '../../../client/observer';
import type { JobPage, ListOptions } from '../../../client/ports';
import { failureOf } from '../support/bytes';
import { quickGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';

const harness = useSandbox();
const MINUTE_MS = 60_000;
let colors = 0x600000;
const newGraph = (): ApiGraph => quickGraph(++colors);
const find = async (sought: Pick<Sought, 'graph' | 'since'> & Partial<Sought>) =>
	await new JobFinder(harness.connectV1().jobs).earlier({ owner: {}, ...sought });

/** Made so many minutes ago, by a process that is gone. */
async function madeAgo(graph: ApiGraph, minutes: number): Promise<string> {
	const { job_id } = await harness.connectV1().jobs.submit({ graph });
	harness.sandbox.ageJob(job_id, minutes * MINUTE_MS);
	takenJobs.clear();
	return job_id;
}

const minutesAgo = (minutes: number): number => Date.now() - minutes * MINUTE_MS;

beforeEach(() => harness.sandbox.forgetJobs('hosted'));

test('equal submissions that began one after the other each find one, in whatever order they ask', async () => {
	const graph = newGraph();
	const starts = [50, 40, 30, 20];
	const made: string[] = [];
	for (const start of starts) made.push(await madeAgo(graph, start - 2));
	for (const order of [
		[0, 1, 2, 3],
		[3, 2, 1, 0],
		[1, 3, 0, 2],
	]) {
		takenJobs.clear();
		const found: Array<string | undefined> = [];
		for (const index of order) found.push((await find({ graph, since: minutesAgo(starts[index] ?? 0) }))?.job_id);
		expect(found.sort()).toEqual([...made].sort());
	}
});

test('a job of before is not it, unless the clock of the service lags a little', async () => {
	const graph = newGraph();
	const job = await madeAgo(graph, 10);
	await expect(find({ graph, since: minutesAgo(8) })).resolves.toBeUndefined();
	await expect(find({ graph, since: minutesAgo(9.5) })).resolves.toMatchObject({ job_id: job });
});

test('who asks again gets the same job; another does not', async () => {
	const graph = newGraph();
	const job = await madeAgo(graph, 1);
	const sought = { graph, since: minutesAgo(2) };
	for (let times = 0; times < 2; times++) await expect(find({ ...sought, owner: 'one' })).resolves.toMatchObject({ job_id: job });
	await expect(find({ ...sought, owner: 'other' })).resolves.toBeUndefined();
	takenJobs.clear();
	await expect(find({ ...sought, knownJobIds: new Set([job]) })).resolves.toBeUndefined();
});

/** The service lists these jobs in this status, by default all. */
function finderWhereAllAre(status: JobStatus, jobIds?: string[]): JobFinder {
	const { jobs } = harness.connectV1();
	const list = async (options: ListOptions): Promise<JobPage> => {
		const page = await jobs.list(options);
		return { ...page, jobs: page.jobs.map((job) => (jobIds?.includes(job.job_id) === false ? job : { ...job, status })) };
	};
	return new JobFinder(Object.create(jobs, { list: { value: list } }) as JobService);
}

describe.each(['queued', 'running', 'succeeded', 'failed', 'expired'] as const)('a job that is %s', (status) => {
	test('M1: is the job of a submission that a lost process may have made', async () => {
		const graph = newGraph();
		const job = await madeAgo(graph, 1);
		const sought = { owner: {}, graph, since: minutesAgo(2) };
		await expect(finderWhereAllAre(status).earlier(sought)).resolves.toMatchObject({ job_id: job });
		takenJobs.clear();
		await expect(finderWhereAllAre(status).lost({ ...sought, isProven: true })).resolves.toMatchObject({ job_id: job });
	});
});

describe.each(['canceling', 'canceled'] as const)('a job that is %s', (status) => {
	test('M1: is not the job of a submission that a lost process may have made', async () => {
		const graph = newGraph();
		await madeAgo(graph, 1);
		await expect(finderWhereAllAre(status).earlier({ owner: {}, graph, since: minutesAgo(2) })).resolves.toBeUndefined();
	});

	test('M2: is the job of a submission whose answer was lost only when no other job fits', async () => {
		const graph = newGraph();
		const [older, newer] = [await madeAgo(graph, 2), await madeAgo(graph, 1)];
		const sought = { owner: {}, graph, since: minutesAgo(3), isProven: true };
		await expect(finderWhereAllAre(status, [older]).lost(sought)).resolves.toMatchObject({ job_id: newer });
		takenJobs.clear();
		await expect(finderWhereAllAre(status).lost(sought)).resolves.toMatchObject({ job_id: older });
	});
});

test('M2: the job that a submission got in an earlier try is its job, also if it was canceled and another job fits', async () => {
	const graph = newGraph();
	const [canceled, newer] = [await madeAgo(graph, 2), await madeAgo(graph, 1)];
	const finder = finderWhereAllAre('canceled', [canceled]);
	const sought = { owner: 'it', graph, since: minutesAgo(3), isProven: true };
	takenJobs.take(canceled, 'it');
	const onFound = jest.fn();
	await expect(finder.lost({ ...sought, onFound })).resolves.toMatchObject({ job_id: canceled });
	expect(onFound).toHaveBeenCalledTimes(1);
	await expect(finder.lost({ ...sought, owner: 'other' })).resolves.toMatchObject({ job_id: newer });
});

test('M2: a job that was made of another graph under the same key is not its job', async () => {
	const [graph, other] = [newGraph(), newGraph()];
	const [ofOther, job] = [await madeAgo(other, 2), await madeAgo(graph, 1)];
	takenJobs.take(ofOther, 'it');
	const sought = { owner: 'it', graph, since: minutesAgo(3), isProven: true };
	await expect(finderWhereAllAre('succeeded').lost(sought)).resolves.toMatchObject({ job_id: job });
});

describe('a submission that may have been sent under later ids', () => {
	const laterGraphs = (graphs: Record<string, ApiGraph>) => ({
		laterIds: Object.keys(graphs),
		graphFor: async (id: string) => await Promise.resolve(graphs[id] ?? {}),
	});

	test('N1: is found by what was sent under one of them, which is reported', async () => {
		const [own, first, second] = [newGraph(), newGraph(), newGraph()];
		const job = await madeAgo(second, 1);
		for (const search of ['earlier', 'lost'] as const) {
			takenJobs.clear();
			const onFound = jest.fn();
			const sought = { owner: {}, graph: own, since: minutesAgo(2), onFound, isProven: false, ...laterGraphs({ first, second }) };
			await expect(new JobFinder(harness.connectV1().jobs)[search](sought)).resolves.toMatchObject({ job_id: job });
			expect(onFound.mock.calls).toEqual([['second']]);
		}
	});

	test('N1: is found by its own graph first', async () => {
		const [own, later] = [newGraph(), newGraph()];
		await madeAgo(later, 2);
		const job = await madeAgo(own, 1);
		const onFound = jest.fn();
		await expect(find({ graph: own, since: minutesAgo(3), onFound, ...laterGraphs({ later }) })).resolves.toMatchObject({ job_id: job });
		expect(onFound.mock.calls).toEqual([[undefined]]);
	});

	test('N1: prepares nothing for them when the service lists no job', async () => {
		const graphFor = jest.fn();
		await expect(find({ graph: newGraph(), since: minutesAgo(1), laterIds: ['later'], graphFor })).resolves.toBeUndefined();
		expect(graphFor).not.toHaveBeenCalled();
	});
});

test('where it cannot be certain that there is none, that is said', async () => {
	const graph = newGraph();
	await madeAgo(graph, 1);
	harness.sandbox.inject({ on: 'GET /api/jobs/:id', answer: { status: 403, code: 'forbidden' } });
	const failure = await failureOf(find({ graph, since: minutesAgo(2), before: 'untold' }));
	expect(failure).toBeInstanceOf(UnknownOutcomeError);
	expect(failure).toMatchObject({ before: 'untold', cause: { status: 403 } });
});

test('the registry of taken jobs is bounded: the oldest are forgotten', () => {
	const few = new TakenJobs(2);
	for (const jobId of ['a', 'b', 'c']) expect(few.take(jobId, 1)).toBe(true);
	expect(['a', 'b', 'c'].map((jobId) => few.isFreeFor(jobId, 2))).toEqual([true, false, false]);
});

test('the registry of taken jobs remembers 10,000 jobs', () => {
	const many = new TakenJobs();
	for (let index = 0; index <= 10_000; index++) many.take(String(index), 1);
	expect(['0', '1'].map((jobId) => many.isFreeFor(jobId, 2))).toEqual([true, false]);
});

describe('what a search is told of a submission', () => {
	test('its owner is its id, else its key, else nobody else', () => {
		expect(ownerOf({ submissionId: 'id', idempotencyKey: 'key' })).toBe('id');
		expect(ownerOf({ idempotencyKey: 'key' })).toBe('key');
		expect(ownerOf({})).not.toBe(ownerOf({}));
	});

	test.each([
		[{}, undefined],
		[{ firstSentAt: 5 }, undefined],
		[{ earlierAnswerLost: true, firstSentAt: 5 }, 5],
		[{ mayExistSince: 3 }, 3],
		[{ mayExistSince: 3, earlierAnswerLost: true, firstSentAt: 5 }, 3],
	])('%j may have been sent since %p', (options, since) => expect(sentSince(options)).toBe(since));

	test.each([
		[{}, undefined],
		[{ mayExistSince: 3 }, 'untold'],
		[{ earlierAnswerLost: true }, undefined],
		[{ mayExistSince: 3, earlierAnswerLost: true }, undefined],
	])('%j was sent by a process before: %p', (options, before) => expect(soughtBy({ graph: {} }, options, 0)).toMatchObject({ before }));

	test('jobs of others, later ids, key and signal are handed on', () => {
		const { signal } = new AbortController();
		const options = { knownJobIds: new Set(['a']), laterIds: ['b'], idempotencyKey: 'k', graphFor: jest.fn(), onFound: jest.fn(), signal };
		const { idempotencyKey: key, ...others } = options;
		expect(soughtBy({ graph: {} }, options, 7)).toMatchObject({ ...others, key, owner: 'k', since: 7 });
	});
});

describe('looking for a job before a submission is sent', () => {
	const since = 5;
	const found = { job_id: 'found' } as Job;
	const finder = () => {
		const [lost, earlier] = [jest.fn(async () => await Promise.resolve(found)), jest.fn(async () => await Promise.resolve(found))];
		return { lost, earlier, it: { lost, earlier } as unknown as JobFinder };
	};

	test('A submission whose earlier answer was lost is sought as one whose key proves nothing', async () => {
		const { lost, earlier, it } = finder();
		await expect(lookFirst(it, { graph: {} }, { earlierAnswerLost: true, firstSentAt: since })).resolves.toBe(found);
		expect(lost).toHaveBeenCalledWith(expect.objectContaining({ since, isProven: false }));
		expect(earlier).not.toHaveBeenCalled();
	});

	test('A submission that a lost process may have made is sought as such', async () => {
		const { lost, earlier, it } = finder();
		await expect(lookFirst(it, { graph: {} }, { mayExistSince: since })).resolves.toBe(found);
		expect(earlier).toHaveBeenCalledWith(expect.objectContaining({ since, before: 'untold' }));
		expect(lost).not.toHaveBeenCalled();
	});

	test('A submission that was surely not sent before is not sought', async () => {
		const { lost, earlier, it } = finder();
		await expect(lookFirst(it, { graph: {} }, { firstSentAt: since })).resolves.toBeUndefined();
		expect([lost, earlier].flatMap(({ mock }) => mock.calls)).toEqual([]);
	});
});

describe('what the log says of a search', () => {
	async function decisionsOf(work: (finder: JobFinder) => Promise<unknown>): Promise<Decision[]> {
		const seen: Decision[] = [];
		const observer = { onExchange: () => undefined, onDecision: (decision: Decision) => void seen.push(decision) };
		await observed(observer, async () => await work(new JobFinder(harness.connectV1().jobs)).catch(() => undefined));
		return seen;
	}

	test('that it begins, and the job that it found', async () => {
		const graph = newGraph();
		const job = await madeAgo(graph, 1);
		const sought = { owner: {}, graph, since: minutesAgo(2) };
		await expect(decisionsOf(async (finder) => await finder.earlier(sought))).resolves.toEqual([
			{ kind: 'looks_for_job', by: 'workflow' },
			{ kind: 'found_again', by: 'workflow', jobId: job },
		]);
	});

	test('why it begins, and nothing more if it finds no job', async () => {
		const cause = new Error('lost');
		const sought = { owner: {}, graph: newGraph(), since: minutesAgo(2), isProven: false, cause };
		await expect(decisionsOf(async (finder) => await finder.lost(sought))).resolves.toEqual([
			{ kind: 'looks_for_job', by: 'workflow', error: cause },
		]);
	});
});

test('A job that belongs to one submission is not given to another', () => {
	const taken = new TakenJobs();
	expect([taken.take('job', 'one'), taken.take('job', 'other'), taken.take('job', 'one')]).toEqual([true, false, true]);
	expect([taken.isOf('job', 'one'), taken.isOf('job', 'other'), taken.isOf('unknown', undefined)]).toEqual([true, false, false]);
	expect([taken.isFreeFor('job', 'one'), taken.isFreeFor('job', 'other')]).toEqual([true, false]);
});
