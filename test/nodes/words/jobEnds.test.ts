import { randomUUID } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import type { ApiGraph } from '../../../client';
import { type NodeResult, runNode } from '../support/engine';
import { credentialFor, type Way } from '../support/flavours';
import { submitRun, submitted, waitRun } from '../support/submit';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();

/** Fails in a node that its author has titled. */
const failing = (message: string, exception_type: string): ApiGraph => ({
	1: { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 3 } },
	7: { class_type: 'SandboxFail', inputs: { image: ['1', 0], message, exception_type }, _meta: { title: 'Big Picture' } },
	9: { class_type: 'SaveImage', inputs: { images: ['7', 0], filename_prefix: 'never' } },
});

async function ended(way: Way, graph: ApiGraph): Promise<NodeResult> {
	const credential = credentialFor(sandbox, way);
	return await runNode(waitRun(credential, [await submitted(sandbox, graph, credential)]));
}

describe('a GPU that had too little memory', () => {
	it.each([
		['v1', 'torch.OutOfMemoryError', 'Allocation on device 0'],
		['engine', 'torch.OutOfMemoryError', 'Allocation on device 0'],
		['engine', 'torch.cuda.OutOfMemoryError', 'Tried to allocate 2.00 GiB'],
		['hosted', 'RuntimeError', 'CUDA out of memory. Tried to allocate 2.00 GiB'],
		['self_hosted', 'RuntimeError', 'HIP out of memory'],
		['engine', 'RuntimeError', 'Allocation on device 0 would exceed allowed memory.'],
	] as const)('W4: is told as such on %s (%s: %s), with the node by title and id', async (way, exceptionType, message) => {
		const { error } = await ended(way, failing(message, exceptionType));
		expect(error?.message).toMatch(/stopped at node 7 "Big Picture" \(SandboxFail\): /);
		expect(error?.message).toContain(message);
		expect(error?.description).toMatch(/^The GPU had too little memory\. Use smaller pictures/);
		expect(error?.description).not.toMatch(/Correct this node/);
	});

	it('W4: is told as such on v2, whose code is the same for whatever a node throws, by the class in the traceback, which stands apart', async () => {
		const jobId = await submitted(sandbox, failing('Allocation on device', 'x'));
		const job_error = {
			code: 'node_execution_error',
			message: 'Allocation on device',
			node_id: '7',
			class_type: 'SandboxFail',
			traceback: 'Traceback (most recent call last):\ntorch.OutOfMemoryError: Allocation on device',
		};
		const urls = { self: `/api/v2/jobs/${jobId}`, events: null, cancel: null };
		sandbox.inject({
			on: 'GET /api/v2/jobs/:id',
			times: Infinity,
			answer: { status: 200, json: { id: jobId, status: 'failed', error: job_error, outputs: [], urls } },
		});
		const { error } = await runNode(waitRun(credentialFor(sandbox), [jobId]));
		expect(error?.message).toBe(`Job ${jobId} stopped at node 7 "Big Picture" (SandboxFail): Allocation on device`);
		expect(error?.description).toMatch(/^The GPU had too little memory/);
		expect(error?.description).toMatch(/\nTraceback: Traceback \(most recent call last\):\ntorch\.OutOfMemoryError/);
	});
});

/** What n8n shows of a job of v2 that failed so at node 7. */
async function failedWith(reason: IDataObject): Promise<NodeResult['error']> {
	const jobId = await submitted(sandbox, failing('unused', 'x'));
	const urls = { self: `/api/v2/jobs/${jobId}`, events: null, cancel: null };
	const error = { node_id: '7', class_type: 'SandboxFail', traceback: null, ...reason };
	sandbox.inject({
		on: 'GET /api/v2/jobs/:id',
		times: Infinity,
		answer: { status: 200, json: { id: jobId, status: 'failed', error, outputs: [], urls } },
	});
	return (await runNode(waitRun(credentialFor(sandbox), [jobId]))).error;
}

describe('a failed job', () => {
	it('W8: is not run again by a retry of the execution, and the message says so; a new execution runs it', async () => {
		const credential = credentialFor(sandbox);
		const submit = submitRun(credential, failing('too blue', 'ValueError'));
		const first = await runNode({ ...submit, executionId: 'one' });
		const jobId = first.outputs[0]?.[0]?.json.job_id;
		const { error } = await runNode(waitRun(credential, [String(jobId)]));
		expect(error?.description).toMatch(/Retrying this execution looks at the same job again: to run it anew, start a new execution\./);

		const retried = await runNode({ ...submit, executionId: 'two', contextData: first.contextData });
		expect(retried.outputs[0]?.[0]?.json).toMatchObject({ job_id: jobId, status: 'failed' });
		const anew = await runNode({ ...submit, executionId: randomUUID() });
		expect(anew.outputs[0]?.[0]?.json.job_id).not.toBe(jobId);
	});

	it('W11: whose exception says nothing is told by the exception’s name', async () => {
		const { error } = await ended('engine', failing('', 'AssertionError'));
		expect(error?.message).toMatch(/stopped at node 7 .*: AssertionError$/);
	});

	it('W11: whose node wrote 300 kB is told in short, and the data keeps all of it', async () => {
		const long = `first ${'x'.repeat(300_000)} last`;
		const { error } = await ended('engine', failing(long, 'ValueError'));
		expect(error?.message.length).toBeLessThan(1_200);
		expect(error?.message).toMatch(/first xxx.*… \(300,011 characters in all\)$/);
		expect(error?.description?.length).toBeLessThan(12_000);
		expect(error?.context.data).toMatchObject({ job_error: { message: long } });
	});

	it('L12: shows the last lines of a long traceback without rows of markers, and keeps the whole traceback in the data', async () => {
		const calls = Array.from(
			{ length: 30 },
			(_, index) => `  File "/comfy/module${index}.py", line ${index}, in call${index}\n    run(${index})\n    ^^^^^~~~\n`,
		);
		const traceback = `Traceback (most recent call last):\n${calls.join('')}ValueError: too blue\n`;
		const error = await failedWith({ code: 'node_execution_error', message: 'too blue', traceback });
		expect(error?.description).toContain('Traceback (the last 8 of 62 lines; job_error has all of them): ');
		expect(error?.description).toMatch(/module29\.py[^]*\nValueError: too blue/);
		expect(error?.description).not.toMatch(/\^\^|~~|module1\.py/);
		expect(error?.description?.length).toBeLessThan(800);
		expect(error?.context.data).toMatchObject({ job_error: { traceback } });
	});

	it.each([
		[
			'by its message',
			{ message: 'Unable to connect to the API server due to local network issues. Please check your internet connection.' },
		],
		[
			'by the last line of the traceback',
			{ message: 'no', traceback: 'Traceback:\ncomfy_api_nodes.util.common_exceptions.ApiServerError: no' },
		],
		['by its exception', { message: '', exception_type: 'aiohttp.client_exceptions.ClientConnectorDNSError' }],
	])('L12: a network failure inside a partner node, known %s, is not blamed on the workflow', async (_, reason) => {
		const error = await failedWith({ code: 'node_execution_error', ...reason });
		expect(error?.description).toMatch(/^The node could not reach a server on the network\. Check the internet connection/);
		expect(error?.description).not.toContain('Correct this node');
	});
});
