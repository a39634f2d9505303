/** What several servers answer, as one answer: lists of jobs, definitions, and jobs with the same id. */
import type { Job } from '../../../client';
import { minimalJob } from '../../../client/comfyui/jobRecords';
import { toPoolError } from '../../../client/pool/poolServer';
import { ApiError, ConnectionError, NoServerError } from '../../../client';
import { bestOf, isForgotten, joinDefinitions, decodePositions, mergePages, type ServerPage } from '../../../client/pool/mergeAnswers';

const at = (jobId: string, second: number | null, rest: Partial<Job> = {}): Job => ({
	...minimalJob(jobId, 'engine', 'succeeded', 'completed'),
	created_at: second === null ? null : new Date(second * 1000).toISOString(),
	...rest,
});
const [A, B] = ['http://a', 'http://b'] as const;
const ADDRESSES = [A, B];
/** A page of jobs that were made in the seconds of their names. */
const page = (address: string, ids: string[], nextCursor?: string, more: Job[] = []): ServerPage => ({
	address,
	position: { skip: 0 },
	page: { jobs: [...more, ...ids.map((id) => at(id, Number(id.slice(1))))], nextCursor },
});
const from = (cursor?: string, skip = 0) => ({ cursor, skip });

describe('a list of jobs', () => {
	const started = at('a5', null, { started_at: new Date(5_000).toISOString() });
	const timeless = at('new', null);

	test.each<[what: string, pages: ServerPage[], limit: number, ids: string[], next: object | undefined]>([
		['jobs without a time come first', [page(A, ['a1']), page(B, ['b7'], undefined, [timeless])], 10, ['new', 'b7', 'a1'], undefined],
		[
			'the start replaces a missing creation time',
			[page(A, ['a1'], undefined, [started]), page(B, ['b7'])],
			10,
			['b7', 'a5', 'a1'],
			undefined,
		],
		[
			'a page ends with that of a server',
			[page(A, ['a9', 'a8'], 'a-2'), page(B, ['b7'])],
			10,
			['a9', 'a8'],
			{ [A]: from('a-2'), [B]: from() },
		],
		['a server whose list has ended is left out', [page(A, ['a9']), page(B, ['b7', 'b6'])], 2, ['a9', 'b7'], { [B]: from(undefined, 1) }],
		['the end of the only list is the end', [page(A, ['a9'])], 1, ['a9'], undefined],
		['the next page follows an empty one', [page(A, [], 'a-2'), page(B, ['b7'])], 5, [], { [A]: from('a-2'), [B]: from() }],
	])('of two lists, %s', (_what, pages, limit, ids, next) => {
		const { jobs, nextCursor } = mergePages(pages, limit);
		expect(jobs.map(({ job_id }) => job_id)).toEqual(ids);
		expect(nextCursor && decodePositions(nextCursor, ADDRESSES)).toEqual(next);
	});

	test('begins with all servers, and ignores what is no position in a cursor', () => {
		expect(decodePositions(undefined, ADDRESSES)).toEqual({ [A]: { skip: 0 }, [B]: { skip: 0 } });
		const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
		expect(decodePositions(encode({ [A]: 5, [B]: { cursor: 3, skip: 'x' } }), ADDRESSES)).toEqual({
			[B]: { cursor: undefined, skip: 0 },
		});
	});

	test.each([
		'not base64',
		Buffer.from('{}').toString('base64url'),
		Buffer.from('{"http://c":{"skip":0}}').toString('base64url'),
		Buffer.from('[]').toString('base64url'),
	])('rejects a cursor that no list of these servers returned (%s)', (cursor) => {
		expect(() => decodePositions(cursor, ADDRESSES)).toThrow(
			expect.objectContaining({ name: 'ApiError', interface: 'engine', code: 'invalid_cursor', status: 400 }),
		);
	});
});

