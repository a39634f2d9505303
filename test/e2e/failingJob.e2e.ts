import { itemsOf } from '../../scripts/n8nHost';
import { failing } from './support/graphs';
import { openSession, type Session } from './support/session';
import { chain, comfy } from './support/workflows';

let session: Session;
beforeAll(async () => {
	session = await openSession();
});
afterAll(() => session.close());

test('a failing job fails its node with the id, class and message of the node that failed in the service', async () => {
	const execution = await session.execute(
		chain(
			'a failing job',
			comfy('comfySubmitWorkflow', { workflow: JSON.stringify(failing) }),
			comfy('comfyWaitForJob', {}),
			comfy('comfyDownloadOutputs', {}),
		),
	);
	const { error, runData } = execution.data.resultData;
	expect(execution.status).toBe('error');
	expect(error?.message).toContain('2 (SandboxFail)');
	expect(error?.message).toContain('the frogs are on strike');
	expect(error?.node?.name).toBe('comfyWaitForJob');
	expect(runData.comfyDownloadOutputs).toBeUndefined();
});

test.each([
	['continueRegularOutput', 0],
	['continueErrorOutput', 2],
] as const)('with %s the item goes on, with its message and every id', async (onError, output) => {
	const nodes = [comfy('comfySubmitWorkflow', { workflow: JSON.stringify(failing) }), comfy('comfyWaitForJob', {}, { onError })];
	const execution = await session.execute(chain(`a failing job, ${onError}`, ...nodes));
	const [submitted] = itemsOf(execution, 'comfySubmitWorkflow');
	expect(execution.status).toBe('success');
	expect(itemsOf(execution, 'comfyWaitForJob', output).map(({ json }) => json)).toEqual([
		expect.objectContaining({
			error: expect.stringContaining('2 (SandboxFail)'),
			job_id: submitted?.json.job_id,
			interface: 'v2',
			status: 'failed',
			job_error: expect.objectContaining({ node_id: '2', class_type: 'SandboxFail' }),
		}),
	]);
});
