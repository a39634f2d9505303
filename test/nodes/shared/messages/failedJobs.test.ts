import type { JobError } from '../../../../client';
import { toJobFault } from '../../../../nodes/shared/jobs/jobItems';
import { failedJob } from '../../support/failedJob';

/** A code with advice of its own, codes that the service shares, and an unknown one. */
const ends: Array<[string, RegExp]> = [
	['ModelDownloadError', /model of the workflow is missing/],
	['InsufficientFundsError', /Add credits/],
	['DispatcherError', /cause is in the service/],
	['lost', /lost the job.*Submit the workflow again/],
	['SomethingNew', /Correct this node in the workflow or its inputs/],
];

it.each(ends)('a job that ended with %s says what to do', (code, advice) => {
	const fault = toJobFault(failedJob({ code, node_id: '7', class_type: 'KSampler', traceback: 'line 1' }));
	expect(fault.message).toBe('Job j1 stopped at node 7 (KSampler): words');
	expect(fault.words.advice).toMatch(advice);
	expect(fault.words.advice).toContain(`Error code of the job: ${code}.`);
	expect(fault.words.advice).toContain('line 1');
});

const OUT_OF_MEMORY = /^The GPU does not have enough memory\. Use smaller images/;
const NETWORK = /^The ComfyUI node could not connect to a server\. Check the internet connection/;
it.each<[what: string, reason: Partial<JobError>, advice: RegExp]>([
	['PyTorch’s exception', { exception_type: 'torch.OutOfMemoryError' }, OUT_OF_MEMORY],
	['the exception of an older PyTorch', { exception_type: 'torch.cuda.OutOfMemoryError' }, OUT_OF_MEMORY],
	['a message of CUDA', { message: 'CUDA out of memory. Tried to allocate 2.00 GiB' }, OUT_OF_MEMORY],
	['a message of HIP', { message: 'HIP out of memory' }, OUT_OF_MEMORY],
	['a message of ComfyUI', { message: 'Allocation on device 0 would exceed allowed memory.' }, OUT_OF_MEMORY],
	['the class in a traceback', { traceback: 'Traceback:\ntorch.OutOfMemoryError: Allocation on device' }, OUT_OF_MEMORY],
	['a message of a partner node', { message: 'Unable to connect to the API server due to local network issues.' }, NETWORK],
	['the last line of a traceback', { traceback: 'Traceback:\ncomfy_api_nodes.util.ApiServerError: no' }, NETWORK],
	['an exception of aiohttp', { exception_type: 'aiohttp.client_exceptions.ClientConnectorDNSError' }, NETWORK],
])('a job that failed because of memory or the network is not blamed on the workflow: known by %s', (_, reason, advice) => {
	const fault = toJobFault(failedJob({ code: 'node_execution_error', node_id: '7', ...reason }));
	expect(fault.words.advice).toMatch(advice);
	expect(fault.words.advice).not.toContain('Correct this node');
});

it.each([
	['Unauthorized: Please login first to use this node.', /turn on Send Key To Partner Nodes in Options/],
	['Exception: Payment Required: Please add credits to your account to use this node.', /Add credits to the account/],
	['Rate Limit Exceeded: Please try again later.', /accepts no more requests for now/],
])('B7: two partner nodes that fail with "%s" say what to do about the account', (message, advice) => {
	for (const class_type of ['FluxProUltraImageNode', 'KlingTextToVideoNode']) {
		const fault = toJobFault(failedJob({ code: 'node_execution_error', node_id: '7', class_type, message }));
		expect(fault.words.advice).toMatch(advice);
		expect(fault.words.advice).not.toContain('Correct this node');
	}
});

it('G4: the message about the memory of two kinds of devices is its first line', () => {
	for (const device of ['CUDA', 'HIP']) {
		const message = `${device} out of memory. Tried to allocate 2.00 GiB.\nOf the allocated memory 70 GiB is in use.\n`;
		const fault = toJobFault(failedJob({ message, node_id: '7' }));
		expect(fault.message).toMatch(new RegExp(` node 7.*: ${device} out of memory\\. Tried to allocate 2\\.00 GiB\\.$`));
	}
});

it.each<[reason: Partial<JobError>, named: string]>([
	[{ exception_type: 'AssertionError' }, 'AssertionError'],
	[{ code: 'OOMError' }, 'OOMError'],
	[{ code: 'execution_error' }, 'no reason was given'],
])('a failed job without a message (%j) is reported by the name of its exception, if it has one', (reason, named) => {
	expect(toJobFault(failedJob({ message: '', node_id: '7', ...reason })).message).toBe(`Job j1 stopped at node 7: ${named}`);
});

it('a failed job shows the last lines of a long traceback', () => {
	const calls = Array.from({ length: 30 }, (_, at) => `  File "/comfy/module${at}.py", line ${at}, in call${at}\n    run(${at})\n`);
	const traceback = `Traceback (most recent call last):\n${calls.join('')}ValueError: too blue\n`;
	const { advice } = toJobFault(failedJob({ message: 'too blue', traceback })).words;
	expect(advice).toContain('Traceback (the last 8 of 62 lines; job_error has all of them): ');
	expect(advice).toMatch(/module29\.py[^]*\nValueError: too blue/);
	expect(advice).not.toContain('module1.py');
});

it('a failed job with a message of 300 kB is reported in short', () => {
	const { message, advice } = toJobFault(failedJob({ message: `first ${'x'.repeat(300_000)} last`, traceback: 'x'.repeat(300_000) })).words;
	expect(message.length).toBeLessThan(1_200);
	expect(message).toMatch(/first xxx.*… \(300,011 characters in total\)$/);
	expect(advice.length).toBeLessThan(12_000);
});

it('a job that failed without a reason keeps the status of the service', () => {
	expect(toJobFault(failedJob(null)).message).toBe('Job j1 ended with status "error"');
});
