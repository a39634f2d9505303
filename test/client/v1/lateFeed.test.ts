/** Jobs whose first frames were sent before the live feed was open. */
import { type ApiGraph, type Job, waitForJob } from '../../../client';
import { until } from '../../support/until';
import { useSandbox } from '../support/sandbox';
import { JOB, STATUS } from '../support/v1';

const harness = useSandbox();
afterEach(() => harness.sandbox.configure({ v1JobsRead: true, gateOpen: true }));

/** Each graph has its own color, so that no image comes from the cache. */
const gated = (color: number, last: ApiGraph[string]): ApiGraph => ({
	'1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color } },
	'2': { class_type: 'SandboxGate', inputs: { image: ['1', 0] } },
	'3': last,
});
const SAVED = gated(1, { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'late' } });

/** Waits for a job with a feed that opens while the job runs. */
async function waitFromTheMiddle(graph: ApiGraph): Promise<Job> {
	harness.sandbox.configure({ gateOpen: false });
	const { jobs } = harness.connectV1();
	const { job_id } = await jobs.submit({ graph });
	await until(() => harness.sandbox.job(job_id)?.status === 'running');
	const waiting = waitForJob(jobs, job_id, { mode: 'live', maxWaitMs: 60_000 });
	await until(() => harness.sandbox.sockets('hosted').length > 0 && harness.sandbox.requests(STATUS).length > 0);
	harness.sandbox.configure({ gateOpen: true });
	return (await waiting).job;
}

test('the outputs are read, because the frames may not contain all of them', async () => {
	await expect(waitFromTheMiddle(SAVED)).resolves.toMatchObject({ status: 'succeeded', outputs: [{ node_id: '3' }], outputs_count: 1 });
	expect(harness.sandbox.requests(JOB)).toHaveLength(1);
});
