/** Which job belongs to an unconfirmed submission. */
import { StoppedError } from '../../../client';
import type { Job } from '../../../client/ports/job';
import { type Decision, withObserver } from '../../../client/log/observer';
import type { SubmitOptions } from '../../../client/ports/jobService';
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
	const of = (id: string): ListedJob => ({ id, madeAt: SINCE, graph: asset(id) });

	test('the only possible match is recovered only if the key proves that a job exists', async () => {
		service.jobs = [of('a')];
		const onEvent = jest.fn();
		const graph = asset(FILE_ID);
		const options = { earlier: { answerLost: true, firstSentAt: SINCE } };
		await expectUnconfirmed(findLost({ graph, isJobProven: false, onEvent }));
		await expectUnconfirmed(findEarlier({ graph, onEvent }));
		// Before anything is sent, the key was not in use yet.
		await expectUnconfirmed(service.recovery().recoverBeforeSending({ graph }, options));
		expect([service.reads('/jobs/a'), onEvent.mock.calls.length]).toEqual([0, 0]);
		await expect(findLost({ graph, onEvent })).resolves.toBe('a');
		expect(onEvent.mock.calls).toEqual([[{ type: 'recovered' }]]);
		await expect(findEarlier({ graph, owner: 'another' })).resolves.toBeUndefined();
		service.jobs = [of('a'), of('b'), of('c')];
		await expectUnconfirmed(findLost({ graph, owner: 'another' }));
	});

	test('a job without a time is not recovered, because it may be older', async () => {
		service.jobs = [{ id: 'timeless', madeAt: null }];
		await expectUnconfirmed(findLost());
		expect(service.lists).toBe(1);
		await expectUnconfirmed(findEarlier());
	});

	test.each<[what: string, part: Partial<ListedJob>, found: string | undefined]>([
		['in another format', { format: 'editor' }, 'kept'],
		['that the service does not keep any more', { answers: { workflow: 404 } }, 'kept'],
		['of a job that the service does not keep any more', { answers: { job: 404 } }, 'kept'],
		['that answers 404 once', { answers: { workflow: 404, times: 1 } }, 'a'],
		['of a job that answers 404 once', { answers: { job: 404, times: 1 } }, 'a'],
	])('of two jobs, the first one with a workflow %s: %j', async (_what, part, found) => {
		service.jobs = [
			{ id: 'kept', madeAt: SINCE + 1_000 },
			{ id: 'a', madeAt: SINCE, ...part },
		];
		await expect(findEarlier()).resolves.toBe(found);
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
	test.each([1, 2, 3, 4])('finds a job that appears in list %d, of three', async (nth) => {
		service.onList = (times) => void (service.jobs = times >= nth ? [{ id: 'late', madeAt: SINCE }] : []);
		if (nth <= 3) await expect(findLost()).resolves.toBe('late');
		else await expectUnconfirmed(findLost());
		expect(service.lists).toBe(Math.min(nth, 3));
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
