/** Which job belongs to an unconfirmed submission. */
import { StoppedError } from '../../../client';
import type { Job } from '../../../client/job';
import { type Decision, withObserver } from '../../../client/observer';
import type { SubmitOptions } from '../../../client/ports';
import { claimedJobs } from '../../../client/recovery/claimedJobs';
import { ownerOf } from '../../../client/recovery/searchRequest';
import {
	asset,
	expectUnconfirmed,
	FILE_ID,
	GRAPH,
	type ListedJob,
	OTHER_GRAPH,
	request,
	searchesOn,
	SINCE,
	useListService,
} from './support/listService';

const service = useListService();
const { findEarlier, findLost } = searchesOn(service);

describe('jobs that are possible matches', () => {
	const twoFiles = (): ListedJob[] => [
		{ id: 'a', madeAt: SINCE, graph: asset('a') },
		{ id: 'b', madeAt: SINCE, graph: asset('b') },
	];

	test('the only possible match is recovered if the key proves that a job exists', async () => {
		service.jobs = twoFiles().slice(0, 1);
		const onEvent = jest.fn();
		await expect(findLost({ graph: asset(FILE_ID), onEvent })).resolves.toBe('a');
		expect(onEvent.mock.calls).toEqual([[{ type: 'recovered' }]]);
	});

	test('the only possible match is not recovered without that proof', async () => {
		service.jobs = twoFiles().slice(0, 1);
		await expectUnconfirmed(findLost({ graph: asset(FILE_ID), isJobProven: false }));
		await expectUnconfirmed(findEarlier({ graph: asset(FILE_ID) }));
		expect(service.reads('/jobs/a')).toBe(0);
	});

	test('the only possible match is not recovered before sending, because the key was not in use yet', async () => {
		service.jobs = twoFiles().slice(0, 1);
		const options = { earlier: { answerLost: true, firstSentAt: SINCE } };
		await expectUnconfirmed(service.recovery().recoverBeforeSending({ graph: asset(FILE_ID) }, options));
		service.jobs = [{ id: 'same', madeAt: SINCE }];
		await expect(service.recovery().recoverBeforeSending({ graph: GRAPH }, options)).resolves.toMatchObject({ job_id: 'same' });
		await expect(service.recovery().recoverBeforeSending({ graph: GRAPH }, { earlier: { firstSentAt: SINCE } })).resolves.toBeUndefined();
	});

	test('none of two possible matches is recovered', async () => {
		service.jobs = twoFiles();
		await expectUnconfirmed(findLost({ graph: asset(FILE_ID) }));
	});

	test('a job without a time is not recovered, because it may be older', async () => {
		service.jobs = [{ id: 'timeless', madeAt: null }];
		await expectUnconfirmed(findLost());
		expect(service.lists).toBe(1);
		await expectUnconfirmed(findEarlier());
	});

	test('a workflow in another format does not match', async () => {
		service.jobs = [{ id: 'a', madeAt: SINCE, format: 'editor' }];
		await expect(findEarlier()).resolves.toBeUndefined();
	});

	test.each(['job', 'workflow'] as const)('a job whose %s the service does not keep any more does not match', async (part) => {
		const gone: ListedJob = { id: 'gone', madeAt: SINCE, answers: { [part]: 404 } };
		service.jobs = [gone];
		await expect(findEarlier()).resolves.toBeUndefined();
		service.jobs = [gone, { id: 'kept', madeAt: SINCE + 1_000 }];
		await expect(findEarlier()).resolves.toBe('kept');
	});

	test.each(['job', 'workflow'] as const)('a listed job whose %s answers 404 once is read again and recovered', async (part) => {
		service.jobs = [{ id: 'a', madeAt: SINCE, answers: { [part]: 404, times: 1 } }];
		await expect(findEarlier()).resolves.toBe('a');
	});

	test('a claimed job does not make the search uncertain', async () => {
		service.jobs = twoFiles().slice(0, 1);
		claimedJobs.claim('a', 'another');
		await expect(findEarlier({ graph: asset(FILE_ID) })).resolves.toBeUndefined();
	});

	test.each([
		['whose workflow the service does not hand out', { workflow: 403 }, 403],
		['of a service that hands out no workflows', { workflow: 404, code: 'not_implemented' }, 404],
	])('a job %s leaves the submission unconfirmed', async (_name, answers, status) => {
		service.jobs = [{ id: 'a', madeAt: SINCE, answers }];
		await expect(expectUnconfirmed(findEarlier())).resolves.toMatchObject({ cause: { status } });
	});
});

