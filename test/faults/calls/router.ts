/** Everything that is asked of the model router. The key of a run is the cell's mark. */
import {
	connectRouter,
	isRecord,
	type ModelRouter,
	type RouterOutput,
	type RouterRequestAddress,
	type RouterSettings,
} from '../../../client';
import { collect } from '../../client/support/bytes';
import { unreadable } from '../outcomes';
import type { Attempts, Call, Door, Expectation, Fault, Outcome } from '../shapes';
import { ANOTHER_OUTPUT, asCancel, asFollowed, asPrefix, asRead, asRun } from './routerOutcomes';

const OPEN = 'lab/open';
const STORED = 'lab/stored-failure';
const SPEECH = 'lab/speech';
const SLOW = 'lab/slow';
const IMAGE = 'lab/image';
/** Long enough for one of its own to meet a cancellation; nobody waits for it. */
const NEVER_MS = 600_000;
const MAX_WAIT_MS = 120_000;

async function withRouter<T>(door: Door, work: (router: ModelRouter) => Promise<T>, settings: Partial<RouterSettings> = {}): Promise<T> {
	const connection = open(door, settings);
	try {
		return await work(connection.router);
	} finally {
		await connection.close();
	}
}

const open = ({ urls, sandbox }: Pick<Door, 'urls' | 'sandbox'>, settings: Partial<RouterSettings> = {}) =>
	connectRouter({
		baseUrl: urls.router,
		credential: { kind: 'apiKey', key: sandbox.keys.apiKey },
		prefix: '/v2',
		...settings,
	});

/** Around the proxy: what a call begins with. */
async function beforehand<T>({ sandbox }: Door, work: (router: ModelRouter) => Promise<T>): Promise<T> {
	return await withRouter({ urls: sandbox.urls, sandbox } as Door, work);
}

const billed = ({ sandbox, mark }: Door): number =>
	sandbox.ledger.routerRuns.filter(({ idempotencyKey }) => idempotencyKey === mark).length;

const keyed = ({ mark }: Door) => ({ idempotencyKey: mark, maxWaitMs: MAX_WAIT_MS });
const inputOf = ({ mark }: Door) => ({ prompt: mark });

function must(isSo: boolean, what: string): void {
	if (!isSo) throw new Error(`What came is not what was asked for: ${what}`);
}

/** The input comes back. */
function echoed(door: Door, output: RouterOutput | undefined): Outcome | undefined {
	const value = output?.kind === 'json' ? output.value : undefined;
	const input = isRecord(value) && isRecord(value.input) ? value.input : {};
	return input.prompt === door.mark ? undefined : ANOTHER_OUTPUT;
}

/** A request that has been accepted, and that nobody waits for. */
async function accepted(door: Door, model: string, input: Record<string, unknown>): Promise<RouterRequestAddress> {
	return await beforehand(door, async (router) => {
		const leaving = new AbortController();
		let id: string | undefined;
		await router
			.runQueued(model, input, {
				...keyed(door),
				leaving: leaving.signal,
				onSubmitted: (request) => {
					id = request.id;
					leaving.abort();
				},
			})
			.catch(() => undefined);
		if (id === undefined) throw new Error('Nothing was accepted');
		return { model, id };
	});
}

/** The same, when it has ended. */
async function ended(door: Door, model: string): Promise<RouterRequestAddress> {
	return await beforehand(door, async (router) => {
		let id = '';
		await router.runQueued(model, inputOf(door), { ...keyed(door), onSubmitted: (request) => void (id = request.id) });
		return { model, id };
	});
}

type Told = (fault: Fault, attempts: Attempts) => Expectation | undefined;

/** @param told how it ends, by what kind of call it is. */
function routed(name: string, on: string, told: (call: Call) => Told, run: Call['run'], more: Partial<Call> = {}): Call {
	const call: Call = { name, wire: 'json', on, at: 'router', repeatable: true, run, ...more };
	return { ...call, expects: told(call) };
}
const read = (name: string, on: string, run: Call['run'], more?: Partial<Call>): Call =>
	routed(name, on, (call) => asRead(call), run, more);
/** Keyed: however often it is sent, it is one run. */
const paid = (name: string, on: string, told: (call: Call) => Told, run: Call['run'], more: Partial<Call> = {}): Call =>
	routed(name, on, told, run, { ...more, billed });

const OUTPUT = { isOutput: true };

