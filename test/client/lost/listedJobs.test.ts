/** The limits of the search for the job of an unconfirmed submission, on a service whose list each test writes. */
import { type ApiGraph, connect, type Connection, StoppedError, UnknownOutcomeError } from '../../../client';
import { realClock, setClock } from '../../../client/clock';
import { JobFinder, type LostSubmission } from '../../../client/lost/jobFinder';
import { lookFirst } from '../../../client/lost/lookFirst';
import { takenJobs } from '../../../client/lost/takenJobs';
import { fasterClock } from '../../support/fastClock';
import { failureOf } from '../support/bytes';
import { json, serve, type TestServer } from '../support/server';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const SINCE = NOW - 10 * 60_000;
const HOUR_MS = 60 * 60_000;
const GRAPH: ApiGraph = { '1': { class_type: 'EmptyImage', inputs: { color: 1 } } };
const OTHER_GRAPH: ApiGraph = { '1': { class_type: 'EmptyImage', inputs: { color: 2 } } };
const FILE_ID = '5f0c1d5e0b3f4b6f9d8e7a6b5c4d3e2f';
const asset = (id: string): ApiGraph => ({ '1': { class_type: 'LoadImage', inputs: { image: { __type: 'core/ASSET', info: { id } } } } });

interface ListedJob {
	id: string;
	/** Epoch milliseconds; null where the service does not report it. */
	madeAt: number | null;
	graph?: ApiGraph;
	format?: string;
	/** The answer to the read of the job or of its workflow, in place of it. */
	answers?: { job?: number; workflow?: number; code?: string; /** Answered so often, then as usual. */ times?: number };
}

let server: TestServer;
let connection: Connection;
let jobs: ListedJob[] = [];
/** One list, or one for each page. */
let pages: ListedJob[][] | undefined;
let list: { status?: number; code?: string; isTruncated?: boolean; ofStatus?: ListedJob[] } = {};
/** What happens before the list is answered for the n-th time, from 1. */
let onList: (nth: number) => void = () => undefined;
let lists = 0;

const refused = (status: number, code: string) => json(status, { error: { code, message: code } });
const jobJson = ({ id, madeAt }: ListedJob) => ({
	id,
	status: 'succeeded',
	created_at: madeAt === null ? null : new Date(madeAt).toISOString(),
	urls: { self: `/api/v2/jobs/${id}` },
});

beforeAll(async () => {
	setClock({ ...fasterClock(100), wallNow: () => NOW });
	server = await serve(async (request, response) => {
		const { pathname, searchParams } = new URL(request.url, 'http://service');
		const [, id = '', part] = /\/jobs\/([^/]+)(\/workflow)?$/.exec(pathname) ?? [];
		if (id === '') {
			onList(++lists);
			if (list.status !== undefined) return await refused(list.status, list.code ?? 'refused')(request, response);
			const at = Number(searchParams.get('cursor') ?? 0);
			const all = searchParams.has('status') ? (list.ofStatus ?? jobs) : jobs;
			const page = pages === undefined ? all : (pages[at] ?? []);
			const more = pages !== undefined && at + 1 < pages.length ? { next_cursor: String(at + 1) } : {};
			const cut = list.isTruncated === undefined ? {} : { truncated: list.isTruncated };
			return await json(200, { jobs: page.map(jobJson), ...more, ...cut })(request, response);
		}
		const job = (pages?.flat() ?? jobs).find((one) => one.id === id);
		const status = part === undefined ? job?.answers?.job : job?.answers?.workflow;
		if (job === undefined || status !== undefined) {
			const code = job?.answers?.code ?? 'job_not_found';
			if (job?.answers?.times !== undefined && --job.answers.times === 0) job.answers = undefined;
			return await refused(status ?? 404, code)(request, response);
		}
		const answer = part === undefined ? jobJson(job) : { workflow: job.graph ?? GRAPH, format: job.format ?? 'api' };
		await json(200, answer)(request, response);
	});
	connection = connect({ interface: 'v2', baseUrl: server.origin, token: 'key', readBudgetMs: 0 });
});
beforeEach(() => {
	takenJobs.clear();
	server.seen.splice(0);
	[jobs, pages, list, onList, lists] = [[], undefined, {}, () => undefined, 0];
});
afterAll(async () => {
	setClock(realClock);
	await connection.close();
	await server.close();
});

