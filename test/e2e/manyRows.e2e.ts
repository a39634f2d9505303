import { itemsOf } from '../../scripts/n8nHost/documents';
import { gatedPicture } from './support/graphs';
import { openSession, type Session } from './support/session';
import { until } from './support/until';
import { chain, comfy, items } from './support/workflows';

const ROWS = 500;
const LIMIT = 5;
const BAD = 37;

let session: Session;
beforeAll(async () => {
	session = await openSession();
});
afterAll(() => session.close());

test('500 rows in one call with at most five jobs in flight become pictures in order, even if one is rejected', async () => {
	const { sandbox } = session;
	sandbox.setQueueLimit(LIMIT);
	// The first jobs end only once the queue is full: otherwise a slow machine might finish them one after another.
	sandbox.configure({ gateOpen: false });
	const inputValues = `={{ $json.index === ${BAD} ? { "99": { color: 1 } } : { "1": { color: $json.index } } }}`;
	const run = comfy(
		'comfyRunWorkflow',
		{ workflow: JSON.stringify(gatedPicture), options: { concurrency: 20, inputValues } },
		{ onError: 'continueRegularOutput' },
	);
	const id = await session.start(chain('500 rows', ...items(ROWS), run));
	await until('the queue to be full', () => sandbox.peakJobs('hosted') >= LIMIT || undefined);
	sandbox.configure({ gateOpen: true });
	const execution = await session.rest.waitFor(id, { timeoutMs: 170_000 });

	expect(execution.status).toBe('success');
	const done = itemsOf(execution, 'comfyRunWorkflow');
	expect(done.map(({ pairedItem }) => pairedItem)).toEqual(Array.from({ length: ROWS }, (_, item) => ({ item })));
	expect(done.flatMap(({ json }, index) => ('error' in json ? [index] : []))).toEqual([BAD]);
	const good = done.filter((_, index) => index !== BAD);
	expect(good.map(({ json }) => sandbox.job(String(json.job_id))?.graph['1']?.inputs.color)).toEqual(
		Array.from({ length: ROWS }, (_, index) => index).filter((index) => index !== BAD),
	);
	expect(good.every(({ binary }) => binary?.data?.mimeType === 'image/png')).toBe(true);
	expect(sandbox.ledger.runs).toHaveLength(ROWS - 1);
	expect(sandbox.peakJobs('hosted')).toBe(LIMIT);
	const refused = sandbox.requests('POST /api/v2/jobs').filter(({ status }) => status === 429);
	expect(refused.length).toBeLessThanOrEqual(ROWS * 0.1);
});
