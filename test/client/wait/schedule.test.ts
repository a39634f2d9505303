import { cancelAndConfirm, clock, connect, type Job, waitForJob, type WaitOptions, type WaitResult } from '../../../client';
import { type Decision, withObserver } from '../../../client/observer';
import { useStillClock } from '../../support/stillClock';
import { serve } from '../support/server';

/** A status of HTTP, one of a job with further fields, a body, or undefined for no answer. */
type Answer = number | [status: string, fields?: object] | object | undefined;
/** Milliseconds after the stream opens, and the event: a comment if its name is empty, and without a name the connection drops. */
type Frames = Array<[inMs: number, event?: string, data?: object]>;

interface Story extends Partial<Omit<WaitOptions, 'signal' | 'leaving'>> {
	/** Each letter is the id of a job, whose wait begins `apartMs` after the one before. */
	ids?: string;
	apartMs?: number;
	read: (now: number, id: string) => Answer;
	/** Undefined for a service without streams; it opens one after `openMs`. */
	stream?: (now: number, id: string) => number | Frames;
	openMs?: number;
	retryAfter?: string;
	list?: (now: number, query: string) => Answer;
	cancel?: (now: number) => Answer;
	/** The waits of `stopped` (all) are stopped then, or told to leave. */
	stopAt?: number;
	stopped?: string;
	leaveAt?: number;
	/** Cancels and confirms in place of waiting. */
	confirms?: number | true;
	/** Without `onEvent`. */
	ignoresEvents?: true;
	/** The test looks from then on, until then. */
	from?: number;
	forMs?: number;
}

const QUIET_TURNS = 10;
/** A timer for each millisecond would be more. */
const MOST_MOVES = 1_000;
const moveOn = useStillClock();
afterEach(() => jest.restoreAllMocks());

let activity = 0;
/** Until sockets and promises have nothing left to do at this moment of the clock. */
async function settle(): Promise<void> {
	for (let quiet = 0, before = activity; quiet < QUIET_TURNS; quiet++) {
		await new Promise((resolve) => setImmediate(resolve));
		if (activity !== before) [quiet, before] = [0, activity];
	}
}

/** What the waits send, decide, learn and return: for each word its moments in milliseconds, with the ids of the jobs, or + for each read of the list. */
async function timeline(story: Story): Promise<string[]> {
	const { ids = 'a', apartMs = 0, from = 0, forMs = 10_000, stopped = ids, stopAt, leaveAt, confirms, ignoresEvents, ...rest } = story;
	const { read, stream, list, cancel, openMs = 0, retryAfter, ...options } = rest;
	const told = new Map<string, Map<number, string>>();
	const learned = new Map<string, string>();
	let isOver = false;
	const note = (id: string, ...words: unknown[]): void => {
		activity += 1;
		if (isOver || clock.now() < from) return;
		const at = Math.round(clock.now());
		const text = words.filter((word) => word !== '' && word !== undefined && word !== null).join(' ');
		const moments = told.get(text) ?? new Map<number, string>();
		told.set(text, moments.set(at, [...(moments.get(at) ?? ''), id].sort().join('')));
	};
	const service = await serve(({ method, url }, response) => {
		const [, id = '', route = '', query = ''] = /jobs\/?([^/?]*)\/?([^?]*)\??(.*)$/.exec(url) ?? [];
		note(id || '+', id === '' ? 'list' : route || 'read', decodeURIComponent(query));
		const send = (answer: Answer): void => {
			if (answer === undefined) return;
			const body = Array.isArray(answer) ? { id, status: answer[0], ...answer[1] } : answer;
			response.writeHead(typeof body === 'number' ? body : 200, {
				'content-type': 'application/json',
				...(retryAfter && { 'retry-after': retryAfter }),
			});
			const error = { code: `code_${String(body)}`, message: '' };
			response.end(body === 404 ? 'Not found' : JSON.stringify(typeof body === 'number' ? { error } : body));
		};
		if (id === '') return send(list ? list(clock.now(), query) : 403);
		if (method === 'POST') return send(cancel?.(clock.now()));
		if (route === '') return send(read(clock.now(), id));
		const frames = stream?.(clock.now(), id) ?? 501;
		if (typeof frames === 'number') return send(frames);
		const open = (): void => {
			activity += 1;
			response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
			for (const [inMs, event, data] of frames)
				clock.after(inMs, () => {
					activity += 1;
					if (event === undefined) response.destroy();
					else if (event === '') response.write(': keep-alive\n\n');
					else response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
				});
		};
		if (openMs > 0) clock.after(openMs, open);
		else open();
	});
	const connection = connect({ interface: 'v2', baseUrl: service.origin, readBudgetMs: 0 });
	const [stop, leaving, over] = [new AbortController(), new AbortController(), new AbortController()];
	if (stopAt !== undefined) clock.after(stopAt, () => stop.abort());
	if (leaveAt !== undefined) clock.after(leaveAt, () => leaving.abort());
	const begin = async (id: string): Promise<void> => {
		const signal = stopped.includes(id) ? AbortSignal.any([stop.signal, over.signal]) : over.signal;
		const observer = {
			onExchange: () => undefined,
			onDecision: ({ kind, ...facts }: Decision): void =>
				note(id, kind, ...Object.entries(facts).map(([name, fact]) => (name === 'jobId' ? '' : fact instanceof Error ? fact.name : fact))),
		};
		const act = async (): Promise<Partial<WaitResult> & { confirmed?: boolean }> =>
			confirms === undefined
				? await waitForJob(connection.jobs, id, {
						mode: 'live',
						maxWaitMs: 900_000,
						...options,
						signal,
						...(leaveAt !== undefined && { leaving: AbortSignal.any([signal, leaving.signal]) }),
						onEvent: ignoresEvents
							? undefined
							: (event) => note(id, 'hears', event.kind, event.kind === 'progress' ? event.progress.value : ''),
						onRead: ({ status, queue_position: position, progress }) => {
							const news = [status, position, progress?.value].join(' ');
							if (news !== learned.get(id)) note(id, 'learns', status, position, progress?.value);
							learned.set(id, news);
						},
					})
				: await cancelAndConfirm(connection.jobs, id, { signal, withinMs: confirms === true ? undefined : confirms });
		await withObserver(observer, act).then(
			({ job, finished, confirmed, cancelError, queuedMs, ranMs }) => {
				const standing = [job?.status, job?.service_status === job?.status ? '' : `(${job?.service_status})`, job?.queue_position];
				note(id, 'returns', ...standing, job?.progress?.value, finished ?? confirmed, cancelError && 'not canceled', queuedMs, ranMs);
			},
			(error: Error) => note(id, 'throws', error.name),
		);
	};
	const waits = [...ids].map(async (id, index) => {
		if (index * apartMs > 0) await new Promise<void>((resolve) => clock.after(index * apartMs, resolve));
		await begin(id);
	});
	await settle();
	let moves = 0;
	for (let inMs = moveOn.nextIn(); clock.now() + inMs <= forMs; inMs = moveOn.nextIn()) {
		if (++moves > MOST_MOVES) throw new Error('The waits keep the clock busy');
		moveOn(inMs);
		await settle();
	}
	isOver = true;
	over.abort();
	await service.close();
	for (let isDone = false; !isDone; await settle()) {
		moveOn(Math.min(moveOn.nextIn(), 60_000));
		isDone = await Promise.race([Promise.all(waits).then(() => true), settle().then(() => false)]);
	}
	await connection.close();
	return [...told].map(([text, moments]) => `${text}: ${[...moments].map(([at, who]) => `${at}${who}`).join(' ')}`).sort();
}

