import type { RecordedRequest } from '../../sandbox';
import { itemsOf } from '../../scripts/n8nHost';
import { quick } from './support/graphs';
import { openSession, type Session } from './support/session';
import { chain, comfy, items } from './support/workflows';

const COUNT = 20;
const CONCURRENCY = 4;
const indices = Array.from({ length: COUNT }, (_, index) => index);

let session: Session;
beforeEach(async () => {
	session = await openSession();
});
afterEach(() => session.close());

const submit = (settings = {}) =>
	comfy(
		'comfySubmitWorkflow',
		{
			workflow: JSON.stringify(quick),
			options: { concurrency: CONCURRENCY, inputValues: '={{ { "2": { "filename_prefix": "item-" + $json.index } } }}' },
		},
		settings,
	);

/** The name that each output item's job was given, in the order of the items. */
const namesOf = (jobs: Array<{ json: Record<string, unknown> }>) =>
	jobs.map(({ json }) => session.sandbox.job(String(json.job_id))?.graph['2']?.inputs.filename_prefix);

test('20 items become 20 jobs, in order, with exactly Concurrency submissions in flight', async () => {
	session.sandbox.inject({ on: 'POST /api/v2/jobs', times: Infinity, fault: { kind: 'delay', ms: 150 } });
	const wait = comfy('comfyWaitForJob', { options: { concurrency: CONCURRENCY } });
	const execution = await session.execute(chain('20 items', ...items(COUNT), submit(), wait));

	expect(execution.status).toBe('success');
	const submitted = itemsOf(execution, 'comfySubmitWorkflow');
	const finished = itemsOf(execution, 'comfyWaitForJob');
	const names = indices.map((index) => `item-${index}`);
	expect(namesOf(submitted)).toEqual(names);
	expect(namesOf(finished)).toEqual(names);
	expect(finished.map(({ json }) => json.status)).toEqual(indices.map(() => 'succeeded'));
	expect(submitted.map(({ pairedItem }) => pairedItem)).toEqual(indices.map((item) => ({ item })));
	expect(new Set(session.sandbox.ledger.runs.map(({ jobId }) => jobId)).size).toBe(COUNT);
	expect(session.sandbox.peak('POST /api/v2/jobs')).toBe(CONCURRENCY);
});

test('under Retry On Fail, 20 items of which item 7 fails once make 20 jobs, none twice', async () => {
	session.sandbox.inject({ on: 'POST /api/v2/jobs', skip: 7, answer: { status: 402, code: 'insufficient_credits' } });
	const retrying = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
	const execution = await session.execute(chain('20 items, retried', ...items(COUNT), submit(retrying)));

	expect(execution.status).toBe('success');
	expect(session.sandbox.requests('POST /api/v2/jobs').filter(({ status }) => status === 402)).toHaveLength(1);
	expect(namesOf(itemsOf(execution, 'comfySubmitWorkflow'))).toEqual(indices.map((index) => `item-${index}`));
	const { runs } = session.sandbox.ledger;
	expect(runs).toHaveLength(COUNT);
	expect(new Set(runs.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(COUNT);
	expect(new Set(runs.map(({ graphHash }) => graphHash)).size).toBe(COUNT);
});

/** Until a job is looked at whose live events have not come: on a busy machine they may be late. */
const FIRST_LOOK_MS = 500;

function isLateLook({ method, path, at }: RecordedRequest): boolean {
	const jobId = method === 'GET' ? /^\/api\/v2\/jobs\/([^/]+)$/.exec(path)?.[1] : undefined;
	const job = jobId === undefined ? undefined : session.sandbox.job(jobId);
	return job !== undefined && at - job.createdAt >= FIRST_LOOK_MS;
}

const ROWS = 500;
/** Jobs that the account's tier lets in at the same time. */
const TIER = 3;

test('Run Workflow makes 500 pictures from 500 rows, in order, each sent once, if the service accepts three jobs at a time', async () => {
	session.sandbox.setQueueLimit(TIER);
	const byList = (value: string, given: string) => ({ input: { __rl: true, mode: 'list', value }, value: given });
	const run = comfy('comfyRunWorkflow', {
		workflow: JSON.stringify(quick),
		inputs: { values: [byList('2.filename_prefix', '={{ "row-" + $json.index }}'), byList('1.color', '={{ $json.index }}')] },
		options: { concurrency: CONCURRENCY },
	});
	const id = await session.start(chain('500 rows', ...items(ROWS), run));
	const execution = await session.rest.waitFor(id, { timeoutMs: 170_000 });

	expect(execution.status).toBe('success');
	const done = itemsOf(execution, 'comfyRunWorkflow');
	expect(done.map(({ json }) => json.name)).toEqual(Array.from({ length: ROWS }, (_, index) => `row-${index}_00001_.png`));
	expect(done.map(({ pairedItem }) => pairedItem)).toEqual(done.map((_, item) => ({ item })));
	expect(done.map(({ json }) => session.sandbox.job(String(json.job_id))?.graph['1']?.inputs.color)).toEqual(done.map((_, index) => index));
	expect(done.filter(({ binary }) => binary?.data?.id === undefined)).toEqual([]);
	expect(new Set(session.sandbox.ledger.runs.map(({ jobId }) => jobId)).size).toBe(ROWS);
	expect(session.sandbox.ledger.runs).toHaveLength(ROWS);
	const requests = session.sandbox.requests().filter((request) => request.status !== 429 && !isLateLook(request));
	expect(requests.length).toBeLessThanOrEqual(ROWS * 4);
});