const reads = (end: string) => server.seen.filter(({ url }) => url.endsWith(end)).length;
const finder = () => new JobFinder(connection.jobs);
const sought = (more: Partial<LostSubmission> = {}): LostSubmission => ({ owner: {}, graph: GRAPH, since: SINCE, isProven: true, ...more });
const earlier = async (more: Partial<LostSubmission> = {}) => (await finder().earlier(sought(more)))?.job_id;
const lost = async (more: Partial<LostSubmission> = {}) => (await finder().lost(sought(more))).job_id;
const unconfirmed = async (search: Promise<unknown>) => {
	const failure = await failureOf(search);
	expect(failure).toBeInstanceOf(UnknownOutcomeError);
	return failure as UnknownOutcomeError;
};

test.each([
	[SINCE - 60_000, 'a'],
	[SINCE - 60_001, undefined],
])('considers a job that was made up to 60 seconds before the submission (%d)', async (madeAt, found) => {
	jobs = [{ id: 'a', madeAt }];
	await expect(earlier()).resolves.toBe(found);
});

test.each([
	['one second before is rounded down, so it comes first', SINCE - 1_000, 'early'],
	['earlier than that is a lagging clock, so it comes last', SINCE - 1_001, 'late'],
])('takes the oldest job since the submission: %s', async (_name, madeAt, found) => {
	jobs = [
		{ id: 'late', madeAt: SINCE + 5_000 },
		{ id: 'early', madeAt },
	];
	await expect(earlier()).resolves.toBe(found);
});

test('takes the newest of those that were made before the submission', async () => {
	jobs = [
		{ id: 'newer', madeAt: SINCE - 10_000 },
		{ id: 'older', madeAt: SINCE - 20_000 },
	];
	await expect(earlier()).resolves.toBe('newer');
});

describe('when a key may be forgotten', () => {
	test.each([
		['23 hours after the submission nothing is forgotten', 23 * HOUR_MS, true],
		['later than that a list that does not reach back proves nothing', 23 * HOUR_MS + 1, false],
	])('%s', async (_name, ageMs, isProof) => {
		const search = earlier({ since: NOW - ageMs });
		if (isProof) await expect(search).resolves.toBeUndefined();
		else await unconfirmed(search);
	});

	test('a list that reaches back proves that there is no job', async () => {
		jobs = [{ id: 'old', madeAt: NOW - 26 * HOUR_MS }];
		await expect(earlier({ since: NOW - 25 * HOUR_MS })).resolves.toBeUndefined();
	});

	test('a list that reaches back only to the limit proves nothing', async () => {
		jobs = [{ id: 'other', madeAt: NOW - 25 * HOUR_MS - 60_000, graph: OTHER_GRAPH }];
		await unconfirmed(earlier({ since: NOW - 25 * HOUR_MS }));
	});
});

test.each([
	[1_000, true],
	[1_001, false],
])('a submission that is %d ms in the future proves that the clock was set back: %s', async (aheadMs, isProof) => {
	const search = earlier({ since: NOW + aheadMs });
	if (isProof) await expect(search).resolves.toBeUndefined();
	else await unconfirmed(search);
});

describe('a list of many pages', () => {
	const page = (nth: number, madeAt = NOW - nth * 1_000): ListedJob[] => [{ id: `p${nth}`, madeAt, graph: OTHER_GRAPH }];
	const pagesTo = (last: number) => Array.from({ length: last }, (_, nth) => page(nth));

	test('is read to its end when it has ten pages', async () => {
		pages = [...pagesTo(9), [{ id: 'ours', madeAt: SINCE }]];
		await expect(earlier()).resolves.toBe('ours');
		expect(lists).toBe(10);
	});

	test('proves that there is no job when its tenth page is the last', async () => {
		pages = pagesTo(10);
		await expect(earlier()).resolves.toBeUndefined();
	});

	test('proves nothing when more pages follow the tenth', async () => {
		pages = pagesTo(11);
		await unconfirmed(earlier());
		expect(lists).toBe(10);
	});

	test('proves that there is no job when the tenth page reaches back, whatever follows', async () => {
		pages = [...pagesTo(9), page(9, SINCE - 60_001), page(10, SINCE - 70_000)];
		await expect(earlier()).resolves.toBeUndefined();
	});

	test('proves nothing when the tenth page reaches back just to the limit', async () => {
		pages = [...pagesTo(9), page(9, SINCE - 60_000), page(10, SINCE - 70_000)];
		await unconfirmed(earlier());
	});

	test('proves nothing when the tenth page has a job without a time', async () => {
		pages = [...pagesTo(9), [{ id: 'timeless', madeAt: null, graph: OTHER_GRAPH }], page(10)];
		await unconfirmed(earlier());
	});

	test('proves nothing when the service cuts the list of a status', async () => {
		jobs = page(0);
		list = { isTruncated: true };
		await unconfirmed(earlier());
	});

	test('proves that there is no job when the list of each status reaches back', async () => {
		jobs = page(0);
		list = { isTruncated: true, ofStatus: [...page(1), { id: 'old', madeAt: SINCE - 60_001 }] };
		await expect(earlier()).resolves.toBeUndefined();
	});
});