const until =
	(ms: number, status = 'running') =>
	(now: number): [string] => [now < ms ? status : 'succeeded'];
const entries = (ids: string, status: string, fields: object = {}): object[] => [...ids].map((id) => ({ id, status, ...fields }));
const time = (day: number): string => `2026-01-0${day}T00:00:00Z`;
const alive: Frames[number] = [0, 'status', { status: 'running' }];
const progress = (inMs: number, value: number, fields: object = {}): Frames[number] => [inMs, 'progress', { value, ...fields }];

const SUBMITTED = { status: 'queued', service_status: 'queued', job_id: 'a', urls: { self: null, events: null, cancel: null } } as Job;

const ROWS: Array<[name: string, story: Story, expected: string]> = [
	[
		'polling slows down to a read every 5 s',
		{ mode: 'polling', read: (now) => [now < 15_000 ? (now < 4_000 ? 'queued' : 'running') : 'succeeded'], forMs: 25_000 },
		'job_stands queued read: 0a | job_stands running read: 4063a | job_stands succeeded read: 15391a | learns queued: 0a | learns running: 4063a | read: 0a 500a 1250a 2375a 4063a 6594a 10391a 15391a | returns succeeded true 4062.5 11328.125: 15391a | wait_begins polling 900000: 0a',
	],
	[
		'a stream replaces the reads until it reports the end, and the read that lags behind is repeated',
		{
			read: (now) => (now < 7_100 ? ['queued', { queue_position: 2, progress: { value: 0.1 } }] : ['succeeded']),
			stream: () => [
				[0, 'status', { status: 'queued', queue_position: 3 }],
				[300, 'log', { message: '' }],
				progress(400, 0),
				progress(500, 0.5, { nodes_total: 2 }),
				progress(600, 0.4, { nodes_total: 2, nodes_done: 1 }),
				progress(700, 0.3, { nodes_total: 3 }),
				progress(800, 0.2),
				progress(900, 0.2, { current_node: '7' }),
				progress(950, 0.1, { current_node: '7' }),
				[7_000, 'status', { status: 'succeeded' }],
			],
		},
		'events: 0a | hears log: 300a | hears progress 0.1: 400a | hears progress 0.2: 900a 950a | hears progress 0.3: 700a 800a | hears progress 0.5: 500a 600a | hears status: 0a 7000a | job_stands queued 2 read: 0a 7000a | job_stands queued 3 stream: 0a | job_stands running stream: 500a | job_stands succeeded read: 7125a | job_stands succeeded stream: 7000a | learns queued 2 0.1: 0a | read: 0a 7000a 7050a 7125a | returns succeeded true 500 6500: 7125a | wait_begins live 900000: 0a',
	],
	[
		'a stream that is alive still has a read every 30 s',
		{ read: until(70_000), stream: () => [alive, progress(100, 0.1), progress(200, 0.2)], forMs: 100_000 },
		'events: 0a 45301a | hears progress 0.1: 100a | hears progress 0.2: 200a 45401a 45501a | hears status: 0a 45301a | job_stands running read: 0a | job_stands succeeded read: 75301a | learns running: 0a | read: 0a 30000a 45200a 75301a | returns succeeded true: 75301a | stream_lost 45200 ConnectionError: 45200a | wait_begins live 900000: 0a',
	],
	[
		'a stream that was lost is opened again after growing pauses',
		{ read: until(6_000), stream: () => [alive, [200]] },
		'events: 0a 301a 702a 1303a 2304a 4105a | hears status: 0a 301a 702a 1303a 2304a 4105a | job_stands running read: 0a | job_stands succeeded read: 6680a | learns running: 0a | read: 0a 200a 501a 902a 1503a 2003a 2504a 3004a 3754a 4305a 4805a 5555a 6680a | returns succeeded true: 6680a | stream_lost 200 ConnectionError: 200a 501a 902a 1503a 2504a 4305a | wait_begins live 900000: 0a',
	],
	[
		'a stream that lasted 10 s makes the pauses short again',
		{
			read: () => ['running'],
			stream: (now) => [alive, progress(50, 0.1), progress(90, 0.2), [now < 1_000 ? 100 : 10_001]],
			forMs: 12_500,
		},
		'events: 0a 201a 502a 1003a 11105a | hears progress 0.1: 50a | hears progress 0.2: 90a 251a 291a 552a 592a 1053a 1093a 11155a 11195a | hears status: 0a 201a 502a 1003a 11105a | job_stands running read: 0a | learns running: 0a | read: 0a 100a 301a 602a 11004a | stream_lost 100 ConnectionError: 100a 301a 602a | stream_lost 10001 ConnectionError: 11004a | wait_begins live 900000: 0a',
	],
	[
		'a stream that the service cannot open is tried again after growing pauses',
		{ ids: 'ab', read: () => ['running'], stream: () => 502, forMs: 4_000 },
		'events: 0a 100b 300a 700b 1500a 3100b | job_stands running read: 0ab | learns running: 0ab | read: 0ab 500a 575b 1250a 1325b 2375a 2450b | stream_refused ApiError: 0a 100b 300a 700b 1500a 3100b | wait_begins live 900000: 0ab',
	],
	[
		'a service without streams is asked again after 5 minutes',
		{ read: () => ['running'], stream: () => 501, from: 265_000, forMs: 302_000 },
		'events: 300000a | read: 265391a 270391a 275391a 280391a 285391a 290391a 295391a 300391a | stream_refused ApiError: 300000a',
	],
	[
		'a stream that is one too many is tried again after 30 s, or when a stream is free',
		{
			ids: 'abc',
			read: (now, id) => [id === 'a' && now >= 3_000 ? 'succeeded' : 'running'],
			stream: (now, id) =>
				id === 'a' || (now >= 3_000 && id === 'b')
					? [alive, progress(1, 0.1), progress(2, 0.2), [3_000, 'status', { status: 'succeeded' }]]
					: 429,
			forMs: 34_000,
		},
		'events: 0ab 3250c 33250bc | hears progress 0.1: 1a 33251b | hears progress 0.2: 2a 33252b | hears status: 0a 3000a 33250b | job_stands running read: 0abc | job_stands succeeded stream: 3000a | learns running: 0abc | read: 0abc 500b 575c 1250b 1325c 2375b 2450c 3000a 4063b 4138c 6594b 6669c 10391b 10466c 15391b 15466c 20391b 20466c 25391b 25466c 30391b 30466c | returns succeeded true: 3000a | stream_refused ApiError: 0b 3250c 33250c | wait_begins live 900000: 0abc',
	],
	[
		'Retry-After puts off the next stream',
		{ read: () => ['running'], stream: () => 429, retryAfter: '40', forMs: 41_000 },
		'events: 0a 40000a | job_stands running read: 0a | learns running: 0a | read: 0a 500a 1250a 2375a 4063a 6594a 10391a 15391a 20391a 25391a 30391a 35391a 40391a | stream_refused ApiError: 0a 40000a | wait_begins live 900000: 0a',
	],
	[
		'more streams are asked for at a time the more are open',
		{ ids: 'abcdefghijklmnopqrstuvwxyz', read: () => ['running'], stream: () => [alive], openMs: 100, forMs: 2_500 },
		'events: 0a 100b 200c 300d 400e 500f 600g 700h 800i 900j 1000k 1100l 1200m 1300n 1400o 1500p 1600qr 1700st 1800uv 1900wx 2000yz | hears status: 100a 200b 300c 400d 500e 600f 700g 800h 900i 1000j 1100k 1200l 1300m 1400n 1500o 1600p 1700qr 1800st 1900uv 2000wx 2100yz | job_stands running read: 0abcdefghijklmnopqrstuvwxyz | learns running: 0abcdefghijklmnopqrstuvwxyz | list limit=100: 500+ | read: 0abcdefghijklmnopqrstuvwxyz 1950w 2025y 2100z | wait_begins live 900000: 0abcdefghijklmnopqrstuvwxyz',
	],
	[
		'a list serves all waits',
		{
			ids: 'abcdef',
			mode: 'polling',
			read: until(5_000),
			list: (now) => ({ jobs: entries('abcdef', now < 5_000 ? 'running' : 'succeeded') }),
		},
		'job_stands running read: 0abcdef | job_stands succeeded read: 5266abcdef | learns running: 0abcdef | list limit=100: 500+ 1000+ 1500+ 2000+ 2506+ 3266+ 4266+ 5266+ | read: 0abcdef 5266abcdef | returns succeeded true: 5266abcdef | wait_begins polling 900000: 0abcdef',
	],
	[
		'a list of whole jobs is taken over as a whole',
		{
			ids: 'abcd',
			mode: 'polling',
			read: () => ['queued', { queue_position: 4, progress: { value: 0.1 } }],
			list: (now) => ({
				jobs: [
					...entries('ab', 'running', { created_at: '2026-01-01T00:00:00Z', urls: { self: '/api/v2/jobs/a' }, progress: { value: 0.3 } }),
					...entries('cd', 'queued', { queue_position: now < 800 ? 3 : 2 }),
				],
			}),
			forMs: 1_500,
		},
		'job_stands queued 2 list: 1000cd | job_stands queued 3 list: 500cd | job_stands queued 4 read: 0abcd | job_stands running list: 500ab | learns queued 2 0.1: 1000cd | learns queued 3 0.1: 500cd | learns queued 4 0.1: 0abcd | learns running 0.3: 500ab | list limit=100: 500+ 1000+ 1500+ | read: 0abcd | wait_begins polling 900000: 0abcd',
	],
	[
		'three waits read by themselves',
		{ ids: 'abc', mode: 'polling', read: until(2_000), list: () => ({ jobs: entries('abc', 'running') }) },
		'job_stands running read: 0abc | job_stands succeeded read: 2375a 2450b 2525c | learns running: 0abc | read: 0abc 500a 575b 650c 1250a 1325b 1400c 2375a 2450b 2525c | returns succeeded true: 2375a 2450b 2525c | wait_begins polling 900000: 0abc',
	],
	[
		'a list that fails is not asked again for a minute',
		{ ids: 'abcd', mode: 'polling', read: () => ['running'], list: () => 403, from: 55_000, forMs: 62_000 },
		'list limit=100: 60541+ | read: 55391a 55466b 55541c 55616d 60391a 60466b 60541c 60616d',
	],
	[
		'a list that does not answer delays no wait by more than 5 s',
		{ ids: 'abcd', mode: 'polling', read: () => ['running'], list: () => undefined, forMs: 16_000 },
		'job_stands running read: 0abcd | learns running: 0abcd | list limit=100: 500+ | read: 0abcd 5500a 5575b 5650c 5725d 6250a 6325b 6400c 6475d 7375a 7450b 7525c 7600d 9063a 9138b 9213c 9288d 11594a 11669b 11744c 11819d 15391a 15466b 15541c 15616d | wait_begins polling 900000: 0abcd',
	],
	[
		'a job that a list leaves out is read',
		{ ids: 'abcdef', mode: 'polling', read: () => ['running'], list: () => ({ jobs: entries('abcde', 'running') }), forMs: 4_000 },
		'job_stands running read: 0abcdef | learns running: 0abcdef | list limit=100: 500+ 1000+ 1500+ 2000+ 2500+ 3024+ 3652+ | read: 0abcdef 500f 1250f 2375f | wait_begins polling 900000: 0abcdef',
	],
	[
		'a job that a list does not name any more is read soon',
		{
			ids: 'abcd',
			mode: 'polling',
			read: () => ['running'],
			list: (now) => ({ jobs: entries(now < 3_000 ? 'abcd' : 'bcd', 'running') }),
			forMs: 6_000,
		},
		'job_stands running read: 0abcd | learns running: 0abcd | list limit=100: 500+ 1000+ 1500+ 2000+ 2633+ 3582+ 4547+ 5672+ | read: 0abcd 3797a 4547a 5672a | wait_begins polling 900000: 0abcd',
	],
	[
		'an end that only the list tells is read once at once, and then in turn',
		{
			ids: 'abcd',
			mode: 'polling',
			read: () => ['running'],
			list: (now) => ({ jobs: [...entries('a', now < 3_000 ? 'succeeded' : 'running'), ...entries('bcd', 'running')] }),
			forMs: 5_000,
		},
		'job_stands running read: 0abcd | learns running: 0abcd | list limit=100: 500+ 1000+ 1500+ 2000+ 2563+ 3286+ 4291+ | read: 0abcd 500a 1250a 2375a | wait_begins polling 900000: 0abcd',
	],
	[
		'a list that tells too little for its pages is not asked again for a minute',
		{
			ids: 'abcd',
			mode: 'polling',
			read: () => ['running'],
			list: (_now, query) => ({ jobs: entries('a', 'running'), next_cursor: query.includes('cursor') ? 'z' : 'y' }),
			from: 55_000,
			forMs: 62_000,
		},
		'list limit=100&cursor=y: 60541+ | list limit=100&cursor=z: 60541+ | list limit=100: 60541+ | read: 55466b 55541c 55616d 56141a 60466b 60541c 60616d',
	],
	[
		'pages of a list are read until each job is found, and make the next look later',
		{
			ids: 'abcdef',
			mode: 'polling',
			read: () => ['running'],
			list: (_now, query) =>
				query.includes('cursor')
					? { jobs: entries('defw', 'running'), next_cursor: 'z' }
					: { jobs: entries('abcxy', 'running'), next_cursor: 'y' },
			forMs: 5_000,
		},
		'job_stands running read: 0abcdef | learns running: 0abcdef | list limit=100&cursor=y: 500+ 1050+ 1600+ 2163+ 3006+ 4272+ | list limit=100: 500+ 1050+ 1600+ 2163+ 3006+ 4272+ | read: 0abcdef | wait_begins polling 900000: 0abcdef',
	],
	[
		'a truncated list is asked for ends alone',
		{
			ids: 'abcdef',
			mode: 'polling',
			read: (_now, id) => ['running', { created_at: id === 'd' ? null : time(id === 'e' ? 2 : id === 'f' ? 1 : 3) }],
			list: (_now, query) => ({
				truncated: true,
				jobs: query.includes('status')
					? [...entries('z', 'succeeded', { created_at: time(5) }), ...entries('y', 'failed', { created_at: time(2) })]
					: [],
			}),
			from: 57_000,
			forMs: 63_000,
		},
		'list limit=100&status=succeeded,failed,canceled,expired: 60616+ 61616+ 62616+ | read: 60616d 60691e 60766f',
	],
	[
		'the silence of a list about a job is checked by a read after a minute',
		{
			ids: 'abcd',
			mode: 'polling',
			read: () => ['running'],
			list: (_now, query) => ({ truncated: !query.includes('status'), jobs: [] }),
			from: 59_000,
			forMs: 62_000,
		},
		'list limit=100&status=succeeded,failed,canceled,expired: 59882+ 60382+ 60882+ 61382+ | read: 60000a 60075b 60150c 60225d',
	],
	[
		'a truncated list without times vouches for no job',
		{
			ids: 'abcd',
			mode: 'polling',
			read: () => ['running', { created_at: '2026-01-03T00:00:00Z' }],
			list: () => ({ truncated: true, jobs: entries('z', 'succeeded') }),
			forMs: 3_000,
		},
		'job_stands running read: 0abcd | learns running: 0abcd | list limit=100&status=succeeded,failed,canceled,expired: 500+ | list limit=100: 500+ | read: 0abcd 500a 575b 650c 725d 1250a 1325b 1400c 1475d 2375a 2450b 2525c 2600d | wait_begins polling 900000: 0abcd',
	],
	[
		'a list of ends that is complete vouches for jobs without times',
		{
			ids: 'abcd',
			mode: 'polling',
			read: () => ['running'],
			list: (_now, query) => ({ truncated: !query.includes('status'), jobs: [] }),
			forMs: 3_000,
		},
		'job_stands running read: 0abcd | learns running: 0abcd | list limit=100&status=succeeded,failed,canceled,expired: 500+ 1050+ 1550+ 2050+ 2683+ | list limit=100: 500+ | read: 0abcd | wait_begins polling 900000: 0abcd',
	],
	[
		'another wait looks when the one that looked is stopped',
		{
			ids: 'abcdef',
			mode: 'polling',
			read: () => ['running'],
			list: () => undefined,
			cancel: () => ['canceled'],
			stopAt: 700,
			stopped: 'a',
			forMs: 3_000,
		},
		'cancel: 700a | cancels stopped: 700a | job_stands running read: 0abcdef | learns running: 0abcdef | list limit=100: 500+ 700+ | read: 0abcdef | throws StoppedError: 700a | wait_begins polling 900000: 0abcdef',
	],
	[
		'many waits without a list share their reads',
		{
			ids: 'abcdefghijklmnopqrst',
			mode: 'polling',
			read: (now, id) => [id === 'a' && now >= 4_000 ? 'succeeded' : 'running'],
			from: 2_000,
			forMs: 9_000,
		},
		'job_stands succeeded read: 4500a | read: 2025h 2100i 2175j 2250k 2325l 2400m 2475n 2550o 2625p 2700q 2775r 2850s 2925t 3000a 3075b 3150c 3225d 3300e 3375f 3450g 3525h 3600i 3675j 3750k 3825l 3900m 3975n 4050o 4125p 4200q 4275r 4350s 4425t 4500a 4553b 4605c 4658d 4711e 4763f 4816g 4868h 4921i 4974j 5026k 5079l 5132m 5184n 5237o 5289p 5342q 5400r 5475s 5550t 6240b 6293c 6345d 6398e 6451f 6503g 6556h 6609i 6661j 6714k 6766l 6819m 6872n 6924o 6977p 7030q 7088r 7163s 7238t 8771b 8824c 8877d 8929e 8982f | returns succeeded true: 4500a',
	],
	[
		'waits that begin later keep their own pace',
		{
			ids: 'abcde',
			apartMs: 300,
			mode: 'polling',
			read: until(4_000),
			list: (now) => ({ jobs: entries('abcde', now < 4_000 ? 'running' : 'succeeded') }),
		},
		'job_stands running read: 0a 300b 600c 900d 1200e | job_stands succeeded read: 4821abcde | learns running: 0a 300b 600c 900d 1200e | list limit=100: 1100+ 1600+ 2100+ 2600+ 3124+ 3880+ 4821+ | read: 0a 300b 500a 600c 800b 900d 1200e 4821abcde | returns succeeded true: 4821abcde | wait_begins polling 900000: 0a 300b 600c 900d 1200e',
	],
	[
		'a stop cancels the job',
		{ mode: 'polling', read: () => ['running'], stopAt: 700, cancel: () => ['canceled'] },
		'cancel: 700a | cancels stopped: 700a | job_stands running read: 0a | learns running: 0a | read: 0a 500a | throws StoppedError: 700a | wait_begins polling 900000: 0a',
	],
	[
		'a stop before the first answer cancels the job by its id',
		{ mode: 'polling', read: (now) => (now < 600 ? undefined : ['running']), stopAt: 700, cancel: () => ['canceled'] },
		'cancel: 700a | cancels stopped: 700a | read: 0a 700a | throws StoppedError: 700a | wait_begins polling 900000: 0a',
	],
	[
		'a stop waits 5 s for the answer to the cancel',
		{ mode: 'polling', read: () => ['running'], stopAt: 700, forMs: 6_000 },
		'cancel: 700a | cancels stopped: 700a | job_stands running read: 0a | learns running: 0a | read: 0a 500a | throws StoppedError: 5700a | wait_begins polling 900000: 0a',
	],
	[
		'a stop leaves the job alone',
		{ mode: 'polling', read: () => ['running'], stopAt: 700, cancelOnStop: false },
		'job_stands running read: 0a | learns running: 0a | read: 0a 500a | throws StoppedError: 700a | wait_begins polling 900000: 0a',
	],
	[
		'the end of the time cancels the job',
		{ mode: 'polling', read: () => ['running'], maxWaitMs: 700, cancelOnTimeout: true, cancel: () => ['canceled'] },
		'cancel: 700a | cancels wait_is_over: 700a | job_stands running read: 0a | learns running: 0a | read: 0a 500a | returns canceled true: 700a | wait_begins polling 700: 0a | wait_is_over running: 700a',
	],
	[
		'the end of the time tells that the job still stops',
		{ mode: 'polling', read: () => ['running'], maxWaitMs: 700, cancelOnTimeout: true, cancel: () => ['canceling'] },
		'cancel: 700a | cancels wait_is_over: 700a | job_stands running read: 0a | learns running: 0a | read: 0a 500a | returns canceling false: 700a | wait_begins polling 700: 0a | wait_is_over running: 700a',
	],
	[
		'the end of the time tells that the cancel failed',
		{ mode: 'polling', read: () => ['running'], maxWaitMs: 700, cancelOnTimeout: true, cancel: () => 403 },
		'cancel: 700a | cancels wait_is_over: 700a | job_stands running read: 0a | learns running: 0a | read: 0a 500a | returns running false not canceled: 700a | wait_begins polling 700: 0a | wait_is_over running: 700a',
	],
	[
		'the end of the time leaves the job alone',
		{ mode: 'polling', read: () => ['running'], maxWaitMs: 700 },
		'job_stands running read: 0a | learns running: 0a | read: 0a 500a | returns running false: 700a | wait_begins polling 700: 0a | wait_is_over running: 700a',
	],
	[
		'the end of the time without an answer throws why',
		{ mode: 'polling', read: () => 503, maxWaitMs: 700 },
		'read: 0a 500a | throws ApiError: 700a | wait_begins polling 700: 0a',
	],
	[
		'leaving returns the job as it stands',
		{ mode: 'polling', read: () => ['running'], leaveAt: 700, cancelOnTimeout: true, cancel: () => ['canceled'] },
		'job_stands running read: 0a | learns running: 0a | read: 0a 500a | returns running false: 700a | wait_begins polling 900000: 0a',
	],
	[
		'leaving waits 5 s for the first answer',
		{ mode: 'polling', read: () => undefined, leaveAt: 700 },
		'read: 0a | throws StoppedError: 5700a | wait_begins polling 900000: 0a',
	],
	[
		'a wait that begins while leaving reads once',
		{ ids: 'ab', apartMs: 300, mode: 'polling', read: (_now, id) => (id === 'a' ? ['running'] : undefined), leaveAt: 200 },
		'job_stands running read: 0a | learns running: 0a | read: 0a 300b | returns running false: 200a | throws StoppedError: 5300b | wait_begins polling 900000: 0a 300b',
	],
	[
		'a stop while leaving waits for nothing',
		{ mode: 'polling', read: () => undefined, leaveAt: 700, stopAt: 900, cancelOnStop: false },
		'read: 0a | throws StoppedError: 900a | wait_begins polling 900000: 0a',
	],
	[
		'a job that answers 500 for 5 minutes is given up',
		{ mode: 'polling', read: (now) => (now < 100 ? ['running'] : 500), from: 290_000, forMs: 320_000 },
		'read: 290391a 295391a 300391a 305391a | throws UnreadableJobError: 305391a',
	],
	[
		'a job that answers 500 from time to time is not given up',
		{ mode: 'polling', read: (now) => (now > 200_000 && now < 205_000 ? ['running'] : 500), from: 195_000, forMs: 310_000 },
		'job_stands running read: 200391a | learns running: 200391a | read: 195391a 200391a 205391a 210391a 215391a 220391a 225391a 230391a 235391a 240391a 245391a 250391a 255391a 260391a 265391a 270391a 275391a 280391a 285391a 290391a 295391a 300391a 305391a',
	],
	[
		'a foreign 404 of a known job is no end, and 502 does not count',
		{ mode: 'polling', read: (now) => (now < 100 ? ['running'] : now < 3_000 ? 404 : now < 5_000 ? 502 : ['succeeded']) },
		'job_stands running read: 0a | job_stands succeeded read: 6594a | learns running: 0a | read: 0a 500a 1250a 2375a 4063a 6594a | returns succeeded true: 6594a | wait_begins polling 900000: 0a',
	],
	[
		'a foreign 404 of an unknown job is thrown',
		{ mode: 'polling', read: () => 404 },
		'read: 0a | throws UnreadableAnswerError: 0a | wait_begins polling 900000: 0a',
	],
	[
		'a read is put off by Retry-After',
		{ mode: 'polling', read: (now) => (now < 100 ? ['running'] : now < 1_000 ? 429 : ['succeeded']), retryAfter: '3' },
		'job_stands running read: 0a | job_stands succeeded read: 3500a | learns running: 0a | read: 0a 500a 3500a | returns succeeded true: 3500a | wait_begins polling 900000: 0a',
	],
	[
		'a job that was just submitted is not read first',
		{ mode: 'polling', read: until(400), submitted: SUBMITTED },
		'job_stands succeeded read: 500a | read: 500a | returns succeeded true: 500a | wait_begins polling 900000: 0a',
	],
	[
		'a job that has ended when it was submitted is read',
		{ mode: 'polling', read: until(0), submitted: { ...SUBMITTED, status: 'failed' } },
		'job_stands succeeded read: 0a | read: 0a | returns succeeded true: 0a | wait_begins polling 900000: 0a',
	],
	[
		'durations that the service names come first',
		{
			read: () => [
				'succeeded',
				{
					metrics: { queue_ms: 0, execution_ms: 7 },
					created_at: '2026-01-01T00:00:00Z',
					started_at: '2026-01-01T00:00:03Z',
					completed_at: '2026-01-01T00:00:05Z',
				},
			],
		},
		'job_stands succeeded read: 0a | read: 0a | returns succeeded true 0 7: 0a | wait_begins live 900000: 0a',
	],
	[
		'durations are those between the times of the service',
		{
			read: () => [
				'succeeded',
				{
					metrics: { queue_ms: -1, execution_ms: '7' },
					created_at: '2026-01-01T00:00:00Z',
					started_at: '2026-01-01T00:00:03Z',
					completed_at: '2026-01-01T00:00:05Z',
				},
			],
		},
		'job_stands succeeded read: 0a | read: 0a | returns succeeded true 3000 2000: 0a | wait_begins live 900000: 0a',
	],
	[
		'durations below zero are none',
		{
			read: () => [
				'succeeded',
				{ created_at: '2026-01-01T00:00:03Z', started_at: '2026-01-01T00:00:03Z', completed_at: '2026-01-01T00:00:02Z' },
			],
		},
		'job_stands succeeded read: 0a | read: 0a | returns succeeded true 0: 0a | wait_begins live 900000: 0a',
	],
	[
		'a cancel is confirmed by reads',
		{ confirms: true, read: (now) => [now < 1_000 ? 'canceling' : 'canceled'], cancel: () => ['canceling'] },
		'cancel: 0a | cancel_answered canceled true: 1191a | cancels asked: 0a | read: 0a 251a 627a 1191a | returns canceled true: 1191a',
	],
	[
		'a cancel of what has ended is not confirmed',
		{ confirms: true, read: () => ['running'], cancel: () => ['succeeded'] },
		'cancel: 0a | cancel_answered succeeded false: 0a | cancels asked: 0a | read: 0a | returns succeeded false: 0a',
	],
	[
		'a cancel is confirmed by a job that is expired',
		{ confirms: true, read: () => ['running'], cancel: () => ['expired'] },
		'cancel: 0a | cancel_answered expired true: 0a | cancels asked: 0a | read: 0a | returns expired true: 0a',
	],
	[
		'a cancel is read for 10 s',
		{ confirms: true, read: () => ['canceling'], cancel: () => ['canceling'], forMs: 20_000 },
		'cancel: 0a | cancel_answered canceling false: 10001a | cancels asked: 0a | read: 0a 251a 627a 1191a 2036a 3303a 5203a 8052a 10001a | returns canceling false: 10001a',
	],
	[
		'a cancel is read for as long as is wanted',
		{ confirms: 300, read: () => ['canceling'], cancel: () => ['canceling'] },
		'cancel: 0a | cancel_answered canceling false: 301a | cancels asked: 0a | read: 0a 251a 301a | returns canceling false: 301a',
	],
	[
		'a cancel is stopped',
		{ confirms: true, read: () => ['canceling'], cancel: () => ['canceling'], stopAt: 300 },
		'cancel: 0a | cancels asked: 0a | read: 0a 251a | throws StoppedError: 300a',
	],
	[
		'a cancel without an answer is stopped',
		{ confirms: true, read: () => ['running'], cancel: () => undefined, stopAt: 300 },
		'cancel: 0a | cancels asked: 0a | read: 0a | throws StoppedError: 300a',
	],
	[
		'a read after a cancel is stopped',
		{ confirms: true, read: (now) => (now === 0 ? ['running'] : undefined), cancel: () => ['canceling'], stopAt: 300 },
		'cancel: 0a | cancels asked: 0a | read: 0a 251a | throws StoppedError: 300a',
	],
	[
		'a cancel is confirmed without a read where there is no time',
		{ confirms: 0, read: () => ['canceled'], cancel: () => ['canceling'] },
		'cancel: 0a | cancel_answered canceling false: 0a | cancels asked: 0a | read: 0a | returns canceling false: 0a',
	],
	[
		'a job that runs when it is first seen has no durations, even if it is queued later',
		{ mode: 'polling', read: (now) => [now < 600 ? 'running' : now < 1_300 ? 'queued' : now < 3_000 ? 'running' : 'succeeded'] },
		'job_stands queued read: 1250a | job_stands running read: 0a 2375a | job_stands succeeded read: 4063a | learns queued: 1250a | learns running: 0a 2375a | read: 0a 500a 1250a 2375a 4063a | returns succeeded true: 4063a | wait_begins polling 900000: 0a',
	],
	[
		'a job that never runs has no durations',
		{ mode: 'polling', read: (now) => [now < 600 ? 'queued' : 'succeeded'] },
		'job_stands queued read: 0a | job_stands succeeded read: 1250a | learns queued: 0a | read: 0a 500a 1250a | returns succeeded true: 1250a | wait_begins polling 900000: 0a',
	],
	[
		'an unknown status begins no duration',
		{ mode: 'polling', read: (now) => [now < 600 ? 'starting' : now < 1_300 ? 'running' : 'succeeded'] },
		'job_stands running read: 1250a | job_stands starting read: 0a | job_stands succeeded read: 2375a | learns running: 1250a | learns starting: 0a | read: 0a 500a 1250a 2375a | returns succeeded true: 2375a | wait_begins polling 900000: 0a',
	],
	[
		'a read that the end of the time cuts off says nothing of the service',
		{ mode: 'polling', read: (now) => (now < 400 ? 503 : undefined), maxWaitMs: 700 },
		'read: 0a 500a | throws ApiError: 700a | wait_begins polling 700: 0a',
	],
	[
		'a stream that one job may not have is no pause for another',
		{ ids: 'ab', read: until(1_000), stream: () => 403 },
		'events: 0ab | job_stands running read: 0ab | job_stands succeeded read: 1250a 1325b | learns running: 0ab | read: 0ab 500a 575b 1250a 1325b | returns succeeded true: 1250a 1325b | stream_refused ApiError: 0ab | wait_begins live 900000: 0ab',
	],
	[
		'a stream serves a wait that hands no events on',
		{
			ignoresEvents: true,
			read: until(900),
			stream: () => [alive, progress(10, 0.1), progress(20, 0.2), [1_000, 'status', { status: 'succeeded' }]],
		},
		'events: 0a | job_stands running read: 0a | job_stands succeeded stream: 1000a | learns running: 0a | read: 0a 1000a | returns succeeded true: 1000a | wait_begins live 900000: 0a',
	],
	[
		'a wait of no time reads the job once',
		{ maxWaitMs: 0, read: () => ['running'], stream: () => [alive] },
		'events: 0a | job_stands running read: 0a | learns running: 0a | read: 0a | returns running false: 0a | wait_begins live 0: 0a | wait_is_over running: 0a',
	],
	[
		'a wait without end waits for the end of the job',
		{ mode: 'polling', maxWaitMs: Infinity, read: until(600) },
		'job_stands running read: 0a | job_stands succeeded read: 1250a | learns running: 0a | read: 0a 500a 1250a | returns succeeded true: 1250a | wait_begins polling Infinity: 0a',
	],
	[
		'a wait that is stopped before it begins sends nothing',
		{ ids: 'ab', apartMs: 300, mode: 'polling', read: until(600), stopAt: 100, stopped: 'b' },
		'job_stands running read: 0a | job_stands succeeded read: 1250a | learns running: 0a | read: 0a 500a 1250a | returns succeeded true: 1250a | throws StoppedError: 300b | wait_begins polling 900000: 0a',
	],
	[
		'a stream is the next one’s when its wait is stopped and the service has had time to notice',
		{
			ids: 'ab',
			read: () => ['running'],
			stream: (now, id) => (id === 'a' || now > 1_000 ? [alive, progress(1, 0.1), progress(2, 0.2)] : 429),
			stopAt: 1_000,
			stopped: 'a',
			cancelOnStop: false,
			forMs: 2_000,
		},
		'events: 0ab 1250b | hears progress 0.1: 1a 1251b | hears progress 0.2: 2a 1252b | hears status: 0a 1250b | job_stands running read: 0ab | learns running: 0ab | read: 0ab 500b 1250b | stream_refused ApiError: 0b | throws StoppedError: 1000a | wait_begins live 900000: 0ab',
	],
	[
		'keep-alives are a sign of life of a stream',
		{
			read: () => ['running'],
			stream: () => [alive, progress(1, 0.1), progress(2, 0.2), [40_000, ''], [80_000, '']],
			from: 40_000,
			forMs: 89_000,
		},
		'read: 60000a',
	],
	[
		'X: a stream that ends with a rejection is replaced by reads',
		{
			read: until(2_000),
			stream: () => [alive, [100, 'error', { error: { code: 'upstream_unreachable', message: 'No' } }]],
		},
		'events: 0a | hears status: 0a | job_stands running read: 0a | job_stands succeeded read: 2475a | learns running: 0a | read: 0a 100a 600a 1350a 2475a | returns succeeded true: 2475a | stream_lost 100 ApiError: 100a | wait_begins live 900000: 0a',
	],
	[
		'L4: the job of a wait that ends before it stands as the stream reported last',
		{
			maxWaitMs: 900,
			submitted: { ...SUBMITTED, queue_position: 3 },
			read: () => ['queued'],
			stream: () => [
				[0, 'status', { status: 'queued', queue_position: 2 }],
				progress(300, 0.2, { nodes_total: 2 }),
				progress(600, 0.4, { nodes_total: 2 }),
			],
		},
		'events: 0a | hears progress 0.2: 300a | hears progress 0.4: 600a | hears status: 0a | job_stands queued 2 stream: 0a | job_stands running stream: 300a | returns running 0.4 false 300: 900a | wait_begins live 900: 0a | wait_is_over running: 900a',
	],
	[
		'L4: a job keeps the progress of its stream when a read returns zeros',
		{
			maxWaitMs: 900,
			read: () => ['running', { progress: { value: 0 } }],
			stream: (now) => (now === 0 ? [alive, progress(100, 0.2, { nodes_total: 2 }), progress(200, 0.4, { nodes_total: 2 }), [300]] : 501),
		},
		'events: 0a 401a | hears progress 0.2: 100a | hears progress 0.4: 200a | hears status: 0a | job_stands running read: 0a | learns running 0: 0a | read: 0a 300a 800a | returns running 0.4 false: 900a | stream_lost 300 ConnectionError: 300a | stream_refused ApiError: 401a | wait_begins live 900: 0a | wait_is_over running: 900a',
	],
	[
		'L14: progress does not fall when the next stream begins with an older state',
		{
			read: until(1_000),
			stream: (now) =>
				now === 0
					? [alive, progress(100, 0.2, { nodes_total: 2 }), progress(200, 0.4, { nodes_total: 2 }), [300]]
					: [alive, progress(1, 0.1, { nodes_total: 2 }), progress(2, 0.6, { nodes_total: 2 }), [700, 'status', { status: 'succeeded' }]],
		},
		'events: 0a 401a | hears progress 0.2: 100a | hears progress 0.4: 200a 402a | hears progress 0.6: 403a | hears status: 0a 401a 1101a | job_stands running read: 0a | job_stands succeeded stream: 1101a | learns running: 0a | read: 0a 300a 1101a | returns succeeded true: 1101a | stream_lost 300 ConnectionError: 300a | wait_begins live 900000: 0a',
	],
	[
		'L2: a stream that misses the end of a fast job is checked after 1 s',
		{ read: until(500), stream: () => [alive], submitted: SUBMITTED },
		'events: 0a | hears status: 0a 1001a | job_stands running stream: 0a | job_stands succeeded stream: 1001a | read: 1001aa | returns succeeded true 0 1001: 1001a | wait_begins live 900000: 0a',
	],
	[
		'L2: a silent stream is checked twice, and then not for long',
		{ read: until(20_000), stream: () => [alive], submitted: SUBMITTED, forMs: 29_000 },
		'events: 0a | hears status: 0a | job_stands running stream: 0a | read: 1001a 3002a | wait_begins live 900000: 0a',
	],
	[
		'a rejected read of a known job is thrown',
		{ mode: 'polling', read: (now) => (now < 100 ? ['running'] : 403) },
		'job_stands running read: 0a | learns running: 0a | read: 0a 500a | throws ApiError: 500a | wait_begins polling 900000: 0a',
	],
];

test.each(ROWS)('%s', async (_name, story, expected) => {
	jest.spyOn(Math, 'random').mockReturnValue(0.5);
	expect(await timeline(story)).toEqual(expected.split(' | '));
});
