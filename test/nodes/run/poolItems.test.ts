import type { IDataObject } from 'n8n-workflow';

import type { Sandbox } from '../../../sandbox';
import { until } from '../../support/until';
import { runNode } from '../support/engine';
import { CONTINUE, downloadRun, fileItem, workflowRun } from '../support/files';
import { COLOR_OF_ITEM, colorGraph, failingGraph, invertGraph, newColorItems } from '../support/graphs';
import { expectInverted, freshPicture, IMAGE } from '../support/inputImages';
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
		const run = submitRun(pool.credential(), colorGraph(0), { items: newColorItems(3), parameters: { options: COLOR_OF_ITEM } });
		const sent = jsons(await runNode(run));
		expect(new Set(sent.map(serverOf)).size).toBeGreaterThan(1);
		const ids = sent.map(({ job_id }) => String(job_id));
		for (const items of [
			sent,
			jsons(await runNode(waitRun(pool.credential(), ids))),
			jsons(await runNode(downloadRun(pool.credential(), ids))),
			jsons(await runNode(workflowRun(pool.credential(), ids, { outputAs: 'json' }))),
		]) {
			for (const [index, item] of items.entries()) expectServer(item, serverOf(sent[index] ?? {}));
		}
	});

	it('Comfy Run Workflow, with one item for each output or for each job', async () => {
		const options = { ...COLOR_OF_ITEM, outputMode: '={{ ["itemPerOutput", "singleItem"][$itemIndex] }}' };
		const run = runRun(pool.credential(), colorGraph(0), { items: newColorItems(2), parameters: { options } });
		for (const item of jsons(await runNode(run))) expectServer(item, serverOf(item));
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

it('the file of each item is uploaded to the server of its job', async () => {
	const pictures = [await freshPicture(), await freshPicture(), await freshPicture()];
	const items = pictures.map((picture, index) => fileItem(picture, `cat-${index}.png`));
	const files = { values: [{ input: IMAGE, from: 'binary', binaryPropertyName: 'data' }] };
	const result = await runNode(runRun(pool.credential(), invertGraph(), { items, parameters: { files } }));
	for (const [index, picture] of pictures.entries()) await expectInverted(result, picture, index);
	const servers = jsons(result).map(({ server }) => server);
	expect(new Set(servers).size).toBeGreaterThan(1);
	const uploads = sandboxes.map((sandbox) => sandbox.requests('POST /api/upload/image').length);
	expect(uploads).toEqual([0, 1, 2].map((index) => servers.filter((server) => server === address(index)).length));
});

describe('servers refuse jobs', () => {
	const PROMPT = 'POST /api/prompt';
	const refuse = (index: number, status: number, on = PROMPT) =>
		sandboxes[index]?.inject({ on, surface: 'engine', times: Infinity, answer: { status } });
	const options = { ...COLOR_OF_ITEM, concurrency: 15 };

	it.each([
		[401, 'unauthorized', 'requires a sign-in. Check Sign-In in the Comfy Self-Hosted API credential'],
		[413, 'payload_too_large', 'Start ComfyUI with a larger --max-upload-size'],
	])('HTTP %d of one server: the others run all 15 items, and one hint names it', async (status, reason, advice) => {
		refuse(1, status);
		const result = await runNode(runRun(pool.credential(), colorGraph(0), { items: newColorItems(15), parameters: { options } }));
		expect(jsons(result).map((item) => item.status)).toEqual(Array.from({ length: 15 }, () => 'succeeded'));
		expect(sandboxes[1].requests(PROMPT, 'engine').length).toBeLessThanOrEqual(2);
		expect(result.hints).toHaveLength(1);
		for (const part of [`${address(1)} gets no jobs`, `HTTP ${status}`, reason, advice]) expect(result.hints[0]).toContain(part);
	});

	it('all servers: the message names each one with its answer', async () => {
		for (const [index, status] of [401, 403, 413].entries()) refuse(index, status);
		const result = await runNode(
			runRun(pool.credential(), colorGraph(0), { items: newColorItems(2), parameters: { options }, ...CONTINUE }),
		);
		const answers = ['HTTP 401 unauthorized', 'HTTP 403 forbidden', 'HTTP 413 payload_too_large'];
		expect(jsons(result)).toHaveLength(2);
		for (const item of jsons(result)) {
			expect(item).toMatchObject({ error_facts: { kind: 'ApiError' } });
			for (const [index, answer] of answers.entries()) expect(item.error_description).toContain(`Refused by ${address(index)}: ${answer}.`);
		}
		expect(result.hints).toEqual([]);
	});
});
