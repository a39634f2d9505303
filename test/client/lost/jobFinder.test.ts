/** Which job belongs to an unconfirmed submission, and the limits of the search for it, on a service whose list each test writes. */
import { type ApiGraph, connect, type Connection, StoppedError, UnknownOutcomeError } from '../../../client';
import { realClock, setClock } from '../../../client/clock';
import type { Job, JobStatus } from '../../../client/job';
import { JobFinder, type LostSubmission } from '../../../client/lost/jobFinder';
import { lookFirst, ownerOf } from '../../../client/lost/lookFirst';
import { TakenJobs, takenJobs } from '../../../client/lost/takenJobs';
import { type Decision, withObserver } from '../../../client/observer';
import type { SubmitOptions } from '../../../client/ports';
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
	status?: JobStatus;
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
const jobJson = ({ id, madeAt, status = 'succeeded' }: ListedJob) => ({
	id,
	status,
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
		const job = [...(pages?.flat() ?? jobs), ...(list.ofStatus ?? [])].find((one) => one.id === id);
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
	expect(reads('/workflow')).toBe(found === undefined ? 0 : 1);
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

	test.each([
		['reaches back just to the limit', [page(9, SINCE - 60_000), page(10, SINCE - 70_000)]],
		['has a job without a time', [[{ id: 'timeless', madeAt: null, graph: OTHER_GRAPH }], page(10)]],
	])('proves nothing when the tenth page %s', async (_name, last) => {
		pages = [...pagesTo(9), ...last];
		await unconfirmed(earlier());
	});

	test('proves nothing when the service cuts the list of a status', async () => {
		jobs = page(0);
		list = { isTruncated: true };
		await unconfirmed(earlier());
	});

	test('is followed by the list of each status when it is cut', async () => {
		jobs = page(0);
		list = { isTruncated: true, ofStatus: [{ id: 'ours', madeAt: SINCE }] };
		await expect(earlier()).resolves.toBe('ours');
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
		const gone: ListedJob = { id: 'gone', madeAt: SINCE, answers: { [part]: 404 } };
		jobs = [gone];
		await expect(earlier()).resolves.toBeUndefined();
		jobs = [gone, { id: 'kept', madeAt: SINCE + 1_000 }];
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

	test.each([
		['whose workflow the service does not hand out', { workflow: 403 }, 403],
		['of a service that hands out no workflows', { workflow: 404, code: 'not_implemented' }, 404],
	])('one %s leaves it open', async (_name, answers, status) => {
		jobs = [{ id: 'a', madeAt: SINCE, answers }];
		await expect(unconfirmed(earlier())).resolves.toMatchObject({ cause: { status } });
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

	test('shares the first list with the other items of a retry, and reads later lists again', async () => {
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

describe('whose a job is', () => {
	test.each(['abcd', 'dcba', 'bdac'])(
		'equal submissions that began one after the other each find one job, asking in the order %s',
		async (order) => {
			const minutes = (count: number): number => SINCE + count * 60_000;
			jobs = [...'abcd'].map((id, index) => ({ id, madeAt: minutes(2 * index + 1) })).reverse();
			const found: Array<string | undefined> = [];
			for (const id of order) found.push(await earlier({ since: minutes(2 * 'abcd'.indexOf(id)) }));
			expect(found.toSorted()).toEqual(['a', 'b', 'c', 'd']);
		},
	);

	test('the same submission gets the same job again, and another one does not', async () => {
		jobs = [{ id: 'a', madeAt: SINCE }];
		for (let times = 0; times < 2; times++) await expect(earlier({ owner: 'one' })).resolves.toBe('a');
		await expect(earlier({ owner: 'other' })).resolves.toBeUndefined();
		takenJobs.clear();
		await expect(earlier({ knownJobIds: new Set(['a']) })).resolves.toBeUndefined();
	});

	test.each(['queued', 'running', 'succeeded', 'failed', 'expired'] as const)(
		'M1: a job that is %s is that of a submission',
		async (status) => {
			jobs = [{ id: 'a', madeAt: SINCE, status }];
			await expect(earlier()).resolves.toBe('a');
			takenJobs.clear();
			await expect(lost()).resolves.toBe('a');
		},
	);

	test.each(['canceling', 'canceled'] as const)('M2: a job that is %s is that of a lost answer only when no other fits', async (status) => {
		jobs = [{ id: 'older', madeAt: SINCE, status }];
		await expect(earlier()).resolves.toBeUndefined();
		jobs.unshift({ id: 'newer', madeAt: SINCE + 1_000 });
		await expect(lost()).resolves.toBe('newer');
		takenJobs.clear();
		jobs = jobs.map((job) => ({ ...job, status }));
		await expect(lost()).resolves.toBe('older');
	});

	test('M2: the job of an earlier try is that of the submission, even when it is canceled and another one fits', async () => {
		jobs = [
			{ id: 'newer', madeAt: SINCE + 1_000 },
			{ id: 'canceled', madeAt: SINCE, status: 'canceled' },
		];
		takenJobs.take('canceled', 'it');
		const onFound = jest.fn();
		await expect(lost({ owner: 'it', onFound })).resolves.toBe('canceled');
		expect(onFound).toHaveBeenCalledTimes(1);
		await expect(lost({ owner: 'other' })).resolves.toBe('newer');
	});

	test('M2: a job of another graph under the same key is not that of the submission', async () => {
		jobs = [
			{ id: 'a', madeAt: SINCE + 1_000 },
			{ id: 'other', madeAt: SINCE, graph: OTHER_GRAPH },
		];
		takenJobs.take('other', 'it');
		await expect(lost({ owner: 'it' })).resolves.toBe('a');
	});

	test('a job that belongs to one submission is not given to another, of 10,000 jobs', () => {
		const taken = new TakenJobs();
		expect([taken.take('0', 'one'), taken.take('0', 'other'), taken.take('0', 'one')]).toEqual([true, false, true]);
		expect([taken.isOf('0', 'one'), taken.isOf('0', 'other'), taken.isOf('unknown', undefined)]).toEqual([true, false, false]);
		for (let index = 1; index <= 10_000; index++) taken.take(String(index), 'one');
		expect([taken.isFreeFor('0', 'other'), taken.isFreeFor('1', 'other'), taken.isFreeFor('1', 'one')]).toEqual([true, false, true]);
	});
});

describe('a submission that may have been sent under later ids', () => {
	const [first, own] = [asset('first'), asset('own')];
	const later = {
		laterIds: ['first', 'second'],
		graphFor: async (id: string) => await Promise.resolve(id === 'first' ? first : OTHER_GRAPH),
	};

	test('N1: is found by what was sent under one of them, which is reported', async () => {
		jobs = [{ id: 'a', madeAt: SINCE, graph: OTHER_GRAPH }];
		for (const search of [earlier, lost]) {
			takenJobs.clear();
			const onFound = jest.fn();
			await expect(search({ ...later, onFound })).resolves.toBe('a');
			expect(onFound.mock.calls).toEqual([['second']]);
		}
	});

	test('N1: is found by its own graph first', async () => {
		jobs = [
			{ id: 'own', madeAt: SINCE + 1_000, graph: own },
			{ id: 'later', madeAt: SINCE, graph: first },
		];
		const onFound = jest.fn();
		await expect(earlier({ graph: own, ...later, onFound })).resolves.toBe('own');
		expect(onFound.mock.calls).toEqual([[undefined]]);
	});

	test('N1: has nothing prepared when the service lists no job', async () => {
		const graphFor = jest.fn();
		await expect(earlier({ laterIds: ['later'], graphFor })).resolves.toBeUndefined();
		expect(graphFor).not.toHaveBeenCalled();
	});
});

describe('before a submission is sent', () => {
	const others = {
		knownJobIds: new Set(['a']),
		laterIds: ['b'],
		graphFor: jest.fn(),
		onFound: jest.fn(),
		signal: new AbortController().signal,
	};

	test.each<[options: SubmitOptions, search: 'lost' | 'earlier' | undefined, what: object]>([
		[{}, undefined, {}],
		[{ firstSentAt: 5 }, undefined, {}],
		[{ earlierAnswerLost: true, firstSentAt: 5 }, 'lost', { since: 5, before: undefined, isProven: false }],
		[{ mayExistSince: 3 }, 'earlier', { since: 3, before: 'untold' }],
		[{ mayExistSince: 3, earlierAnswerLost: true, firstSentAt: 5 }, 'lost', { since: 3, before: undefined, isProven: false }],
		[{ mayExistSince: 3, submissionId: 'id', idempotencyKey: 'key' }, 'earlier', { owner: 'id', key: 'key' }],
		[{ mayExistSince: 3, idempotencyKey: 'key', ...others }, 'earlier', { owner: 'key', ...others }],
	])('its job is searched for as its options say: %j', async (options, search, what) => {
		const found = { job_id: 'found' } as Job;
		const searches = {
			lost: jest.fn(async () => await Promise.resolve(found)),
			earlier: jest.fn(async () => await Promise.resolve(found)),
		};
		await expect(lookFirst(searches as unknown as JobFinder, { graph: GRAPH }, options)).resolves.toBe(search && found);
		for (const [name, { mock }] of Object.entries(searches))
			expect(mock.calls).toEqual(name === search ? [[expect.objectContaining({ graph: GRAPH, ...what })]] : []);
	});

	test('submissions without id and key belong to nobody else', () => {
		expect(ownerOf({})).not.toBe(ownerOf({}));
	});
});

test('the log says that a search begins and why, and the job that it found', async () => {
	const seen: Decision[] = [];
	const observer = { onExchange: () => undefined, onDecision: (decision: Decision) => void seen.push(decision) };
	const cause = new Error('lost');
	await withObserver(observer, async () => await unconfirmed(lost({ cause })));
	jobs = [{ id: 'a', madeAt: SINCE }];
	await withObserver(observer, async () => await earlier());
	expect(seen.filter(({ kind }) => kind !== 'retry')).toEqual([
		{ kind: 'looks_for_job', by: 'workflow', error: cause },
		{ kind: 'looks_for_job', by: 'workflow' },
		{ kind: 'found_again', by: 'workflow', jobId: 'a' },
	]);
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