describe('definitions', () => {
	const loader = (entry: unknown, more: Record<string, unknown> = {}) => ({ Loader: { input: { required: { name: entry }, ...more } } });
	const join = (...entries: unknown[]) => joinDefinitions(entries.map((entry) => loader(entry))).Loader?.input;

	test.each<[string, unknown[], unknown]>([
		[
			'lists',
			[
				[['a', 'b'], { x: 1 }],
				[['b', 'c'], { x: 2 }],
			],
			[['a', 'b', 'c'], { x: 1 }],
		],
		['lists without settings', [[['a']], [['b']]], [['a', 'b']]],
		[
			'named lists',
			[
				['COMBO', { options: ['a'], tooltip: 't' }, 'rest'],
				['COMBO', { options: ['b', 'a'] }],
			],
			['COMBO', { options: ['a', 'b'], tooltip: 't' }, 'rest'],
		],
		['a named list with a list', [['COMBO', { options: ['a'] }], [['b']]], ['COMBO', { options: ['a'] }]],
		[
			'numbers',
			[
				['INT', { max: 1 }],
				['INT', { max: 2 }],
			],
			['INT', { max: 1 }],
		],
	])('joins the choices of %s', (_name, entries, expected) => {
		expect(join(...entries)).toEqual({ required: { name: expected } });
	});

	test('keeps the first definition of each class, and the classes of all servers', () => {
		const joined = joinDefinitions([{ A: { display_name: 'first', input: {} } }, { A: { display_name: 'second' }, B: { input: {} } }]);
		expect(joined).toEqual({ A: { display_name: 'first', input: {} }, B: { input: {} } });
	});

	test('joins optional inputs, and keeps groups and inputs that only one server has', () => {
		const joined = joinDefinitions([
			loader([['a']], { optional: { vae: [['x']] }, hidden: { id: 'ID' } }),
			loader([['a']], { optional: { vae: [['y']], extra: [['z']] } }),
		]);
		expect(joined.Loader?.input).toEqual({ required: { name: [['a']] }, optional: { vae: [['x', 'y']] }, hidden: { id: 'ID' } });
		expect(joinDefinitions([loader([['a']], { optional: { vae: [['x']] } }), loader([['b']])]).Loader?.input).toEqual({
			required: { name: [['a', 'b']] },
			optional: { vae: [['x']] },
		});
	});
});

describe('jobs with the same id on several servers', () => {
	const found = (...statuses: string[]) => statuses.map((status) => ({ job: minimalJob(status, 'engine', status, status) }));

	test.each(
		['succeeded', 'running', 'queued', 'canceling', 'failed', 'canceled', 'unknown'].map((best, rank, all) => [all.slice(rank), best]),
	)('of %j the one that %s is the best', (statuses, best) => expect(bestOf(found(...[...statuses].reverse()))?.job.status).toBe(best));

	test('none is the best of none', () => expect(bestOf([])).toBeUndefined());

	test('an expired job counts as forgotten only if the engine does not know it', () => {
		const error = { code: 'forgotten_by_engine', message: '', node_id: null, class_type: null, traceback: null };
		const expired = minimalJob('x', 'engine', 'expired');
		expect(isForgotten({ ...expired, job_error: error })).toBe(true);
		expect(isForgotten(expired)).toBe(false);
		expect(isForgotten({ ...minimalJob('x', 'engine', 'failed'), job_error: error })).toBe(false);
	});
});

describe('the error of a pool', () => {
	const refused = (origin: string) => new ConnectionError({ trouble: 'refused', origin, mayHaveArrived: false, message: origin });
	const rejected = new ApiError({ interface: 'engine', code: 'unauthorized', status: 401, message: '' });
	const busy = new ApiError({ interface: 'engine', code: 'upstream_error', status: 503, message: '' });

	test('is the one that lasts, if there is one', () => expect(toPoolError([refused('a'), rejected])).toBe(rejected));
	test('names all servers that do not respond', () => {
		const error = toPoolError([refused('a'), busy, refused('b')]);
		expect(error).toBeInstanceOf(NoServerError);
		expect((error as NoServerError).tried.map(({ origin }) => origin)).toEqual(['a', 'b']);
	});
	test('is the only one', () => {
		const only = refused('a');
		expect(toPoolError([undefined, busy, only])).toBe(only);
		expect(toPoolError([busy])).toBe(busy);
	});
});
