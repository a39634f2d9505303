import { NODE_NAME, type NodeRun, runNode } from '../../support/engine';
import { CONTINUE } from '../../support/files';
import { credentialFor } from '../../support/flavours';
import { colorGraph } from '../../support/graphs';
import { manageRun } from '../../support/manage';
import { sharedSandbox } from '../../support/sandbox';
import { finished, jsons, submitRun, waitRun } from '../../support/submit';

const sandbox = sharedSandbox();

const rejected = (): NodeRun => submitRun(credentialFor(sandbox, 'hosted', { apiKey: 'wrong-key' }), colorGraph(1));
const withoutId = (): NodeRun => waitRun(credentialFor(sandbox), ['']);

it.each<[failure: string, run: () => NodeRun, code: string]>([
	['a service rejects the key', rejected, 'KEY_REJECTED'],
	['a field is empty', withoutId, 'FIELD_EMPTY'],
])('the code of the message is the last line of the description if %s, and is in the item with Continue', async (_, run, code) => {
	const { error } = await runNode(run());
	expect(error?.description).toMatch(new RegExp(`[^]\\nCode: ${code}\\.$`));
	expect(error?.message).not.toContain(code);

	const [item] = jsons(await runNode({ ...run(), ...CONTINUE }));
	expect(item).toMatchObject({ error: error?.message, error_code: code });
	expect(item?.error_description).not.toContain('Code:');
});

it('a hint ends with its code, for two canceled jobs', async () => {
	for (const color of [1, 2]) {
		const jobId = await finished(sandbox, colorGraph(color));
		const { runData } = await runNode(manageRun(credentialFor(sandbox), 'job:cancel', { parameters: { jobId } }));
		expect(runData[NODE_NAME]?.at(-1)?.hints).toEqual([
			{ message: `Job ${jobId} finished before the request to cancel it (status "succeeded"). Code: JOB_FINISHED_BEFORE_CANCEL.` },
		]);
	}
});
