/** Waits on a clock that stands still, against a service whose answers each test writes. */
import { cancelAndConfirm, clock, connect, type Job, waitForJob, type WaitOptions, type WaitOutcome } from '../../../../client';
import { type Observer, withObserver } from '../../../../client/log/observer';
import { useStillClock } from '../../../support/stillClock';
import { serve, type TestServer } from '../../support/server';

/** A status of HTTP, one of a job with further fields, a body, or undefined for no answer. */
type Answer = number | [status: string, fields?: object] | object | undefined;
/** Milliseconds after the stream opens, and the event: a comment if its name is empty, and without a name the connection drops. */
type Frames = Array<[inMs: number, event?: string, data?: object]>;

export interface Scenario extends Partial<Omit<WaitOptions, 'signal' | 'shutdownSignal'>> {
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
	/** The waits of `stopped` (all) are stopped then, or end because of a shutdown. */
	stopAt?: number;
	stopped?: string;
	shutdownAt?: number;
	/** Cancels the jobs and confirms it, and does not wait for them. */
	confirms?: number | true;
	/** Without `onEvent`. */
	ignoresEvents?: true;
	/** The timeline begins and ends then. */
	from?: number;
	forMs?: number;
}

const QUIET_TURNS = 10;
/** A test that needs more moves of the clock has a timer for each millisecond. */
const MOST_MOVES = 1_000;
const moveOn = useStillClock();
afterEach(() => jest.restoreAllMocks());

/** Writes down what happens: for each text its times in milliseconds, with the ids of the jobs, or + for each read of the list. */
class Timeline {
	private readonly entries = new Map<string, Map<number, string>>();
	private readonly lastRead = new Map<string, string>();
	private activity = 0;
	isOver = false;

	constructor(private readonly from: number) {}

	add(id: string, ...words: unknown[]): void {
		this.markActive();
		if (this.isOver || clock.now() < this.from) return;
		const at = Math.round(clock.now());
		const text = words.filter((word) => word !== '' && word !== undefined && word !== null).join(' ');
		const times = this.entries.get(text) ?? new Map<number, string>();
		this.entries.set(text, times.set(at, [...(times.get(at) ?? ''), id].sort().join('')));
	}

	/** Adds a state of a job that differs from the one before. */
	addRead(id: string, { status, queue_position: position, progress }: Job): void {
		const text = [status, position, progress?.value].join(' ');
		if (text !== this.lastRead.get(id)) this.add(id, 'learns', status, position, progress?.value);
		this.lastRead.set(id, text);
	}

	markActive(): void {
		this.activity += 1;
	}

	/** Resolves when sockets and promises have nothing left to do at this time of the clock. */
	async untilQuiet(): Promise<void> {
		for (let quiet = 0, before = this.activity; quiet < QUIET_TURNS; quiet++) {
			await new Promise((resolve) => setImmediate(resolve));
			if (this.activity !== before) [quiet, before] = [0, this.activity];
		}
	}

	lines(): string[] {
		return [...this.entries].map(([text, times]) => `${text}: ${[...times].map(([at, ids]) => `${at}${ids}`).join(' ')}`).sort();
	}
}

/** Starts a service that answers as the scenario says. */
async function serveScenario({ read, stream, list, cancel, openMs = 0, retryAfter }: Scenario, timeline: Timeline): Promise<TestServer> {
	return await serve(({ method, url }, response) => {
		const [, id = '', route = '', query = ''] = /jobs\/?([^/?]*)\/?([^?]*)\??(.*)$/.exec(url) ?? [];
		timeline.add(id || '+', id === '' ? 'list' : route || 'read', decodeURIComponent(query));
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
			timeline.markActive();
			response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
			for (const [inMs, event, data] of frames)
				clock.after(inMs, () => {
					timeline.markActive();
					if (event === undefined) response.destroy();
					else if (event === '') response.write(': keep-alive\n\n');
					else response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
				});
		};
		if (openMs > 0) clock.after(openMs, open);
		else open();
	});
}

