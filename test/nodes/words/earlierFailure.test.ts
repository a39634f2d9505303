import type { IDataObject } from 'n8n-workflow';

import { type NodeRun, runNode } from '../support/engine';
import { CONTINUE, downloadRun, workflowRun } from '../support/files';
import { credentialFor } from '../support/flavours';
import { colorGraph } from '../support/graphs';
import { jsons, submitRun, waitRun } from '../support/submit';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();

const BY_ITEM = { jobId: '={{ $json.job_id }}' };
const FOLLOWING: Array<[string, (more: Partial<NodeRun>) => NodeRun]> = [
	['Wait', (more) => waitRun(credentialFor(sandbox), [], more)],
	['Download', (more) => downloadRun(credentialFor(sandbox), [], BY_ITEM, more)],
	['Get Workflow', (more) => workflowRun(credentialFor(sandbox), [], BY_ITEM, more)],
];

/** The item of a submission that was refused, as Continue On Fail passes it on. */
async function refused(): Promise<IDataObject> {
	const [item] = jsons(await runNode(submitRun(credentialFor(sandbox, 'hosted', { apiKey: 'wrong-key' }), colorGraph(1), CONTINUE)));
	expect(item).toMatchObject({ error: 'The service did not accept the API Key', error_facts: { code: 'unauthorized' } });
	return item as IDataObject;
}

describe.each(FOLLOWING)('%s after a submission that failed and was passed on', (_, run) => {
	it('W9: with Continue On Fail passes the item on with its own failure', async () => {
		const item = await refused();
		const [passed, ...others] = jsons(await runNode(run({ items: [{ json: item }], ...CONTINUE })));
		expect(others).toEqual([]);
		expect(passed).toEqual({
			...item,
			error_description: `${String(item.error_description)}\nThis happened in an earlier node, which passed the item on.`,
		});
		const [again] = jsons(await runNode(run({ items: [{ json: passed as IDataObject }], ...CONTINUE })));
		expect(again).toEqual(passed);
	});

	it('W9: without it says what failed, and where', async () => {
		const { error } = await runNode(run({ items: [{ json: await refused() }] }));
		expect(error?.message).toBe('The service did not accept the API Key');
		expect(error?.description).toMatch(/Check API Key[^]*\nThis happened in an earlier node/);
	});

	it('names the empty field of an item whose error is of something else', async () => {
		const { error } = await runNode(run({ items: [{ json: { error: 'No such customer' } }] }));
		expect(error?.message).toBe('Job ID is empty');
	});
});