describe('jobs that may be the one', () => {
	const twoFiles = (): ListedJob[] => [
		{ id: 'a', madeAt: SINCE, graph: asset('a') },
		{ id: 'b', madeAt: SINCE, graph: asset('b') },
	];

	test('the only one that may hold the same file is the job of a key that is in use', async () => {
		jobs = twoFiles().slice(0, 1);
		const onFound = jest.fn();
		await expect(lost({ graph: asset(FILE_ID), onFound })).resolves.toBe('a');
		expect(onFound.mock.calls).toEqual([[]]);
	});

	test('it is not where no key proves it', async () => {
		jobs = twoFiles().slice(0, 1);
		await unconfirmed(lost({ graph: asset(FILE_ID), isProven: false }));
		await unconfirmed(earlier({ graph: asset(FILE_ID) }));
		expect(reads('/jobs/a')).toBe(0);
	});

	test('it is not before anything is sent again, where the key was not in use yet', async () => {
		jobs = twoFiles().slice(0, 1);
		const options = { earlierAnswerLost: true, firstSentAt: SINCE };
		await unconfirmed(lookFirst(finder(), { graph: asset(FILE_ID) }, options));
		jobs = [{ id: 'same', madeAt: SINCE }];
		await expect(lookFirst(finder(), { graph: GRAPH }, options)).resolves.toMatchObject({ job_id: 'same' });
		await expect(lookFirst(finder(), { graph: GRAPH }, { firstSentAt: SINCE })).resolves.toBeUndefined();
	});

	test('of two none is', async () => {
		jobs = twoFiles();
		await unconfirmed(lost({ graph: asset(FILE_ID) }));
	});

	test('the same job without a time may be yesterday’s', async () => {
		jobs = [{ id: 'timeless', madeAt: null }];
		await unconfirmed(lost());
		expect(lists).toBe(1);
		await unconfirmed(earlier());
	});

	test('a workflow in another format is another job', async () => {
		jobs = [{ id: 'a', madeAt: SINCE, format: 'editor' }];
		await expect(earlier()).resolves.toBeUndefined();
	});

	test.each(['job', 'workflow'] as const)('one whose %s the service does not keep any more is none', async (part) => {
		jobs = [
			{ id: 'gone', madeAt: SINCE, answers: { [part]: 404 } },
			{ id: 'kept', madeAt: SINCE + 1_000 },
		];
		await expect(earlier()).resolves.toBe('kept');
	});

	test.each(['job', 'workflow'] as const)('A listed job whose %s answers 404 once is read again and found', async (part) => {
		jobs = [{ id: 'a', madeAt: SINCE, answers: { [part]: 404, times: 1 } }];
		await expect(earlier()).resolves.toBe('a');
	});

	test('one that belongs to another submission leaves nothing open', async () => {
		jobs = twoFiles().slice(0, 1);
		takenJobs.take('a', 'another');
		await expect(earlier({ graph: asset(FILE_ID) })).resolves.toBeUndefined();
	});

	test.each(['job', 'workflow'] as const)('one whose %s the service does not keep any more leaves nothing open', async (part) => {
		jobs = [{ id: 'gone', madeAt: SINCE, answers: { [part]: 404 } }];
		await expect(earlier()).resolves.toBeUndefined();
	});

	test('a service that does not hand out workflows leaves it open', async () => {
		jobs = [{ id: 'a', madeAt: SINCE, answers: { workflow: 404, code: 'not_implemented' } }];
		await unconfirmed(earlier());
	});

	test('one whose workflow the service does not hand out leaves it open', async () => {
		jobs = [{ id: 'a', madeAt: SINCE, answers: { workflow: 403 } }];
		await expect(unconfirmed(earlier())).resolves.toMatchObject({ cause: { status: 403 } });
	});
});