/** Runs the waits of a scenario. @returns what they send, decide, learn and return. */
async function runScenario(scenario: Scenario): Promise<string[]> {
	const {
		ids = 'a',
		apartMs = 0,
		from = 0,
		forMs = 10_000,
		stopped = ids,
		stopAt,
		shutdownAt,
		confirms,
		ignoresEvents,
		...options
	} = scenario;
	const timeline = new Timeline(from);
	const service = await serveScenario(scenario, timeline);
	const connection = connect({ interface: 'v2', baseUrl: service.origin, readBudgetMs: 0 });
	const [stop, shutdown, over] = [new AbortController(), new AbortController(), new AbortController()];
	if (stopAt !== undefined) clock.after(stopAt, () => stop.abort());
	if (shutdownAt !== undefined) clock.after(shutdownAt, () => shutdown.abort());

	const observerOf = (id: string): Observer => ({
		onExchange: () => undefined,
		onDecision: ({ kind, ...facts }) => {
			const words = Object.entries(facts).map(([name, fact]) => (name === 'jobId' ? '' : fact instanceof Error ? fact.name : fact));
			timeline.add(id, kind, ...words);
		},
	});
	const runJob = async (id: string): Promise<Partial<WaitOutcome> & { confirmed?: boolean }> => {
		const signal = stopped.includes(id) ? AbortSignal.any([stop.signal, over.signal]) : over.signal;
		if (confirms !== undefined)
			return await cancelAndConfirm(connection.jobs, id, { signal, withinMs: confirms === true ? undefined : confirms });
		return await waitForJob(connection.jobs, id, {
			mode: 'live',
			maxWaitMs: 900_000,
			...options,
			signal,
			...(shutdownAt !== undefined && { shutdownSignal: AbortSignal.any([signal, shutdown.signal]) }),
			onEvent: ignoresEvents
				? undefined
				: (event) => timeline.add(id, 'hears', event.kind, event.kind === 'progress' ? event.progress.value : ''),
			onRead: (job) => timeline.addRead(id, job),
		});
	};
	const runAndNote = async (id: string, index: number): Promise<void> => {
		if (index * apartMs > 0) await new Promise<void>((resolve) => clock.after(index * apartMs, resolve));
		await withObserver(observerOf(id), async () => await runJob(id)).then(
			({ job, finished, confirmed, cancelError, queuedMs, ranMs }) => {
				const state = [job?.status, job?.service_status === job?.status ? '' : `(${job?.service_status})`, job?.queue_position];
				const facts = [job?.progress?.value, finished ?? confirmed, cancelError && 'not canceled', queuedMs, ranMs];
				timeline.add(id, 'returns', ...state, ...facts);
			},
			(error: Error) => timeline.add(id, 'throws', error.name),
		);
	};

	const waits = Promise.all([...ids].map(runAndNote));
	await timeline.untilQuiet();
	let moves = 0;
	for (let inMs = moveOn.nextIn(); clock.now() + inMs <= forMs; inMs = moveOn.nextIn()) {
		if (++moves > MOST_MOVES) throw new Error('The waits keep the clock busy');
		moveOn(inMs);
		await timeline.untilQuiet();
	}
	timeline.isOver = true;
	over.abort();
	await service.close();
	for (let isDone = false; !isDone; await timeline.untilQuiet()) {
		moveOn(Math.min(moveOn.nextIn(), 60_000));
		isDone = await Promise.race([waits.then(() => true), timeline.untilQuiet().then(() => false)]);
	}
	await connection.close();
	return timeline.lines();
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
export type TimelineRow = [name: string, scenario: Scenario, expected: string];

export const testTimelines = (rows: TimelineRow[]): void =>
	test.each(rows)('%s', async (_name, scenario, expected) => {
		jest.spyOn(Math, 'random').mockReturnValue(0.5);
		expect(await runScenario(scenario)).toEqual(expected.split(' | '));
	});
