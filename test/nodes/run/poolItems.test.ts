import type { IDataObject } from 'n8n-workflow';

import { STILL_RUNNING_OUTPUT } from '../../../nodes/shared/jobs/wait';
import type { Sandbox } from '../../../sandbox';
import { until } from '../../support/until';
import { runNode } from '../support/engine';
import { CONTINUE, downloadRun, workflowRun } from '../support/files';
import { colorGraph, failingGraph, gatedGraph } from '../support/graphs';
import { sharedPool } from '../support/pool';
import { runRun } from '../support/run';
import { jsons, submitRun, submitted, waitRun } from '../support/submit';

const pool = sharedPool();
const { sandboxes, address } = pool;

let seed = 80_000;

/** Returns the server that has the job. */
const serverOf = ({ job_id: id }: IDataObject): string | undefined =>
	[0, 1, 2]
		.map((index) => ({ sandbox: sandboxes[index] as Sandbox, index }))
		.flatMap(({ sandbox, index }) => (sandbox.job(String(id)) === undefined ? [] : [address(index)]))[0];

/** Expects `server` directly after `job_id`. */
function expectServer(item: IDataObject | undefined, server: unknown): void {
	const names = Object.keys(item ?? {});
	expect(item?.server).toBe(server);
	expect(names[names.indexOf('job_id') + 1]).toBe('server');
}

describe('items contain the server of their job after the job ID', () => {
	it('Comfy Submit Workflow, Comfy Wait For Job, Comfy Download Outputs and Comfy Get Workflow', async () => {
		const [sent] = jsons(await runNode(submitRun(pool.credential(), colorGraph(seed++))));
		const server = serverOf(sent ?? {});
		expectServer(sent, server);
		const id = String(sent?.job_id);
		expectServer(jsons(await runNode(waitRun(pool.credential(), [id])))[0], server);
		expectServer(jsons(await runNode(downloadRun(pool.credential(), [id])))[0], server);
		expectServer(jsons(await runNode(workflowRun(pool.credential(), [id], { outputAs: 'json' })))[0], server);
	});

	it.each(['itemPerOutput', 'singleItem'])('Comfy Run Workflow (%s)', async (outputMode) => {
		const result = await runNode(runRun(pool.credential(), colorGraph(seed++), { parameters: { options: { outputMode } } }));
		const [item] = jsons(result);
		expectServer(item, serverOf(item ?? {}));
	});

	it('Comfy Run Workflow, for a job that still runs after Max Wait', async () => {
		for (const sandbox of sandboxes) sandbox.configure({ gateOpen: false });
		const more = { connected: STILL_RUNNING_OUTPUT, parameters: { options: { maxWaitMinutes: 0.01 } } };
		const [item] = jsons(await runNode(runRun(pool.credential(), gatedGraph(seed++), more)), STILL_RUNNING_OUTPUT);
		expectServer(item, serverOf(item ?? {}));
	});

	it('Comfy Wait For Job and Comfy Run Workflow, for a job that failed', async () => {
		const [ran] = jsons(await runNode(runRun(pool.credential(), failingGraph(`no ${seed++}`), CONTINUE)));
		expect(ran).toMatchObject({ status: 'failed', server: serverOf(ran ?? {}) });
		const [waited] = jsons(await runNode(waitRun(pool.credential(), [String(ran?.job_id)], CONTINUE)));
		expect(waited).toMatchObject({ status: 'failed', server: ran?.server });
	});

	it('Comfy Download Outputs, from the input item if ComfyUI has lost its history', async () => {
		const id = await submitted(sandboxes[1], colorGraph(seed++), pool.single(1));
		const [item] = jsons(await runNode(waitRun(pool.credential(), [id])));
		await until(() => sandboxes[1].job(id)?.status === 'succeeded');
		sandboxes[1].restartEngine();
		const [downloaded] = jsons(await runNode(downloadRun(pool.credential(), [id], {}, { items: [{ json: item ?? {} }] })));
		expectServer(downloaded, address(1));
	});
});

it('items of one ComfyUI contain no server', async () => {
	const [item] = jsons(await runNode(runRun(pool.single(0), colorGraph(seed++))));
	expect(item).toMatchObject({ status: 'succeeded' });
	expect(item).not.toHaveProperty('server');
});
