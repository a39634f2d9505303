/** Everything that is asked of the model router. The key of a run is the cell's mark. */
import { connectRouter, isRecord, type RouterOutput, type RouterRequestAddress, type RouterSettings } from '../../../client';
import { collect } from '../../client/support/bytes';
import type { Call, CallContext, Expects, Outcome } from '../shapes';
import { ANOTHER_OUTPUT, ofCancel, ofEstimate, ofFollowed, ofPrefix, ofRead, ofRun } from './routerOutcomes';
import { paidRuns } from './speakers';

const OPEN = 'lab/open';
/** The price of a run, in US dollars. */
const OPEN_USD = 0.05;
const STORED = 'lab/stored-failure';
const SPEECH = 'lab/speech';
const SLOW = 'lab/slow';
const IMAGE = 'lab/image';
/** Long enough for a cancellation. No test waits for its end. */
const NEVER_MS = 600_000;

type Work<T> = (connection: ReturnType<typeof connectRouter>) => Promise<T>;

async function withRouter<T>(
	{ sandbox, urls }: Pick<CallContext, 'sandbox' | 'urls'>,
	work: Work<T>,
	prefix: RouterSettings['prefix'] = '/v2',
) {
	const connection = connectRouter({ baseUrl: urls.router, credential: { kind: 'apiKey', key: sandbox.keys.apiKey }, prefix });
	try {
		return await work(connection);
	} finally {
		await connection.close();
	}
}

/** Past the proxy: what a call begins with. */
const beforehand = async <T>({ sandbox }: CallContext, work: Work<T>): Promise<T> =>
	await withRouter({ urls: sandbox.urls, sandbox }, work);

const keyed = ({ mark }: CallContext) => ({ idempotencyKey: mark, maxWaitMs: 120_000 });
const inputOf = ({ mark }: CallContext) => ({ prompt: mark });

function must(isSo: boolean, what: string): void {
	if (!isSo) throw new Error(`What came is not what was asked for: ${what}`);
}

/** The input comes back. */
function echoed(context: CallContext, output: RouterOutput | undefined): Outcome | undefined {
	const value = output?.kind === 'json' ? output.value : undefined;
	const input = isRecord(value) && isRecord(value.input) ? value.input : {};
	return input.prompt === context.mark ? undefined : ANOTHER_OUTPUT;
}

/** An accepted request. Only tests of ended requests wait for it. */
async function accepted(
	context: CallContext,
	model: string,
	input: Record<string, unknown>,
	isEnded = false,
): Promise<RouterRequestAddress> {
	return await beforehand(context, async ({ router }) => {
		const leaving = new AbortController();
		let id: string | undefined;
		await router
			.runQueued(model, input, {
				...keyed(context),
				shutdownSignal: leaving.signal,
				onSubmitted: (request) => {
					id = request.id;
					if (!isEnded) leaving.abort();
				},
			})
			.catch(() => undefined);
		if (id === undefined) throw new Error('Nothing was accepted');
		return { model, id };
	});
}

interface Parts extends Partial<Call> {
	prefix?: RouterSettings['prefix'];
}

const routed = (
	name: string,
	on: string,
	expects: Expects,
	work: (connection: ReturnType<typeof connectRouter>, context: CallContext) => Promise<Outcome | void>,
	{ prefix, ...more }: Parts = {},
): Call => ({
	name: `router ${name}`,
	wire: 'json',
	on,
	at: 'router',
	words: 'router',
	repeatable: true,
	expects,
	run: async (context) => await withRouter(context, async (connection) => await work(connection, context), prefix),
	...more,
});

/** Keyed: however often it is sent, it is one run. */
const paid: typeof routed = (name, on, expects, work, more) => routed(name, on, expects, work, { ...more, billed: paidRuns });

const direct = async ({ router }: ReturnType<typeof connectRouter>, context: CallContext): Promise<Outcome | void> =>
	echoed(context, (await router.run(OPEN, inputOf(context), keyed(context))).output);
