import type { IDataObject } from 'n8n-workflow';

import { until } from '../support/until';
import { hurryClock } from './support/clock';
import { bytesOf, runNode, startNode } from './support/engine';
import { downloadRun, storedFiles } from './support/files';
import { credentialFor, surfaces } from './support/flavours';
import { colorGraph, failingGraph, slowGraph } from './support/graphs';
import { manageRun } from './support/manage';
import { fileGraph, largeFileGraph, partlyFailingGraph } from './support/media';
import { finished, jsons, submitted, waitRun } from './support/submit';
import { sharedSandbox } from './support/sandbox';

const MIB = 1024 * 1024;

const sandbox = sharedSandbox();
let textJob: string;
beforeAll(async () => {
	textJob = await finished(sandbox, fileGraph('hello.txt'));
});

const hosted = () => credentialFor(sandbox);
const download = async (jobId: string, credential = hosted()) => await runNode(downloadRun(credential, [jobId]));
const fromStorage = () => sandbox.requests('GET /blobs/:id', 'storage');

/** The next read of a job answers with its first output changed. */
async function changeOutput(jobId: string, change: IDataObject): Promise<void> {
	const response = await fetch(`${sandbox.urls.hosted}/api/v2/jobs/${jobId}`, {
		headers: { authorization: `Bearer ${sandbox.keys.apiKey}` },
	});
	const job = (await response.json()) as { outputs: IDataObject[] };
	const json = { ...job, outputs: [{ ...job.outputs[0], ...change }] };
	sandbox.inject({ on: 'GET /api/v2/jobs/:id', answer: { status: 200, json } });
}

describe('links', () => {
	it.each([400, 403] as const)('an expired one (%i) is replaced by a fresh one', async (expiredLinkStatus) => {
		sandbox.configure({ expiredLinkStatus });
		sandbox.inject({ on: 'GET /api/v2/jobs/:id', fault: { kind: 'expired_link' } });
		const { outputs } = await download(textJob);
		expect(String(await bytesOf(outputs[0]?.[0]))).toBe('hello');
		expect(fromStorage().map(({ status }) => status)).toEqual([expiredLinkStatus, 200]);
		expect(sandbox.requests('GET /api/v2/jobs/:id')).toHaveLength(2);
	});

	it('that stay expired fail, and their query is in no error', async () => {
		sandbox.inject({ on: 'GET /blobs/:id', times: Infinity, fault: { kind: 'expired_link' } });
		const { status, error } = await download(textJob);
		expect(status).toBe('error');
		expect(error?.context.itemIndex).toBe(0);
		expect(JSON.stringify(error)).not.toMatch(/X-Goog|Signature/);
	});

	it.each(['signed', 'content'] as const)('to another origin get no credential (%s links)', async (assetUrls) => {
		sandbox.configure({ assetUrls });
		const { outputs } = await download(textJob);
		expect(String(await bytesOf(outputs[0]?.[0]))).toBe('hello');
		expect(fromStorage()).toHaveLength(1);
		expect(fromStorage().filter(({ headers }) => headers.authorization !== undefined || headers.cookie !== undefined)).toEqual([]);
	});
});

