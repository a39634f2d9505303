import { itemsOf } from '../../scripts/n8nHost/documents';
import { gatedGraph } from '../nodes/support/graphs';
import { onServer, saveServer } from './support/engine';
import { openSession, type Session } from './support/session';
import { chain, items, TRIGGER } from './support/workflows';

const RUN = 'comfyRunWorkflow';
const SUBMIT = 'comfySubmitWorkflow';
const WAIT = 'comfyWaitForJob';
const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

let session: Session;
beforeEach(async () => {
	session = await openSession();
	session.sandbox.configure({ memoryFailures: 1 });
});
afterEach(() => session.close());

/** Each item gets a color and a seed of its own. The first job that reaches the gate fails. */
const ORDER = { workflow: JSON.stringify(gatedGraph()) };
const VALUES = { inputValues: '={{ { "1": { color: $json.index + 1 } } }}' };

const jobs = () => session.sandbox.ledger.runs.map(({ jobId }) => session.sandbox.job(jobId));
const failed = () => jobs().filter((job) => job?.status === 'failed');
const succeeded = () => jobs().filter((job) => job?.status === 'succeeded');

function expectOneRunAgain(delivered: unknown[]): void {
	const [lost] = failed();
	const again = succeeded().filter((job) => JSON.stringify(job?.graph) === JSON.stringify(lost?.graph));
	expect([failed().length, succeeded().length, again.length]).toEqual([1, 2, 1]);
	expect(delivered.toSorted()).toEqual(
		succeeded()
			.map((job) => job?.id)
			.toSorted(),
	);
}

test('Retry On Fail runs only the job again that an engine without enough memory failed, and both images arrive', async () => {
	const options = { ...VALUES, concurrency: 1, runFailedJobsAgain: 'ifFree' };
	const document = chain('run again', ...items(2), onServer(RUN, { ...ORDER, options }, RETRY));
	const execution = await session.rest.waitFor(await session.start(document, TRIGGER, await saveServer(session)));
	expect(execution.data.resultData.error).toBeUndefined();
	const delivered = itemsOf(execution, RUN);
	expect(delivered.map(({ binary }) => binary?.data?.mimeType)).toEqual(['image/png', 'image/png']);
	expectOneRunAgain(delivered.map(({ json }) => json.job_id));
});

test('Retry On Fail of Comfy Wait For Job runs only the job again that failed', async () => {
	const nodes = [onServer(SUBMIT, { ...ORDER, options: VALUES }), onServer(WAIT, { options: { runFailedJobsAgain: 'ifFree' } }, RETRY)];
	const document = chain('wait again', ...items(2), ...nodes);
	const execution = await session.rest.waitFor(await session.start(document, TRIGGER, await saveServer(session)));
	expect(execution.data.resultData.error).toBeUndefined();
	expectOneRunAgain(itemsOf(execution, WAIT).map(({ json }) => json.job_id));
});

test('without the option, Retry On Fail reads the failed job again, and a retry of the execution does so as well', async () => {
	const document = chain('not run again', ...items(2), onServer(RUN, { ...ORDER, options: { ...VALUES, concurrency: 1 } }, RETRY));
	const id = await session.start(document, TRIGGER, await saveServer(session));
	const first = await session.rest.waitFor(id);
	const retried = await session.rest.waitFor(await session.rest.retry(id));
	for (const { status, data } of [first, retried]) {
		expect([status, data.resultData.error?.message]).toEqual(['error', expect.stringContaining('CUDA out of memory')]);
		expect(data.resultData.error?.description).toContain('set Run Failed Jobs Again in Options');
	}
	expect([failed().length, succeeded().length]).toEqual([1, 1]);
});
