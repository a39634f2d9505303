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
		chain('a failing job', comfy('comfySubmitWorkflow', { workflow: JSON.stringify(failing) }), comfy('comfyWaitForJob', {}), comfy('comfyDownloadOutputs', {})),
	);
	const { error, runData } = execution.data.resultData;
	expect(execution.status).toBe('error');
	expect(error?.message).toContain('2 (SandboxFail)');
	expect(error?.message).toContain('the frogs are on strike');
	expect(error?.node?.name).toBe('comfyWaitForJob');
	expect(runData.comfyDownloadOutputs).toBeUndefined();
});
