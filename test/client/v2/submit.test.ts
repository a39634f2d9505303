import { StoppedError, type ApiGraph } from '../../../client';
import { failureOf } from '../support/bytes';
import { newGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';
import { runFaster } from '../../support/fastClock';

const harness = useSandbox();
const SUBMIT = 'POST /api/v2/jobs';

const newKey = (): string => crypto.randomUUID();
const keysSent = () => harness.sandbox.requests(SUBMIT).map(({ headers }) => headers['idempotency-key']);
const runsOf = (graph: ApiGraph) => harness.sandbox.jobs().filter((job) => JSON.stringify(job.graph) === JSON.stringify(graph));

test('a submission sends graph, extra data and key in one request', async () => {
	const graph = newGraph();
	const key = 'x'.repeat(255);
	const { jobs } = harness.connect();
	const job = await jobs.submit({ graph, extraData: { api_key_comfy_org: harness.sandbox.keys.partnerKey } }, { idempotencyKey: key });
	expect(job).toMatchObject({ interface: 'v2', status: 'queued', job_id: runsOf(graph)[0]?.id });
	expect(keysSent()).toEqual([key]);
	expect(harness.sandbox.ledger.runs.at(-1)).toMatchObject({ idempotencyKey: key, partnerKeyField: 'api_key_comfy_org' });
});

test.each(['', 'x'.repeat(256), 'line\nbreak', 'ключ', ' padded '])(
	'the key %j is refused before anything is sent',
	async (idempotencyKey) => {
		await expect(harness.connect().jobs.submit({ graph: newGraph() }, { idempotencyKey })).rejects.toMatchObject({
			facts: { fault: 'bad_values' },
		});
		expect(harness.sandbox.requests()).toHaveLength(0);
	},
);

describe('a busy service', () => {
	runFaster(10);

	test('a Retry-After beyond the budget gets one last try at its end', async () => {
		harness.sandbox.inject({ on: SUBMIT, times: Infinity, answer: { status: 429, code: 'queue_full', retryAfter: 50 } });
		const failure = await failureOf(
			harness.connect().jobs.submit({ graph: newGraph() }, { idempotencyKey: newKey(), retryBudgetMs: 20_000 }),
		);
		expect(failure).toMatchObject({ code: 'queue_full', retryAfterMs: 50_000 });
		expect(harness.sandbox.requests(SUBMIT)).toHaveLength(2);
	});

	test('a Retry-After of 0 makes no hot loop', async () => {
		harness.sandbox.inject({ on: SUBMIT, times: Infinity, answer: { status: 429, code: 'queue_full', retryAfter: 0 } });
		await failureOf(harness.connect().jobs.submit({ graph: newGraph() }, { retryBudgetMs: 1_200 }));
		expect(harness.sandbox.requests(SUBMIT).length).toBeLessThanOrEqual(3);
	});
});

test.each([
	[402, 'insufficient_credits'],
	[422, 'invalid_workflow'],
])('a rejection after the key check (%d) proves that an attempt whose answer was lost made no job', async (status, code) => {
	harness.sandbox.inject({ on: SUBMIT, fault: { kind: 'drop_before' } });
	harness.sandbox.inject({ on: SUBMIT, answer: { status, code } });
	expect(await failureOf(harness.connect().jobs.submit({ graph: newGraph() }, { idempotencyKey: newKey() }))).toMatchObject({ code });
});

test('a stop ends the wait for a busy service', async () => {
	harness.sandbox.inject({ on: SUBMIT, times: Infinity, answer: { status: 429, code: 'queue_full', retryAfter: 50 } });
	const failure = await failureOf(harness.connect().jobs.submit({ graph: newGraph() }, { signal: AbortSignal.timeout(100) }));
	expect(failure).toBeInstanceOf(StoppedError);
});
