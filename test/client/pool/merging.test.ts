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
const page = (address: string, jobs: Job[], nextCursor?: string, position: ServerPage['position'] = { skip: 0 }): ServerPage => ({
	address,
	position,
	page: { jobs, nextCursor },
});
const idsOf = ({ jobs }: { jobs: Job[] }): string[] => jobs.map(({ job_id }) => job_id);
const ADDRESSES = ['http://a', 'http://b'];

describe('a list of jobs', () => {
	test('puts jobs without a time first, and uses the start of a job without a creation time', () => {
		const started = at('a5', null, { started_at: new Date(5_000).toISOString() });
		expect(idsOf(mergePages([page('a', [started, at('a1', 1)]), page('b', [at('new', null), at('b7', 7), at('b3', 3)])], 10))).toEqual([
			'new',
			'b7',
			'a5',
			'b3',
			'a1',
		]);
	});

	test('ends a page where the next job may be on the next page of one server', () => {
		const merged = mergePages([page('a', [at('a9', 9), at('a8', 8)], 'a-2'), page('b', [at('b7', 7)])], 10);
		expect(idsOf(merged)).toEqual(['a9', 'a8']);
	});

	test('leaves out a server whose list has ended', () => {
		const merged = mergePages([page('http://a', [at('a9', 9)]), page('http://b', [at('b7', 7), at('b6', 6)])], 2);
		expect(decodePositions(merged.nextCursor, ADDRESSES)).toEqual({ 'http://b': { cursor: undefined, skip: 1 } });
		expect(mergePages([page('http://a', [at('a9', 9)])], 1)).toEqual({ jobs: [at('a9', 9)] });
	});

	test('continues with the next page of a server that returned an empty one', () => {
		const merged = mergePages([page('http://a', [], 'a-2'), page('http://b', [at('b7', 7)])], 5);
		expect(merged.jobs).toEqual([]);
		expect(decodePositions(merged.nextCursor, ADDRESSES)).toEqual({
			'http://a': { cursor: 'a-2', skip: 0 },
			'http://b': { cursor: undefined, skip: 0 },
		});
	});

	test('begins with all servers, and ignores what is no position in a cursor', () => {
		expect(decodePositions(undefined, ADDRESSES)).toEqual({ 'http://a': { skip: 0 }, 'http://b': { skip: 0 } });
		const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
		expect(decodePositions(encode({ 'http://a': 5, 'http://b': { cursor: 3, skip: 'x' } }), ADDRESSES)).toEqual({
			'http://b': { cursor: undefined, skip: 0 },
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
