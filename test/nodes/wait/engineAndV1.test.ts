import type { IDataObject } from 'n8n-workflow';

import { countTurns } from '../../support/turnClock';
import { until } from '../../support/until';
import { bytesOf, runNode, startNode } from '../support/engine';
import { CONTINUE, downloadRun } from '../support/files';
import { credentialFor } from '../support/flavours';
import { colorGraph, gatedGraph, slowGraph } from '../support/graphs';
import { jobsWait } from '../support/jobsWait';
import { sharedSandbox } from '../support/sandbox';
import { finished, jsons, submitRun, submitted, waitRun } from '../support/submit';

countTurns(5);
const sandbox = sharedSandbox();

describe('over v1', () => {
	const v1 = () => credentialFor(sandbox, 'v1');
	let seed = 9_000;

	describe('where the service has no job read', () => {
		beforeEach(() => sandbox.configure({ v1JobsRead: false }));

		it('Live receives the outputs, and Download takes them from the item', async () => {
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

		it('a wait that starts too late says that the files exist', async () => {
			const jobId = await finishedUnheard();
			for (const mode of ['live', 'polling']) {
				const { error, outputs } = await runNode(waitRun(v1(), [jobId], { parameters: { howToWait: mode } }));
				expect(outputs).toEqual([]);
				expect(error?.message).toMatch(/succeeded, but the service no longer lists its files/);
				expect(error?.description).toMatch(/exist and are billed.*set How To Wait to Live/);
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
			expect(error?.message).toMatch(/no longer lists its files/);
			expect(error?.description).toMatch(/right after Comfy Wait For Job/);
			expect(jsons(await runNode({ ...run, ...CONTINUE }))).toMatchObject([
				{ job_id: jobId, error: expect.stringContaining('no longer lists its files') },
			]);
		});

		/** A job whose live events were not received. */
		async function finishedUnheard(): Promise<string> {
			sandbox.configure({ v1JobsRead: true });
			const jobId = await finished(sandbox, colorGraph(seed++), v1());
			sandbox.configure({ v1JobsRead: false });
			return jobId;
		}
	});
});

describe('on an engine', () => {
	const engine = () => credentialFor(sandbox, 'engine');
	let seed = 900;

	it.each([false, true])(
		'a stop cancels only the own job, and the job of another client continues (job routes: %s)',
		async (engineJobRoutes) => {
			sandbox.configure({ engineJobRoutes, engineConcurrency: 2, gateOpen: false });
			const [mine, theirs] = [
				await submitted(sandbox, gatedGraph(seed++), engine()),
				await submitted(sandbox, gatedGraph(seed++), engine()),
			];
			await until(() => [mine, theirs].every((id) => sandbox.job(id)?.status === 'running'));
			const { result, stop } = startNode(waitRun(engine(), [mine]));
			await until(() => sandbox.sockets('engine').length > 0);
			stop();
			await result.catch(() => undefined);
			await until(() => sandbox.job(mine)?.status === 'canceled');
			sandbox.configure({ gateOpen: true });
			expect((await runNode(waitRun(engine(), [theirs]))).status).toBe('success');
		},
	);

	it('Wait with 20 items outputs them in their order, over one socket that they share', async () => {
		const turn = jobsWait(sandbox, () => sandbox.sockets('engine').length > 0);
		const graphs = Array.from({ length: 20 }, () => ({ json: { color: seed++ } }));
		const submit = submitRun(engine(), colorGraph(0), {
			items: graphs,
			parameters: { options: { inputValues: '={{ { Canvas: { color: $json.color } } }}' } },
		});
		const jobIds = jsons(await runNode(submit)).map(({ job_id }) => String(job_id));
		sandbox.resetRecords();
		const result = await runNode(waitRun(engine(), jobIds, { parameters: { options: { concurrency: 20 } } }));
		await turn;
		expect(jsons(result).map(({ job_id, status }) => [job_id, status])).toEqual(jobIds.map((id) => [id, 'succeeded']));
		// On a busy machine, all running jobs may have ended before the next one begins, which then opens another socket.
		expect(sandbox.requests('GET /ws', 'engine').length).toBeLessThanOrEqual(2);
	});

	it('two executions at the same time do not close each other’s socket', async () => {
		const turn = jobsWait(sandbox, () => sandbox.requests('GET /ws', 'engine').length === 2);
		const jobIds = [
			await submitted(sandbox, slowGraph(10, 30, seed++), engine()),
			await submitted(sandbox, slowGraph(10, 30, seed++), engine()),
		];
		sandbox.resetRecords();
		const results = await Promise.all(jobIds.map(async (id) => await runNode(waitRun(engine(), [id]))));
		await turn;
		expect(results.map(({ status }) => status)).toEqual(['success', 'success']);
		const clientIds = sandbox.requests('GET /ws', 'engine').map(({ query }) => new URLSearchParams(query).get('clientId'));
		expect(new Set(clientIds).size).toBe(clientIds.length);
		expect(clientIds).toHaveLength(2);
	});

	it('the token goes only to the proxy, and Engine Authorization only to the engine', async () => {
		const secrets = { token: 'the-token', engineAuthorizationSecret: 'Basic the-authorization' };
		sandbox.resetRecords();
		for (const way of ['engine', 'self_hosted'] as const) {
			const credential = credentialFor(sandbox, way, secrets);
			await finished(sandbox, slowGraph(3, 20, seed++), credential);
			await runNode({ node: 'comfyManageJobs', credential, parameters: { resource: 'queue', operation: 'get' } });
		}
		const sentTo = (surface: 'engine' | 'self_hosted') => [
			...new Set(sandbox.requests('* *', surface).map(({ headers }) => headers.authorization)),
		];
		expect(sentTo('engine')).toEqual(['Basic the-authorization']);
		expect(sentTo('self_hosted')).toEqual(['Bearer the-token']);
		expect(JSON.stringify(sandbox.requests('* *', 'engine'))).not.toContain('the-token');
	});
});
