import { type Execution, itemsOf } from '../../scripts/n8nHost';
import { formRun, ONE_ATTEMPT, RUNS, routerWays } from './support/router';
import { openSession, type Session } from './support/session';
import { until } from './support/until';
import { chain } from './support/workflows';

const NODE = 'comfyRunRouterModel';

let session: Session;
beforeAll(async () => {
	session = await openSession();
});
afterAll(() => session.close());
afterEach(() => session.sandbox.clearFaults());

async function fileOf(execution: Execution): Promise<Buffer> {
	const [item] = itemsOf(execution, NODE);
	return await session.rest.binary(item?.binary?.data?.id ?? 'none');
}

test.each(routerWays)('a run returns the file its output names, with a %s credential', async (way) => {
	const options = { downloadResultFiles: true };
	const execution = await session.execute(
		chain(`a picture, ${way}`, formRun('aurora/image-2', { prompt: '2024', 'size.width': 64, 'size.height': 48 }, { options }, { way })),
	);
	expect(execution.data.resultData.error).toBeUndefined();
	expect(itemsOf(execution, NODE)[0]?.json).toMatchObject({
		model: 'aurora/image-2',
		credits_used: expect.stringMatching(/^\d+(\.\d+)?$/),
		output: { images: [{ width: 64, height: 48 }] },
		files: [{ path: 'images[0].url', binary_field: 'data' }],
	});
	expect((await fileOf(execution)).subarray(1, 4).toString()).toBe('PNG');
});

test('a model that answers with bytes returns them as a file', async () => {
	const execution = await session.execute(chain('words', formRun('lab/speech', { text: 'Hello' })));
	expect(itemsOf(execution, NODE)[0]?.json).toMatchObject({ output: null, files: [{ file_name: 'speech.wav' }] });
	expect((await fileOf(execution)).subarray(0, 4).toString()).toBe('RIFF');
});

test('Retry On Fail after a lost answer bills once', async () => {
	const { sandbox } = session;
	sandbox.resetRecords();
	const billed = sandbox.ledger.routerRuns.length;
	sandbox.inject({ on: RUNS, fault: { kind: 'drop_after' } });
	const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
	const execution = await session.execute(chain('a lost answer', formRun('lab/free', { prompt: 'once' }, ONE_ATTEMPT, retrying)));

	expect(execution.status).toBe('success');
	expect(itemsOf(execution, NODE)[0]?.json).toMatchObject({ replayed: true, output: { input: { prompt: 'once' } } });
	const keys = sandbox.requests(RUNS).map(({ headers }) => headers['idempotency-key']);
	expect(keys).toHaveLength(2);
	expect(new Set(keys).size).toBe(1);
	expect(sandbox.ledger.routerRuns).toHaveLength(billed + 1);
});

test('stopping the execution cancels the queued request it waits for', async () => {
	const { sandbox, rest } = session;
	sandbox.setRouterConcurrency(0);
	const id = await session.start(chain('a queued run', formRun('lab/free', { prompt: 'stop' }, { delivery: 'queued' })));
	await until('the request to be asked for', () => sandbox.requests('GET *', 'router').find(({ path }) => path.includes('/requests/')));
	await rest.stop(id);
	await until('the cancellation', () =>
		sandbox.requests('PUT *', 'router').find(({ path, status }) => path.endsWith('/cancel') && status !== null),
	);
	expect((await rest.waitFor(id)).status).toBe('canceled');
	sandbox.setRouterConcurrency(Infinity);
});
