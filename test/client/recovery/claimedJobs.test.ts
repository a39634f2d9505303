/** Which of several submissions a job is given to. */
import { ClaimedJobs, claimedJobs } from '../../../client/recovery/claimedJobs';
import { asset, OTHER_GRAPH, request, searchesOn, SINCE, useListService } from './support/listService';

const service = useListService();
const { findEarlier, findLost } = searchesOn(service);

describe('the owner of a job', () => {
	test.each(['abcd', 'dcba', 'bdac'])(
		'equal submissions that began one after the other each recover one job, searching in the order %s',
		async (order) => {
			const minutes = (count: number): number => SINCE + count * 60_000;
			service.jobs = [...'abcd'].map((id, index) => ({ id, madeAt: minutes(2 * index + 1) })).reverse();
			const found: Array<string | undefined> = [];
			for (const id of order) found.push(await findEarlier({ since: minutes(2 * 'abcd'.indexOf(id)) }));
			expect(found.toSorted()).toEqual(['a', 'b', 'c', 'd']);
		},
	);

	test('the same submission gets the same job again, and another one does not', async () => {
		service.jobs = [{ id: 'a', madeAt: SINCE }];
		await expect(findEarlier({ owner: 'one' })).resolves.toBe('a');
		await expect(findEarlier({ owner: 'other' })).resolves.toBeUndefined();
		// An equal job of the same second that comes first in the list.
		service.jobs.unshift({ id: 'b', madeAt: SINCE });
		await expect(findEarlier({ owner: 'one' })).resolves.toBe('a');
		await expect(findEarlier({ owner: 'other' })).resolves.toBe('b');
		claimedJobs.clear();
		await expect(findEarlier({ knownJobIds: new Set(['a', 'b']) })).resolves.toBeUndefined();
	});

	test.each(['queued', 'running', 'succeeded', 'failed', 'expired'] as const)('M1: a job that is %s is recovered', async (status) => {
		service.jobs = [{ id: 'a', madeAt: SINCE, status }];
		await expect(findEarlier()).resolves.toBe('a');
		claimedJobs.clear();
		await expect(findLost()).resolves.toBe('a');
	});

	test.each(['canceling', 'canceled'] as const)(
		'M2: a job that is %s is recovered for a lost answer only if no other job matches',
		async (status) => {
			service.jobs = [{ id: 'older', madeAt: SINCE, status }];
			await expect(findEarlier()).resolves.toBeUndefined();
			service.jobs.unshift({ id: 'newer', madeAt: SINCE + 1_000 });
			await expect(findLost()).resolves.toBe('newer');
			claimedJobs.clear();
			service.jobs = service.jobs.map((job) => ({ ...job, status }));
			await expect(findLost()).resolves.toBe('older');
		},
	);

	test('M2: the job of an earlier try is recovered, even if it is canceled and another one matches', async () => {
		service.jobs = [
			{ id: 'newer', madeAt: SINCE + 1_000 },
			{ id: 'canceled', madeAt: SINCE, status: 'canceled' },
		];
		claimedJobs.claim('canceled', 'it');
		const onEvent = jest.fn();
		await expect(findLost({ owner: 'it', onEvent })).resolves.toBe('canceled');
		expect(onEvent).toHaveBeenCalledTimes(1);
		await expect(findLost({ owner: 'other' })).resolves.toBe('newer');
	});

	test('M2: a job of another graph under the same key is not recovered', async () => {
		service.jobs = [
			{ id: 'a', madeAt: SINCE + 1_000 },
			{ id: 'other', madeAt: SINCE, graph: OTHER_GRAPH },
		];
		claimedJobs.claim('other', 'it');
		await expect(findLost({ owner: 'it' })).resolves.toBe('a');
	});

	test('a claimed job is not given to another submission, for the last 10,000 jobs', () => {
		const claims = new ClaimedJobs();
		expect([claims.claim('0', 'one'), claims.claim('0', 'other'), claims.claim('0', 'one')]).toEqual([true, false, true]);
		expect([claims.isOwnedBy('0', 'one'), claims.isOwnedBy('0', 'other'), claims.isOwnedBy('unknown', undefined)]).toEqual([
			true,
			false,
			false,
		]);
		for (let index = 1; index <= 10_000; index++) claims.claim(String(index), 'one');
		expect([claims.isFreeFor('0', 'other'), claims.isFreeFor('1', 'other'), claims.isFreeFor('1', 'one')]).toEqual([true, false, true]);
	});
});

test('the only possible match is given to one of two submissions that search at the same time', async () => {
	service.jobs = [{ id: 'a', madeAt: SINCE, graph: asset('a') }];
	const shared = service.recovery();
	const searches = ['one', 'two'].map(
		async (owner) => await shared.recoverUnconfirmed(request({ owner, graph: asset('b'), before: 'not_reported' })),
	);
	const found = await Promise.allSettled(searches);
	expect(found.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('a possible match that another submission claims during the search does not make it uncertain', async () => {
	service.jobs = [{ id: 'a', madeAt: SINCE, graph: asset('a') }];
	const shared = service.recovery();
	const found = await Promise.all([
		shared.recoverEarlier(request({ owner: 'two', graph: asset('a') })),
		shared.recoverEarlier(request({ owner: 'one', graph: asset('b') })),
	]);
	expect(found.map((job) => job?.job_id)).toEqual(['a', undefined]);
});

test('a job that was submitted under a later id is reported with it, and any other job without', async () => {
	service.jobs = [
		{ id: 'free', madeAt: SINCE },
		{ id: 'claimed', madeAt: SINCE + 1_000 },
	];
	const onEvent = jest.fn();
	claimedJobs.claim('claimed', 'second');
	await expect(findEarlier({ laterIds: ['first', 'second'], onEvent })).resolves.toBe('claimed');
	await expect(findEarlier({ owner: 'other', laterIds: ['first'], onEvent })).resolves.toBe('free');
	expect(onEvent.mock.calls).toEqual([[{ type: 'recovered', laterId: 'second' }], [{ type: 'recovered' }]]);
});