describe('bytes', () => {
	it('cut in the middle are resumed: storage serves hardly more than the file', async () => {
		const jobId = await finished(sandbox, largeFileGraph(8, 2));
		sandbox.resetRecords();
		sandbox.inject({ on: 'GET /blobs/:id', fault: { kind: 'truncate', afterBytes: 3 * MIB } });
		sandbox.inject({ on: 'GET /blobs/:id', fault: { kind: 'truncate', afterBytes: 2 * MIB } });
		const { status, outputs } = await download(jobId);
		expect(status).toBe('success');
		expect((await bytesOf(outputs[0]?.[0])).byteLength).toBe(8 * MIB);
		expect(fromStorage().map(({ headers }) => headers.range !== undefined)).toEqual([false, true, true]);
		expect(fromStorage().reduce((sum, { responseBytes }) => sum + responseBytes, 0)).toBeLessThanOrEqual(9 * MIB);
	});

	it.each([
		['hash', { hash: `blake3:${'0'.repeat(64)}` }, /its hash is blake3:\w+, not blake3:0+$/],
		['size', { size_bytes: 99 }, /its size is 5, not 99$/],
		['size', { size_bytes: 3 }, /its size is 5, not 3$/],
	])('of another %s than announced fail, and nothing is saved', async (_, change, message) => {
		const before = storedFiles();
		await changeOutput(textJob, change);
		const { status, error } = await download(textJob);
		expect(status).toBe('error');
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(/Nothing was saved/);
		expect(storedFiles()).toEqual(before);
	});

	it('that stop on a stop leave nothing behind', async () => {
		const jobId = await finished(sandbox, largeFileGraph(4, 3));
		const before = storedFiles();
		sandbox.inject({ on: 'GET /blobs/:id', fault: { kind: 'stall', afterBytes: 2 * MIB } });
		const { result, stop } = startNode(downloadRun(hosted(), [jobId]));
		await until(() => (fromStorage()[0]?.responseBytes ?? 0) >= 2 * MIB);
		stop();
		await result.catch(() => undefined);
		await until(() => fromStorage()[0]?.finished === true);
		expect(storedFiles()).toEqual(before);
	});

	it.each(['hosted', 'self_hosted'] as const)('that are a web page fail, and nothing is saved (%s)', async (surface) => {
		const credential = credentialFor(sandbox, surface);
		const jobId = surface === 'hosted' ? textJob : await finished(sandbox, colorGraph(1), credential);
		const before = storedFiles();
		const on = surface === 'hosted' ? 'GET /blobs/:id' : 'GET /api/v2/assets/:id/content';
		sandbox.inject({ on, times: Infinity, answer: { status: 200, html: true } });
		const { status, error } = await download(jobId, credential);
		expect(status).toBe('error');
		expect(error?.message).toMatch(/sent a web page \(HTTP 200\)/);
		expect(error?.description).toMatch(/proxy or a login page/);
		expect(JSON.stringify(error)).not.toMatch(/X-Goog/);
		expect(storedFiles()).toEqual(before);
	});

	it('that are a web page by intention are saved', async () => {
		const jobId = await finished(sandbox, fileGraph('report.html', { kind: 'file', content_type: 'text/html', text: '<!doctype html>' }));
		const before = storedFiles();
		const { outputs } = await download(jobId);
		expect(storedFiles().length).toBeGreaterThan(before.length);
		expect(outputs[0]?.[0]?.binary?.data).toMatchObject({ fileName: 'report.html', mimeType: 'text/html' });
	});

	it('that the storage refuses for good end with its status', async () => {
		hurryClock();
		sandbox.inject({ on: 'GET /blobs/:id', times: Infinity, answer: { status: 503, html: true } });
		const { status, error } = await download(textJob);
		expect(status).toBe('error');
		expect(error?.message).toMatch(/HTTP 503/);
		expect(error?.context.itemIndex).toBe(0);
	});

	it('that the server no longer has say to run the workflow again', async () => {
		const credential = credentialFor(sandbox, 'self_hosted');
		const jobId = await finished(sandbox, colorGraph(2), credential);
		sandbox.inject({ on: 'GET /api/v2/assets/:id/content', times: Infinity, answer: { status: 404, code: 'output_unavailable' } });
		const { error } = await download(jobId, credential);
		expect(error?.message).toMatch(/no longer has the bytes/);
		expect(error?.description).toMatch(/Run the workflow again/);
	});
});