describe('the search for a lost answer', () => {
	test.each([1, 2, 3])('finds a job that appears in list %d', async (nth) => {
		service.onList = (times) => void (service.jobs = times >= nth ? [{ id: 'late', madeAt: SINCE }] : []);
		await expect(findLost()).resolves.toBe('late');
		expect(service.lists).toBe(nth);
	});

	test('ends after three lists', async () => {
		await expectUnconfirmed(findLost());
		expect(service.lists).toBe(3);
	});

	test('shares the first list with the other items of a retry, and reads later lists again', async () => {
		const shared = service.recovery();
		for (const key of ['one', 'two']) await expectUnconfirmed(shared.recoverUnconfirmed(request({ key, before: 'not_reported' })));
		expect(service.lists).toBe(5);
		service.lists = 0;
		for (const key of ['one', 'two']) await expectUnconfirmed(shared.recoverUnconfirmed(request({ key })));
		expect(service.lists).toBe(6);
	});

	test('shares one list, and each workflow, with all items that a lost process may have sent', async () => {
		service.jobs = [{ id: 'a', madeAt: SINCE }];
		const shared = service.recovery();
		await expect(shared.recoverEarlier(request({ graph: OTHER_GRAPH }))).resolves.toBeUndefined();
		await expect(shared.recoverEarlier(request())).resolves.toMatchObject({ job_id: 'a' });
		expect([service.lists, service.reads('/workflow')]).toEqual([1, 1]);
	});

	test('reads a job whose time is not listed once for all items', async () => {
		service.jobs = [{ id: 'a', madeAt: null, graph: OTHER_GRAPH }];
		const shared = service.recovery();
		await shared.recoverUnconfirmed(request()).catch(() => undefined);
		expect(service.reads('/jobs/a')).toBeLessThanOrEqual(1);
	});

	test('reports why the submission is unconfirmed: the service’s error, else the given cause', async () => {
		const cause = new Error('the answer was lost');
		await expect(expectUnconfirmed(findLost({ key: 'k', cause, before: 'key_in_use' }))).resolves.toMatchObject({
			idempotencyKey: 'k',
			before: 'key_in_use',
			cause,
		});
		service.list = { status: 403 };
		await expect(expectUnconfirmed(findLost({ cause }))).resolves.toMatchObject({ cause: { status: 403 } });
	});

	test('ends with the stop', async () => {
		await expect(service.recovery().recoverUnconfirmed(request({ signal: AbortSignal.abort() }))).rejects.toBeInstanceOf(StoppedError);
		await expect(service.recovery().recoverEarlier(request({ signal: AbortSignal.abort() }))).rejects.toBeInstanceOf(StoppedError);
	});
});

