/** Waits on a clock that stands still, against a service whose answers each test writes. */
import { cancelAndConfirm, clock, connect, type Job, waitForJob, type WaitOptions, type WaitResult } from '../../../../client';
import { type Decision, observed } from '../../../../client/observer';
import { useStillClock } from '../../../support/stillClock';
import { serve } from '../../support/server';

/** A status of HTTP, one of a job with further fields, a body, or undefined for no answer. */
type Answer = number | [status: string, fields?: object] | object | undefined;
/** Milliseconds after the stream opens, and the event: a comment if its name is empty, and without a name the connection drops. */
type Frames = Array<[inMs: number, event?: string, data?: object]>;

export interface Story extends Partial<Omit<WaitOptions, 'signal' | 'leaving'>> {
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
		await observed(observer, act).then(
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

export const until =
	(ms: number, status = 'running') =>
	(now: number): [string] => [now < ms ? status : 'succeeded'];
export const entries = (ids: string, status: string, fields: object = {}): object[] => [...ids].map((id) => ({ id, status, ...fields }));
export const time = (day: number): string => `2026-01-0${day}T00:00:00Z`;
export const alive: Frames[number] = [0, 'status', { status: 'running' }];
export const progress = (inMs: number, value: number, fields: object = {}): Frames[number] => [inMs, 'progress', { value, ...fields }];

export const SUBMITTED = {
	status: 'queued',
	service_status: 'queued',
	job_id: 'a',
	urls: { self: null, events: null, cancel: null },
} as Job;

/** The name of a test, what happens in it, and the lines that its timeline must have. */
export type TimelineRow = [name: string, story: Story, expected: string];

export const testTimelines = (rows: TimelineRow[]): void =>
	test.each(rows)('%s', async (_name, story, expected) => {
		jest.spyOn(Math, 'random').mockReturnValue(0.5);
		expect(await timeline(story)).toEqual(expected.split(' | '));
	});
