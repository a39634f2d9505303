/** The ledger: what a bill would be written from. */
import { createHash } from 'node:crypto';
import { until } from '../support/until';
import { startSandbox, type Sandbox } from '../../sandbox';
import { Caller } from './support/caller';
import { picture, slowPicture } from './support/graphs';

let sandbox: Sandbox;
let hosted: Caller;
beforeAll(async () => {
	sandbox = await startSandbox();
	hosted = new Caller(sandbox, 'hosted');
});
afterAll(async () => await sandbox.close());

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const nodesOf = (jobId: string) => sandbox.ledger.executedNodes.filter((node) => node.jobId === jobId).map(({ nodeId }) => nodeId);

test('one run per job, and one entry per node that was computed', async () => {
	const graph = picture();
	const jobId = await hosted.started(graph);
	await hosted.read(jobId);
	expect(sandbox.ledger.runs.at(-1)).toMatchObject({
		jobId,
		surface: 'hosted',
		account: 'main',
		idempotencyKey: undefined,
		graphHash: sha256(JSON.stringify(graph)),
		partnerKeyField: undefined,
	});
	expect(nodesOf(jobId)).toEqual(['image', 'save']);
});

test('a cached node is not executed again, yet its output is delivered', async () => {
	const graph = picture();
	await hosted.finished(graph);
	const second = await hosted.finished(graph);
	expect(nodesOf(String(second.id))).toEqual([]);
	expect(second).toMatchObject({
		status: 'succeeded',
		outputs: [{ node_id: 'save' }],
		progress: { value: 1, nodes_done: 2, nodes_total: 2 },
	});
});

test('a cancel is noted, and no node starts after it', async () => {
	const jobId = await hosted.started(slowPicture(500));
	await until(() => nodesOf(jobId).includes('sample'));
	await hosted.call('POST', `/jobs/${jobId}/cancel`);
	expect(await hosted.read(jobId)).toMatchObject({ status: 'canceled', outputs: [] });
	await hosted.call('POST', `/jobs/${jobId}/cancel`);
	expect(sandbox.ledger.cancels.filter((cancel) => cancel.jobId === jobId)).toHaveLength(1);
	expect(nodesOf(jobId)).toEqual(['image', 'sample']);
});

test('of a partner key only its field and its digest are kept', async () => {
	const { partnerKey } = sandbox.keys;
	const jobId = await hosted.started(picture(), { extra_data: { api_key_comfy_org: partnerKey } });
	expect(sandbox.ledger.runs.at(-1)).toMatchObject({ jobId, partnerKeyField: 'api_key_comfy_org' });
	expect(sandbox.ledger.partnerKeys).toEqual([sha256(partnerKey)]);
	const workflow = await hosted.call('GET', `/jobs/${jobId}/workflow`);
	expect(workflow.text).not.toContain('extra_data');
	expect(JSON.stringify([sandbox.ledger, sandbox.job(jobId)])).not.toContain(partnerKey);
});