describe('the search for a lost answer', () => {
	test.each([1, 2, 3])('finds a job that appears in list %d', async (nth) => {
		onList = (times) => void (jobs = times >= nth ? [{ id: 'late', madeAt: SINCE }] : []);
		await expect(lost()).resolves.toBe('late');
		expect(lists).toBe(nth);
	});

	test('ends after three lists', async () => {
		await unconfirmed(lost());
		expect(lists).toBe(3);
	});

	test('shares the first list with the other items of a retry, and reads later ones anew', async () => {
		const shared = finder();
		for (const key of ['one', 'two']) await unconfirmed(shared.lost(sought({ key, before: 'untold' })));
		expect(lists).toBe(5);
		lists = 0;
		for (const key of ['one', 'two']) await unconfirmed(shared.lost(sought({ key })));
		expect(lists).toBe(6);
	});

	test('shares one list, and each workflow, with all items that a lost process may have sent', async () => {
		jobs = [{ id: 'a', madeAt: SINCE }];
		const shared = finder();
		await expect(shared.earlier(sought({ graph: OTHER_GRAPH }))).resolves.toBeUndefined();
		await expect(shared.earlier(sought())).resolves.toMatchObject({ job_id: 'a' });
		expect([lists, reads('/workflow')]).toEqual([1, 1]);
	});

	test('reads a job whose time is not listed once for all items', async () => {
		jobs = [{ id: 'a', madeAt: null, graph: OTHER_GRAPH }];
		const shared = finder();
		await shared.lost(sought()).catch(() => undefined);
		expect(reads('/jobs/a')).toBeLessThanOrEqual(1);
	});

	test('tells why the outcome is unknown: the service’s failure, else what was given', async () => {
		const cause = new Error('the answer was lost');
		await expect(unconfirmed(lost({ key: 'k', cause, before: 'key_in_use' }))).resolves.toMatchObject({
			idempotencyKey: 'k',
			before: 'key_in_use',
			cause,
		});
		list = { status: 403 };
		await expect(unconfirmed(lost({ cause }))).resolves.toMatchObject({ cause: { status: 403 } });
	});

	test('is ended by a stop, which is no doubt', async () => {
		await expect(finder().lost(sought({ signal: AbortSignal.abort() }))).rejects.toBeInstanceOf(StoppedError);
		await expect(finder().earlier(sought({ signal: AbortSignal.abort() }))).rejects.toBeInstanceOf(StoppedError);
	});
});

test('gives the same job to one of two submissions that search at the same time', async () => {
	jobs = [{ id: 'a', madeAt: SINCE }];
	const shared = finder();
	const found = await Promise.all([shared.earlier(sought({ owner: 'one' })), shared.earlier(sought({ owner: 'two' }))]);
	expect(found.filter((job) => job?.job_id === 'a')).toHaveLength(1);
});

describe('a service that lists no jobs', () => {
	const ofAccount = { list: jest.fn(async () => await Promise.resolve({ jobs: [] })) };
	beforeEach(() => ofAccount.list.mockClear());

	test.each(['not_implemented', 'public_deployment_no_list'])('has them listed by the account, and is asked once (%s)', async (code) => {
		list = { status: 501, code };
		const shared = new JobFinder(connection.jobs, ofAccount);
		for (const since of [SINCE, SINCE + 1]) await expect(shared.earlier(sought({ since }))).resolves.toBeUndefined();
		expect([lists, ofAccount.list.mock.calls.length]).toEqual([1, 2]);
	});

	test('leaves it open without an account', async () => {
		list = { status: 501, code: 'not_implemented' };
		await expect(unconfirmed(earlier())).resolves.toMatchObject({ cause: { status: 501 } });
	});

	test('is not one that refuses its list for another reason', async () => {
		list = { status: 403, code: 'forbidden' };
		await unconfirmed(new JobFinder(connection.jobs, ofAccount).earlier(sought()));
		expect(ofAccount.list).not.toHaveBeenCalled();
	});
});
