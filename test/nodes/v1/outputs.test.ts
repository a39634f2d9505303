import type { IDataObject } from 'n8n-workflow';

import { until } from '../../support/until';
import { bytesOf, runNode } from '../support/engine';
import { CONTINUE, downloadRun } from '../support/files';
import { credentialFor } from '../support/flavours';
import { colorGraph, failingGraph, gatedGraph, slowGraph } from '../support/graphs';
import { everyKindGraph, KINDS, MEDIA } from '../support/media';
import { finished, jsons, submitted, waitRun } from '../support/submit';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();

const v1 = () => credentialFor(sandbox, 'v1');
let seed = 9_000;

it.each(['redirect', 'inline'] as const)('every kind of output comes down over v1 (%s)', async (v1View) => {
	sandbox.configure({ v1View });
	const jobId = await finished(sandbox, everyKindGraph(seed++), v1());
	const { outputs, status } = await runNode(downloadRun(v1(), [jobId]));
	expect(status).toBe('success');
	const kinds = outputs[0]?.map(({ json, binary }) => [(json.output as IDataObject).node_id, binary?.data?.mimeType]).sort();
	expect(kinds).toEqual(KINDS.map((kind, index) => [String(11 + index), MEDIA[kind].mimeType]));
});

it('the key goes to the service, and never to the storage it redirects to', async () => {
	const jobId = await finished(sandbox, colorGraph(seed++), v1());
	await runNode(downloadRun(v1(), [jobId]));
	expect(sandbox.requests('GET /api/view').map(({ headers }) => headers['x-api-key'])).toEqual([sandbox.keys.apiKey]);
	const stored = sandbox.requests('GET *', 'storage');
	expect(stored.length).toBeGreaterThan(0);
	for (const { headers } of stored) expect([headers['x-api-key'], headers.authorization]).toEqual([undefined, undefined]);
});

describe('where the service has no job read', () => {
	beforeEach(() => sandbox.configure({ v1JobsRead: false }));

	it('Live hears the outputs, and Download takes them from its item', async () => {
		sandbox.configure({ workers: 0 });
		const jobId = await submitted(sandbox, slowGraph(5, 60, seed++), v1());
		const waiting = runNode(waitRun(v1(), [jobId]));
		await until(() => sandbox.sockets('hosted').length > 0);
		sandbox.configure({ workers: 4 });
		const wait = await waiting;
		expect(jsons(wait)).toMatchObject([{ job_id: jobId, status: 'succeeded', outputs: [{ node_id: '3' }] }]);
		const download = await runNode({ ...downloadRun(v1(), []), items: wait.outputs[0] });
		expect(download.status).toBe('success');
		expect((await bytesOf(download.outputs[0]?.[0])).subarray(1, 4).toString()).toBe('PNG');
	});

	it('Wait that came too late is no empty Done: it says that the files exist', async () => {
		const jobId = await finishedUnheard();
		for (const mode of ['live', 'polling']) {
			const { error, outputs } = await runNode(waitRun(v1(), [jobId], { parameters: { mode } }));
			expect(outputs).toEqual([]);
			expect(error?.message).toMatch(/succeeded, but the service no longer tells which files it made/);
			expect(error?.description).toMatch(/exist and are paid for.*How To Wait set to Live/);
			expect(error?.context).toMatchObject({ data: { job_id: jobId, status: 'succeeded' } });
		}
	});

	it.each([
		['nothing', {}],
		['outputs of another job', { job_id: 'another', outputs: [{ node_id: '3', name: 'a.png', url: 'http://127.0.0.1/a.png' }] }],
		['outputs without a link', { outputs: [{ node_id: '3', name: 'a.png' }] }],
	])('Download of an item with %s says so too, and Continue On Fail keeps the ids', async (_, json) => {
		const jobId = await finishedUnheard();
		const items = [{ json: { job_id: jobId, ...json } as IDataObject }];
		const run = { ...downloadRun(v1(), [], { jobId }), items };
		const { error } = await runNode(run);
		expect(error?.message).toMatch(/no longer tells which files it made/);
		expect(error?.description).toMatch(/right after Comfy Wait For Job/);
		expect(jsons(await runNode({ ...run, ...CONTINUE }))).toMatchObject([
			{ job_id: jobId, error: expect.stringContaining('no longer tells') },
		]);
	});

	/** Nobody listened to it. */
	async function finishedUnheard(): Promise<string> {
		sandbox.configure({ v1JobsRead: true });
		const jobId = await finished(sandbox, colorGraph(seed++), v1());
		sandbox.configure({ v1JobsRead: false });
		return jobId;
	}
});

describe('a job that ended badly', () => {
	it.each([
		['lost', /disappeared in the service before finishing. Submit the workflow again/],
		['non_retryable_error', /Retrying will not help/],
	])('%s', async (word, advice) => {
		const jobId = await submitted(sandbox, failingGraph(`canvas ${seed++}`), v1());
		sandbox.setV1Status(jobId, word);
		const { error } = await runNode(waitRun(v1(), [jobId]));
		expect(error?.message).toContain(jobId);
		expect(error?.description).toMatch(advice);
		expect(error?.context).toMatchObject({ data: { status: 'failed', service_status: word, job_error: { code: word } } });
	});

	it('canceled, in v2’s word, with v1’s beside it', async () => {
		const jobId = await submitted(sandbox, colorGraph(seed++), v1());
		sandbox.setV1Status(jobId, 'cancelled');
		const result = await runNode(waitRun(v1(), [jobId], CONTINUE));
		expect(jsons(result)).toMatchObject([
			{
				job_id: jobId,
				interface: 'v1',
				status: 'canceled',
				service_status: 'cancelled',
				error: expect.stringMatching(/was stopped before it finished/),
			},
		]);
	});

	it('unknown says what to check', async () => {
		const { error } = await runNode(waitRun(v1(), ['00000000-0000-4000-8000-000000000000']));
		expect(error?.message).toMatch(/knows no such/);
	});
});

it('Still Running takes what has not ended when Max Wait is over', async () => {
	sandbox.configure({ gateOpen: false });
	const jobId = await submitted(sandbox, gatedGraph(seed++), v1());
	const result = await runNode(waitRun(v1(), [jobId], { parameters: { maxWaitMinutes: 0.005 } }));
	expect(result.outputs[0]).toEqual([]);
	expect(jsons(result, 1)).toMatchObject([{ job_id: jobId, interface: 'v1' }]);
});