describe('before a submission is sent', () => {
	const later = { laterIds: ['b'] };
	const others = { knownJobIds: new Set(['a']), onEvent: jest.fn(), signal: new AbortController().signal };

	test.each<[options: SubmitOptions, search: 'recoverUnconfirmed' | 'recoverEarlier' | undefined, what: object]>([
		[{}, undefined, {}],
		[{ earlier: { firstSentAt: 5 } }, undefined, {}],
		[{ earlier: { answerLost: true, firstSentAt: 5 } }, 'recoverUnconfirmed', { since: 5, before: undefined, isJobProven: false }],
		[{ earlier: { lostRecord: { since: 3 } } }, 'recoverEarlier', { since: 3, before: 'not_reported' }],
		[
			{ earlier: { lostRecord: { since: 3 }, answerLost: true, firstSentAt: 5 } },
			'recoverUnconfirmed',
			{ since: 3, before: undefined, isJobProven: false },
		],
		[{ earlier: { lostRecord: { since: 3 } }, submissionId: 'id', idempotencyKey: 'key' }, 'recoverEarlier', { owner: 'id', key: 'key' }],
		[
			{ earlier: { lostRecord: { since: 3, ...later } }, idempotencyKey: 'key', ...others },
			'recoverEarlier',
			{ owner: 'key', ...later, ...others },
		],
	])('its job is searched for with %j', async (options, search, what) => {
		const found = { job_id: 'found' } as Job;
		const recovery = service.recovery();
		const searches = {
			recoverUnconfirmed: jest.spyOn(recovery, 'recoverUnconfirmed').mockResolvedValue(found),
			recoverEarlier: jest.spyOn(recovery, 'recoverEarlier').mockResolvedValue(found),
		};
		await expect(recovery.recoverBeforeSending({ graph: GRAPH }, options)).resolves.toBe(search && found);
		for (const [name, { mock }] of Object.entries(searches))
			expect(mock.calls).toEqual(name === search ? [[expect.objectContaining({ graph: GRAPH, ...what })]] : []);
	});

	test('submissions without id and key own their jobs alone', () => {
		expect(ownerOf({})).not.toBe(ownerOf({}));
	});
});

test('the log says that a search begins and why, and which job was recovered', async () => {
	const seen: Decision[] = [];
	const observer = { onExchange: () => undefined, onDecision: (decision: Decision) => void seen.push(decision) };
	const cause = new Error('lost');
	await withObserver(observer, async () => await expectUnconfirmed(findLost({ cause })));
	service.jobs = [{ id: 'a', madeAt: SINCE }];
	await withObserver(observer, async () => await findEarlier());
	expect(seen.filter(({ kind }) => kind !== 'retry')).toEqual([
		{ kind: 'recovery_started', by: 'workflow', error: cause },
		{ kind: 'recovery_started', by: 'workflow' },
		{ kind: 'job_recovered', by: 'workflow', jobId: 'a' },
	]);
});

describe('a job that the key of a submission led to', () => {
	const judged = async (jobId: string, graph = GRAPH) =>
		await service.recovery().judge({ job_id: jobId } as Job, graph, { signal: new AbortController().signal });

	test('belongs to it by its graph; where the service returns none, that is unclear', async () => {
		service.jobs = [
			{ id: 'same', madeAt: SINCE, graph: GRAPH },
			{ id: 'other', madeAt: SINCE, graph: OTHER_GRAPH },
			{ id: 'file', madeAt: SINCE, graph: asset('a') },
			{ id: 'silent', madeAt: SINCE, answers: { workflow: 403, code: 'forbidden' } },
		];
		await expect(judged('same')).resolves.toBe('own');
		await expect(judged('other')).resolves.toBe('other');
		await expect(judged('file', asset(FILE_ID))).resolves.toBe('own');
		await expect(judged('silent')).resolves.toBe('unclear');
		await expect(judged('gone')).resolves.toBe('unclear');
	});

	test('is not judged while the service fails', async () => {
		service.jobs = [{ id: 'busy', madeAt: SINCE, graph: GRAPH, answers: { workflow: 503, code: 'service_unavailable' } }];
		await expect(judged('busy')).rejects.toMatchObject({ status: 503 });
	});

	test('a stop ends the reading', async () => {
		service.jobs = [{ id: 'same', madeAt: SINCE, graph: GRAPH }];
		await expect(service.recovery().judge({ job_id: 'same' } as Job, GRAPH, { signal: AbortSignal.abort() })).rejects.toBeInstanceOf(
			StoppedError,
		);
	});
});

test('a later retry claims no second job, although an equal one of the same second comes first in the list', async () => {
	service.jobs = [{ id: 'first', madeAt: SINCE, graph: GRAPH }];
	await expect(findEarlier({ owner: 'one' })).resolves.toBe('first');
	service.jobs = [
		{ id: 'second', madeAt: SINCE, graph: GRAPH },
		{ id: 'first', madeAt: SINCE, graph: GRAPH },
	];
	await expect(findEarlier({ owner: 'one' })).resolves.toBe('first');
	await expect(findEarlier({ owner: 'other' })).resolves.toBe('second');
});
