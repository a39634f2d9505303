import { runNode } from '../support/engine';
import { downloadRun, workflowRun } from '../support/files';
import { credentialFor } from '../support/flavours';
import { colorGraph } from '../support/graphs';
import { manageRun } from '../support/manage';
import { finished, waitRun } from '../support/submit';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();

const ENTERED = '00000000-0000-4000-8000-000000000000';
const ONE_BY_ONE = { options: { concurrency: 1 } };
const BY_ITEM = { jobId: '={{ $json.job_id }}' };

const readers = [
	['Wait', (ids: string[]) => waitRun(credentialFor(sandbox), ids, { parameters: ONE_BY_ONE })],
	['Download', (ids: string[]) => downloadRun(credentialFor(sandbox), ids, { ...BY_ITEM, ...ONE_BY_ONE })],
	['Get Workflow', (ids: string[]) => workflowRun(credentialFor(sandbox), ids, { ...BY_ITEM, ...ONE_BY_ONE })],
	[
		'Manage Jobs',
		(ids: string[]) =>
			manageRun(credentialFor(sandbox), 'job:get', {
				items: ids.map((job_id) => ({ json: { job_id } })),
				parameters: { ...BY_ITEM, ...ONE_BY_ONE },
			}),
	],
] as const;

describe.each(readers)('%s', (_, run) => {
	it.each([400, 401, 403])('W7: does not count an id that was only entered among the jobs that exist (%d)', async (status) => {
		sandbox.inject({
			on: 'GET /api/v2/jobs/*',
			answer: { status, code: status === 400 ? 'invalid_request' : status === 401 ? 'unauthorized' : 'forbidden' },
		});
		const { error } = await runNode(run([ENTERED]));
		expect(error?.httpCode).toBe(String(status));
		expect(error?.description).not.toMatch(/Jobs that exist/);
	});

	it('counts the job of an item before it, which the service has told of', async () => {
		const id = await finished(sandbox, colorGraph(11));
		const { error } = await runNode(run([id, ENTERED]));
		expect(error?.description).toMatch(new RegExp(`Jobs that exist: item 0: ${id}\\.$`));
	});
});
