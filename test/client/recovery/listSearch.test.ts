/** Which listed jobs a search considers, and when a list proves that there is no job. */
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

test.each([
	[SINCE - 60_000, 'a'],
	[SINCE - 60_001, undefined],
])('considers a job that was made up to 60 seconds before the submission (%d)', async (madeAt, found) => {
	service.jobs = [{ id: 'a', madeAt }];
	await expect(findEarlier()).resolves.toBe(found);
	expect(service.reads('/workflow')).toBe(found === undefined ? 0 : 1);
});

test.each([
	['one second before is rounded down, so it comes first', SINCE - 1_000, 'early'],
	['earlier than that is a lagging clock, so it comes last', SINCE - 1_001, 'late'],
])('recovers the oldest job since the submission: %s', async (_name, madeAt, found) => {
	service.jobs = [
		{ id: 'late', madeAt: SINCE + 5_000 },
		{ id: 'early', madeAt },
	];
	await expect(findEarlier()).resolves.toBe(found);
});

test('recovers the newest of the jobs before the submission', async () => {
	service.jobs = [
		{ id: 'newer', madeAt: SINCE - 10_000 },
		{ id: 'older', madeAt: SINCE - 20_000 },
	];
	await expect(findEarlier()).resolves.toBe('newer');
});

describe('when a key may be forgotten', () => {
	test.each([
		['23 hours after the submission nothing is forgotten', 23 * HOUR_MS, true],
		['later than that a list that does not reach back proves nothing', 23 * HOUR_MS + 1, false],
	])('%s', async (_name, ageMs, isProof) => {
		const search = findEarlier({ since: NOW - ageMs });
		if (isProof) await expect(search).resolves.toBeUndefined();
		else await expectUnconfirmed(search);
	});

	test('a list that reaches back proves that there is no job', async () => {
		service.jobs = [{ id: 'old', madeAt: NOW - 26 * HOUR_MS }];
		await expect(findEarlier({ since: NOW - 25 * HOUR_MS })).resolves.toBeUndefined();
	});

	test('a list that reaches back only to the limit proves nothing', async () => {
		service.jobs = [{ id: 'other', madeAt: NOW - 25 * HOUR_MS - 60_000, graph: OTHER_GRAPH }];
		await expectUnconfirmed(findEarlier({ since: NOW - 25 * HOUR_MS }));
	});
});

test.each([
	[1_000, true],
	[1_001, false],
])('a submission that is %d ms in the future proves that the clock was set back: %s', async (aheadMs, isProof) => {
	const search = findEarlier({ since: NOW + aheadMs });
	if (isProof) await expect(search).resolves.toBeUndefined();
	else await expectUnconfirmed(search);
});

describe('a list of many pages', () => {
	const page = (nth: number, madeAt = NOW - nth * 1_000): ListedJob[] => [{ id: `p${nth}`, madeAt, graph: OTHER_GRAPH }];
	const pagesTo = (last: number) => Array.from({ length: last }, (_, nth) => page(nth));

	test('is read to its end when it has ten pages', async () => {
		service.pages = [...pagesTo(9), [{ id: 'ours', madeAt: SINCE }]];
		await expect(findEarlier()).resolves.toBe('ours');
		expect(service.lists).toBe(10);
	});

	test('proves that there is no job when its tenth page is the last', async () => {
		service.pages = pagesTo(10);
		await expect(findEarlier()).resolves.toBeUndefined();
	});

	test('proves nothing when more pages follow the tenth', async () => {
		service.pages = pagesTo(11);
		await expectUnconfirmed(findEarlier());
		expect(service.lists).toBe(10);
	});

	test('proves that there is no job when the tenth page reaches back, whatever follows', async () => {
		service.pages = [...pagesTo(9), page(9, SINCE - 60_001), page(10, SINCE - 70_000)];
		await expect(findEarlier()).resolves.toBeUndefined();
	});

	test.each([
		['reaches back just to the limit', [page(9, SINCE - 60_000), page(10, SINCE - 70_000)]],
		['has a job without a time', [[{ id: 'timeless', madeAt: null, graph: OTHER_GRAPH }], page(10)]],
	])('proves nothing when the tenth page %s', async (_name, last) => {
		service.pages = [...pagesTo(9), ...last];
		await expectUnconfirmed(findEarlier());
	});

	test('proves that there is no job when a read shows that a job of the tenth page is older', async () => {
		const older = { id: 'older', madeAt: null, madeAtWhenRead: SINCE - 60_001, graph: OTHER_GRAPH };
		service.pages = [...pagesTo(9), [older], page(10)];
		await expect(findEarlier()).resolves.toBeUndefined();
	});

	test('proves nothing when the service cuts the list of a status', async () => {
		service.jobs = page(0);
		service.list = { isTruncated: true };
		await expectUnconfirmed(findEarlier());
	});

	test('is followed by the list of each status when it is cut', async () => {
		service.jobs = page(0);
		service.list = { isTruncated: true, ofStatus: [{ id: 'ours', madeAt: SINCE }] };
		await expect(findEarlier()).resolves.toBe('ours');
	});

	test('proves that there is no job when the list of each status reaches back', async () => {
		service.jobs = page(0);
		service.list = { isTruncated: true, ofStatus: [...page(1), { id: 'old', madeAt: SINCE - 60_001 }] };
		await expect(findEarlier()).resolves.toBeUndefined();
	});
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

	test('leaves the submission unconfirmed without an account', async () => {
		service.list = { status: 501, code: 'not_implemented' };
		await expect(expectUnconfirmed(findEarlier())).resolves.toMatchObject({ cause: { status: 501 } });
	});

	test('is not replaced if it rejects the list for another reason', async () => {
		service.list = { status: 403, code: 'forbidden' };
		await expectUnconfirmed(new JobRecovery(service.connection.jobs, IN_TIME, ofAccount).recoverEarlier(request()));
		expect(ofAccount.list).not.toHaveBeenCalled();
	});
});
