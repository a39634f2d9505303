import { runFaster } from '../../support/fastClock';
import { until } from '../../support/until';
import { runNode } from '../support/engine';
import { CONTINUE } from '../support/files';
import { credentialFor, interfaceOf, ways } from '../support/flavours';
import { colorGraph, failingGraph, slowGraph } from '../support/graphs';
import { manageRun } from '../support/manage';
import { sharedSandbox } from '../support/sandbox';
import { finished, jsons, submitted, waitRun } from '../support/submit';

const sandbox = sharedSandbox();

afterEach(() => {
	// Only the operation Interrupt may interrupt jobs.
	expect(sandbox.requests('POST /api/interrupt', 'hosted')).toEqual([]);
});

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
let seed = 20_000;

describe.each(ways)('over %s', (way) => {
	const credential = () => credentialFor(sandbox, way);
	const run = async (operation: 'get' | 'cancel', jobIds: string[], more = {}) =>
		await runNode(manageRun(credential(), `job:${operation}`, { items: jobIds.map((job_id) => ({ json: { job_id } })), ...more }));

	it('Get outputs an ended job, whether it succeeded or failed, and Cancel says that it had ended and changes nothing', async () => {
		const ended = await finished(sandbox, colorGraph(seed++), credential());
		const failed = await submitted(sandbox, failingGraph(`canvas ${seed++}`), credential());
		await runNode(waitRun(credential(), [failed], CONTINUE));
		const result = await run('get', [ended, failed]);
		expect(result.status).toBe('success');
		expect(jsons(result)).toMatchObject([
			{ job_id: ended, interface: interfaceOf(way), status: 'succeeded', job_error: null, outputs: [{ node_id: '2' }] },
			{ job_id: failed, status: 'failed', job_error: { node_id: '7' } },
		]);
		expect(result.outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
		const canceled = await run('cancel', [ended]);
		expect(jsons(canceled)).toMatchObject([{ job_id: ended, status: 'succeeded', cancel_confirmed: false }]);
		expect(canceled.hints).toEqual([expect.stringMatching(/finished before/)]);
	});

	it('Cancel stops a waiting and a running job, and confirms it', async () => {
		const running = await submitted(sandbox, slowGraph(2_000, 50, seed++), credential());
		await until(() => sandbox.job(running)?.status === 'running');
		sandbox.configure({ workers: 1 });
		const waiting = await submitted(sandbox, slowGraph(2_000, 50, seed++), credential());
		const result = await run('cancel', [waiting, running]);
		// A self-hosted proxy calls a job expired that never ran; which of the two is stopped first is open.
		const stopped = expect.stringMatching(way.startsWith('self_hosted') ? /^(canceled|expired)$/ : /^canceled$/) as string;
		expect(jsons(result)).toMatchObject([waiting, running].map((job_id) => ({ job_id, status: stopped, cancel_confirmed: true })));
		expect(result.hints).toEqual([]);
		for (const id of [waiting, running]) expect(sandbox.job(id)?.status).toMatch(/^(canceled|expired)$/);
	});

	it.each(['get', 'cancel'] as const)('%s of an unknown job says what to check, and Continue On Fail keeps its id', async (operation) => {
		const { error } = await run(operation, [UNKNOWN]);
		expect(error?.message).toMatch(/has no (job|entry|asset) with this ID/);
		const continued = await run(operation, [UNKNOWN, ''], CONTINUE);
		expect(jsons(continued)).toMatchObject([
			{ job_id: UNKNOWN, error: expect.stringMatching(/has no (job|entry|asset) with this ID/) },
			{ error: 'Job ID is empty' },
		]);
	});
});

describe('where a running job cannot be canceled', () => {
	runFaster(5);

	it('Cancel over v1 says that Interrupt would stop every job', async () => {
		sandbox.configure({ v1QueueDelete: 'pending_only' });
		const jobId = await submitted(sandbox, slowGraph(3_000, 50, seed++), credentialFor(sandbox, 'v1'));
		await until(() => sandbox.job(jobId)?.status === 'running');
		const result = await runNode(manageRun(credentialFor(sandbox, 'v1'), 'job:cancel', { parameters: { jobId } }));
		expect(jsons(result)).toMatchObject([{ job_id: jobId, status: 'running', cancel_confirmed: false }]);
		expect(result.hints).toEqual([expect.stringMatching(/only waiting jobs\. The operation Interrupt .* every other running job/)]);
		await runNode(manageRun(credentialFor(sandbox), 'job:cancel', { parameters: { jobId } }));
	});

	it('Cancel over a proxy says that the job has not stopped', async () => {
		sandbox.configure({ engineCancels: false });
		const credential = credentialFor(sandbox, 'self_hosted');
		const jobId = await submitted(sandbox, slowGraph(3_000, 50, seed++), credential);
		await until(() => sandbox.job(jobId)?.status === 'running');
		const result = await runNode(manageRun(credential, 'job:cancel', { parameters: { jobId } }));
		expect(jsons(result)).toMatchObject([{ job_id: jobId, status: 'running', cancel_confirmed: false }]);
		expect(result.hints).toEqual([expect.stringMatching(/received the request to cancel, but has not stopped yet \(status "running"\)/)]);
		sandbox.configure({ engineCancels: true });
		await runNode(manageRun(credential, 'job:cancel', { parameters: { jobId } }));
	});
});