describe('the job', () => {
	it.each([...surfaces, 'engine'] as const)('that still runs: says to put Comfy Wait For Job before (%s)', async (surface) => {
		const credential = credentialFor(sandbox, surface);
		const jobId = await submitted(sandbox, slowGraph(5_000, 20, 9), credential);
		const { error } = await download(jobId, credential);
		expect(error?.message).toMatch(new RegExp(`Job ${jobId} has not ended yet \\(status "(queued|running)"\\)`));
		expect(error?.description).toMatch(/^Put Comfy Wait For Job before this node\./);
		expect(sandbox.requests('GET /blobs/:id')).toEqual([]);
		await runNode(manageRun(credential, 'job:cancel', { parameters: { jobId } }));
	});

	const ended = async (graph: Parameters<typeof submitted>[1], credential = hosted()): Promise<string> => {
		const jobId = await submitted(sandbox, graph, credential);
		await runNode(waitRun(credential, [jobId]));
		return jobId;
	};

	it('that failed without outputs names the node at fault', async () => {
		const jobId = await ended(failingGraph());
		const { status, error } = await download(jobId);
		expect(status).toBe('error');
		expect(error?.message).toMatch(/stopped at node 7 \(SandboxFail\).*CUDA out of memory/);
		expect(error?.context.data).toMatchObject({ job_id: jobId });
	});

	it('that failed after it had saved something gives what was paid for', async () => {
		const jobId = await ended(partlyFailingGraph(7));
		expect(jsons(await download(jobId))).toMatchObject([{ job_id: jobId, status: 'failed', output: { node_id: '2' } }]);
	});

	it('that was canceled says so', async () => {
		const jobId = await submitted(sandbox, slowGraph(5_000, 20, 10));
		await fetch(`${sandbox.urls.hosted}/api/v2/jobs/${jobId}/cancel`, {
			method: 'POST',
			headers: { authorization: `Bearer ${sandbox.keys.apiKey}` },
		});
		await runNode(waitRun(hosted(), [jobId]));
		const { error } = await download(jobId);
		expect(error?.message).toBe(`Job ${jobId} was stopped before it finished`);
	});

	it.each([
		['unknown', () => 'no-such-job'],
		['past its retention', () => sandbox.seeds.expiredJob],
		['another account’s', () => sandbox.seeds.foreignJob],
	])('that is %s: says where to look', async (_, jobId) => {
		const { error } = await download(jobId());
		expect(error?.message).toMatch(/knows no such/);
		expect(error?.description).toMatch(/another account or server/);
		expect(error?.description).toMatch(/Request id: req_\S+$/);
		expect(error?.httpCode).toBe('404');
		expect(error?.context.itemIndex).toBe(0);
	});

	it('L3: that a self-hosted server calls expired before its time is reported as lost by ComfyUI', async () => {
		const credential = credentialFor(sandbox, 'self_hosted');
		const jobId = await finished(sandbox, colorGraph(3), credential);
		sandbox.inject({ on: `GET /api/v2/jobs/${jobId}`, times: Infinity, fault: { kind: 'false_expired' } });
		const { error } = await download(jobId, credential);
		expect(error?.message).toMatch(new RegExp(`^Job ${jobId} is not known to ComfyUI any more: it was restarted`));
		expect(error?.description).toMatch(/Submit the workflow again/);
	});

	it('T1: that a self-hosted server calls expired for a moment is read once more', async () => {
		const credential = credentialFor(sandbox, 'self_hosted');
		const jobId = await finished(sandbox, colorGraph(4), credential);
		sandbox.inject({ on: `GET /api/v2/jobs/${jobId}`, fault: { kind: 'false_expired' } });
		expect((await download(jobId, credential)).status).toBe('success');
	});

	it('without an id names the field', async () => {
		const { error } = await runNode(downloadRun(hosted(), [''], {}));
		expect(error?.message).toBe('Job ID is empty');
	});

	it('of the second item: the failure carries its index', async () => {
		const { error } = await runNode(downloadRun(hosted(), [textJob, 'no-such-job']));
		expect(error?.context.itemIndex).toBe(1);
	});
});
