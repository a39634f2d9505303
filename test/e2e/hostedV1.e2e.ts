import { itemsOf, type WorkflowNode } from '../../scripts/n8nHost';
import { quick, slowFor } from './support/graphs';
import { openSession, type Session } from './support/session';
import { until } from './support/until';
import { chain, comfy } from './support/workflows';

let session: Session;
beforeAll(async () => {
	session = await openSession();
});
afterAll(() => session.close());

const v1 = (type: Parameters<typeof comfy>[0], parameters: WorkflowNode['parameters'] = {}): WorkflowNode =>
	comfy(type, { options: { interface: 'v1' }, ...parameters });
const submit = (graph: object): WorkflowNode => v1('comfySubmitWorkflow', { workflow: JSON.stringify(graph) });
const v2Requests = () => session.sandbox.requests().filter(({ path }) => path.startsWith('/api/v2'));

test('a flow over v1 submits, waits and downloads without a request to v2', async () => {
	const execution = await session.execute(chain('a flow over v1', submit(quick), v1('comfyWaitForJob'), v1('comfyDownloadOutputs')));
	expect(execution.data.resultData.error).toBeUndefined();
	const [item] = itemsOf(execution, 'comfyDownloadOutputs');
	expect(item?.json).toMatchObject({ interface: 'v1', status: 'succeeded', service_status: 'success' });
	const file = await session.rest.binary(item?.binary?.data?.id ?? 'none');
	expect(file.subarray(1, 4).toString()).toBe('PNG');
	expect(session.sandbox.ledger.runs).toHaveLength(1);
	expect(v2Requests()).toEqual([]);
});

test('stopping the execution takes its job out of the queue, and no other job', async () => {
	const { sandbox, rest } = session;
	const startOne = async (steps: number) => {
		const execution = await session.start(chain(`a stopped flow over v1, ${steps}`, submit(slowFor(steps * 100)), v1('comfyWaitForJob')));
		const job = await until('the job', () => sandbox.jobs('hosted').find(({ graph }) => graph['2']?.inputs.steps === steps));
		return { execution, job };
	};
	const [stopped, kept] = [await startOne(9_001), await startOne(9_002)];
	await until('both waits', () => (sandbox.sockets('hosted').length === 2 ? true : undefined));
	await rest.stop(stopped.execution);
	expect((await rest.waitFor(stopped.execution)).status).toBe('canceled');
	await until('the job to be canceled', () => (stopped.job.status === 'canceled' ? true : undefined));
	expect(sandbox.requests('POST /api/queue')).not.toEqual([]);
	expect(sandbox.ledger.cancels.map(({ jobId }) => jobId)).toEqual([stopped.job.id]);
	expect(kept.job.status).toBe('running');
	expect(sandbox.requests('POST /api/interrupt')).toEqual([]);
	await rest.stop(kept.execution);
	await until('the other job to be canceled', () => (kept.job.status === 'canceled' ? true : undefined));
	expect(v2Requests()).toEqual([]);
});