const queued = async ({ router }: ReturnType<typeof connectRouter>, context: CallContext): Promise<Outcome | void> =>
	echoed(context, (await router.runQueued(OPEN, inputOf(context), keyed(context))).output);

const REQUESTS = (model: string) => `/v2/models/${model}/requests`;

export const routerCalls: readonly Call[] = [
	routed('access', 'GET /v2/models', ofPrefix(true), async (connection) => void (await connection.verifyAccess()), { prefix: 'automatic' }),
	routed('models', 'GET /v2/models', ofRead(), async ({ router }) => {
		const ids: string[] = [];
		for await (const { id } of router.models()) ids.push(id);
		must(ids.includes(OPEN) && new Set(ids).size === ids.length, ids.join());
	}),
	routed('schema', `GET /v2/models/${IMAGE}/openapi.json`, ofRead(), async ({ router }) =>
		must((await router.inputSchema(IMAGE)).authored, 'a schema'),
	),
	routed('estimate', `POST /v2/models/${OPEN}/estimate`, ofEstimate, async ({ router }, context) => {
		const { source, amount_usd: amount } = await router.estimate(OPEN, inputOf(context));
		must(amount === (source === 'unknown' ? null : OPEN_USD), 'its amount');
		return source === 'unknown' ? ANOTHER_OUTPUT : undefined;
	}),
	paid('run', `POST /v2/models/${OPEN}`, ofRun({ isOutput: true }), direct),
	paid('run of a found prefix', 'GET /v2/models', ofPrefix(false), direct, { prefix: 'automatic' }),
	paid(
		'run to a file',
		`POST /v2/models/${SPEECH}`,
		ofRun({ isOutput: true }),
		async ({ router }, context) => {
			const { output } = await router.run(SPEECH, { text: context.mark }, keyed(context));
			const bytes = output.kind === 'bytes' ? await collect(output.bytes) : Buffer.alloc(0);
			must(bytes.length > 0 && output.kind === 'bytes' && output.sizeBytes === bytes.length, 'a file of its size');
		},
		{ wire: 'file' },
	),
	paid('queue', `POST ${REQUESTS(OPEN)}`, ofRun({ isOutput: false, isFollowed: true }), queued),
	paid('queued result', `GET ${REQUESTS(OPEN)}/*`, ofFollowed({ isSent: true }), queued),
	paid(
		'collect of a bad end',
		`GET ${REQUESTS(STORED)}/*`,
		ofFollowed({ otherwise: 'api 200 client_disconnected' }),
		async ({ router }, context) => {
			const { facts, output } = await router.collect(await accepted(context, STORED, inputOf(context)), keyed(context));
			must(facts.error_type === 'client_disconnected', 'the word of its end');
			return echoed(context, output);
		},
	),
	paid('request status', `GET ${REQUESTS(OPEN)}/*/status`, ofRead(), async ({ router }, context) => {
		const address = await accepted(context, OPEN, inputOf(context), true);
		must((await router.requestStatus(address)).status === 'COMPLETED', 'its status');
	}),
	paid('request result', `GET ${REQUESTS(OPEN)}/*`, ofRead({ isOutput: true }), async ({ router }, context) => {
		const address = await accepted(context, OPEN, inputOf(context), true);
		return echoed(context, (await router.requestResult(address))?.output);
	}),
	routed('cancel', `PUT ${REQUESTS(SLOW)}/*/cancel`, ofCancel, async ({ router }, context) => {
		const address = await accepted(context, SLOW, { ms: NEVER_MS, note: context.mark });
		try {
			await router.cancelRequest(address);
			must((await router.requestStatus(address)).error_type === 'cancelled', 'that it is cancelled');
		} finally {
			await beforehand(context, async (past) => await past.router.cancelRequest(address));
		}
	}),
];
