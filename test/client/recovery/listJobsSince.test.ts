/** Which listed jobs a search considers, and when a list proves that there is no job. */
import { UnknownOutcomeError } from '../../../client';
import { JobRecovery } from '../../../client/recovery/jobRecovery';
import {
	expectUnconfirmed,
	HOUR_MS,
	IN_TIME,
	type ListedJob,
	NOW,
	OTHER_GRAPH,
	request,
	searchesOn,
	SINCE,
	useListService,
} from './support/listService';

const service = useListService();
const { findEarlier } = searchesOn(service);

const at = (id: string, madeAt: number): ListedJob => ({ id, madeAt });
const LATER = at('later', SINCE + 5_000);
const page = (nth: number, madeAt = NOW - nth * 1_000): ListedJob[] => [{ id: `p${nth}`, madeAt, graph: OTHER_GRAPH }];
/** So many pages without the job, and then these. */
const pages = (count: number, ...last: ListedJob[][]) => ({ pages: [...Array.from({ length: count }, (_, nth) => page(nth)), ...last] });
const TIMELESS: ListedJob = { id: 'timeless', madeAt: null, graph: OTHER_GRAPH };
/** The service cuts its list, and lists these jobs of each status. */
const cut = (...ofStatus: ListedJob[]) => ({ jobs: page(0), list: { isTruncated: true, ofStatus } });
/** The last time at which a job may be ours, and the one before it. */
const [WITHIN_LIMIT, BEFORE_LIMIT] = [SINCE - 60_000, SINCE - 60_001];
const LONG_AGO = NOW - 25 * HOUR_MS;

type Found = string | 'none' | 'unconfirmed';

test.each<[what: string, lists: Partial<typeof service>, found: Found, more?: { since?: number; lists?: number; workflows?: number }]>([
	['a job was made 60 seconds before', { jobs: [at('a', WITHIN_LIMIT)] }, 'a', { workflows: 1 }],
	['a job was made earlier than that', { jobs: [at('a', BEFORE_LIMIT)] }, 'none', { workflows: 0 }],
	['the oldest job since then is one second early, which is rounded', { jobs: [LATER, at('early', SINCE - 1_000)] }, 'early'],
	['a job is earlier than that, by a lagging clock', { jobs: [LATER, at('early', SINCE - 1_001)] }, 'later'],
	['two jobs are early', { jobs: [at('newer', SINCE - 10_000), at('older', SINCE - 20_000)] }, 'newer'],
	// Services keep keys and jobs for a day.
	['nothing is forgotten after 23 hours', {}, 'none', { since: NOW - 23 * HOUR_MS }],
	['later than that, the list does not reach back', {}, 'unconfirmed', { since: NOW - 23 * HOUR_MS - 1 }],
	['the list reaches back', { jobs: [at('old', NOW - 26 * HOUR_MS)] }, 'none', { since: LONG_AGO }],
	['the list reaches back to the limit only', { jobs: [{ ...TIMELESS, madeAt: LONG_AGO - 60_000 }] }, 'unconfirmed', { since: LONG_AGO }],
	// A submission in the future proves that the clock was set back.
	['the clocks differ by a second', {}, 'none', { since: NOW + 1_000 }],
	['the clock was set back', {}, 'unconfirmed', { since: NOW + 1_001 }],
	// At most ten pages are read.
	['the job is on the tenth page', pages(9, [at('ours', SINCE)]), 'ours', { lists: 10 }],
	['the tenth page is the last', pages(10), 'none'],
	['more pages follow the tenth', pages(11), 'unconfirmed', { lists: 10 }],
	['the tenth page reaches back', pages(9, page(9, BEFORE_LIMIT), page(10, SINCE - 70_000)), 'none'],
	['the tenth page reaches back to the limit only', pages(9, page(9, WITHIN_LIMIT), page(10, SINCE - 70_000)), 'unconfirmed'],
	['the tenth page has a job without a time', pages(9, [TIMELESS], page(10)), 'unconfirmed'],
	['a read shows that this job is older', pages(9, [{ ...TIMELESS, madeAtWhenRead: BEFORE_LIMIT }], page(10)), 'none'],
	// A list that the service cuts is followed by the list of each status.
	['the list of a status is cut as well', { jobs: page(0), list: { isTruncated: true } }, 'unconfirmed'],
	['the list of a status has the job', cut(at('ours', SINCE)), 'ours'],
	['the list of each status reaches back', cut(...page(1), at('old', BEFORE_LIMIT)), 'none'],
])('a search for the job of an earlier process, where %s, finds: %s', async (_what, lists, found, more = {}) => {
	Object.assign(service, lists);
	const search = findEarlier({ since: more.since ?? SINCE }).catch((error: unknown) => {
		if (error instanceof UnknownOutcomeError) return 'unconfirmed';
		throw error;
	});
	expect((await search) ?? 'none').toBe(found);
	expect([service.lists, service.reads('/workflow')]).toEqual([more.lists ?? expect.any(Number), more.workflows ?? expect.any(Number)]);
});

describe('a service that lists no jobs', () => {
	const ofAccount = { list: jest.fn(async () => await Promise.resolve({ jobs: [] })) };
	beforeEach(() => ofAccount.list.mockClear());

	test.each(['not_implemented', 'public_deployment_no_list'])(
		'is replaced by the list of the account, and asked once (%s)',
		async (code) => {
			service.list = { status: 501, code };
			const shared = new JobRecovery(service.connection.jobs, IN_TIME, ofAccount);
			for (const since of [SINCE, SINCE + 1]) await expect(shared.recoverEarlier(request({ since }))).resolves.toBeUndefined();
			expect([service.lists, ofAccount.list.mock.calls.length]).toEqual([1, 2]);
		},
	);

	test('is not replaced without an account, or if it rejects the list for another reason', async () => {
		service.list = { status: 501, code: 'not_implemented' };
		await expect(expectUnconfirmed(findEarlier())).resolves.toMatchObject({ cause: { status: 501 } });
		service.list = { status: 403, code: 'forbidden' };
		await expectUnconfirmed(new JobRecovery(service.connection.jobs, IN_TIME, ofAccount).recoverEarlier(request()));
		expect(ofAccount.list).not.toHaveBeenCalled();
	});
});