const REQUESTS = (model: string) => `/v2/models/${model}/requests`;

export const routerCalls: readonly Call[] = [
	routed(
		'router access',
		'GET /v2/models',
		(call) => asPrefix(call, true),
		async (door) => {
			const connection = open(door, { prefix: 'automatic' });
			try {
				await connection.verifyAccess();
			} finally {
				await connection.close();
			}
		},
	),
	read('router models', 'GET /v2/models', async (door) =>
		withRouter(door, async (router) => {
			const ids: string[] = [];
			for await (const { id } of router.models()) ids.push(id);
			must(ids.includes(OPEN) && new Set(ids).size === ids.length, ids.join());
		}),
	),
	read(
		'router schema',
		`GET /v2/models/${IMAGE}/openapi.json`,
		async (door) => withRouter(door, async (router) => must((await router.inputSchema(IMAGE)).authored, 'a schema')),
		{ tooDeep: unreadable('not_json') },
	),
	paid(
		'router run',
		`POST /v2/models/${OPEN}`,
		(call) => asRun(call, OUTPUT),
		async (door) => withRouter(door, async (router) => echoed(door, (await router.run(OPEN, inputOf(door), keyed(door))).output)),
	),
	paid(
		'router run of a found prefix',
		'GET /v2/models',
		(call) => asPrefix(call, false),
		async (door) =>
			withRouter(door, async (router) => echoed(door, (await router.run(OPEN, inputOf(door), keyed(door))).output), {
				prefix: 'automatic',
			}),
	),
	paid(
		'router run to a file',
		`POST /v2/models/${SPEECH}`,
		(call) => asRun(call, OUTPUT),
		async (door) =>
			withRouter(door, async (router) => {
				const { output } = await router.run(SPEECH, { text: door.mark }, keyed(door));
				const bytes = output.kind === 'bytes' ? await collect(output.bytes) : Buffer.alloc(0);
				must(bytes.length > 0 && output.kind === 'bytes' && output.sizeBytes === bytes.length, 'a file of its size');
			}),
		{ wire: 'file' },
	),
	paid(
		'router queue',
		`POST ${REQUESTS(OPEN)}`,
		(call) => asRun(call, { isOutput: false, isFollowed: true }),
		async (door) => withRouter(door, async (router) => echoed(door, (await router.runQueued(OPEN, inputOf(door), keyed(door))).output)),
	),
	paid(
		'router queued result',
		`GET ${REQUESTS(OPEN)}/*`,
		(call) => asFollowed(call, { isOutput: true, isSent: true }),
		async (door) => withRouter(door, async (router) => echoed(door, (await router.runQueued(OPEN, inputOf(door), keyed(door))).output)),
	),
	paid(
		'router collect of a bad end',
		`GET ${REQUESTS(STORED)}/*`,
		(call) => asFollowed(call, { isOutput: true, otherwise: 'api 200 client_disconnected' }),
		async (door) => {
			const address = await accepted(door, STORED, inputOf(door));
			return await withRouter(door, async (router) => {
				const { facts, output } = await router.collect(address, keyed(door));
				must(facts.error_type === 'client_disconnected', 'the word of its end');
				return echoed(door, output);
			});
		},
	),
	paid(
		'router request status',
		`GET ${REQUESTS(OPEN)}/*/status`,
		(call) => asRead(call),
		async (door) => {
			const address = await ended(door, OPEN);
			await withRouter(door, async (router) => must((await router.requestStatus(address)).status === 'COMPLETED', 'its status'));
		},
	),
	paid(
		'router request result',
		`GET ${REQUESTS(OPEN)}/*`,
		(call) => asRead(call, OUTPUT),
		async (door) => {
			const address = await ended(door, OPEN);
			return await withRouter(door, async (router) => echoed(door, (await router.requestResult(address))?.output));
		},
	),
	routed(
		'router cancel',
		`PUT ${REQUESTS(SLOW)}/*/cancel`,
		(call) => asCancel(call),
		async (door) => {
			const address = await accepted(door, SLOW, { ms: NEVER_MS, note: door.mark });
			await withRouter(door, async (router) => {
				await router.cancelRequest(address);
				must((await router.requestStatus(address)).error_type === 'cancelled', 'that it is cancelled');
			}).finally(async () => await beforehand(door, async (router) => await router.cancelRequest(address)));
		},
	),
];
