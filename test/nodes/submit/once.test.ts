import { runFaster } from '../../support/fastClock';
import { until } from '../../support/until';
import { TWIN, twinOf } from '../support/around';
import { type NodeResult, type NodeRun, runNode } from '../support/engine';
import { credentialFor } from '../support/flavours';
import { CONTINUE } from '../support/files';
import { COLOR_OF_ITEM, colorGraph, colorItems } from '../support/graphs';
import { RETRY, retryExecution, storedContext } from '../support/retried';
import { webhook } from '../support/runAgain';
import { freshSandbox } from '../support/sandbox';
import { jsons, submitRun } from '../support/submit';

runFaster(5);
const sandbox = freshSandbox();

const perItem = { options: COLOR_OF_ITEM };
/** *Retry execution*, as n8n 2 tells the node of it. */
const retried = async (run: NodeRun, { contextData, executionContext }: NodeResult) =>
	await runNode({ ...run, contextData: storedContext({ contextData }), mode: 'retry', executionContext });
const keys = () => sandbox.ledger.runs.map(({ idempotencyKey }) => idempotencyKey);

it('Retry On Fail: 20 items of which item 7 fails once give 20 jobs, none twice', async () => {
	sandbox.inject({ on: 'POST /api/v2/jobs', skip: 7, answer: { status: 402, code: 'insufficient_credits' } });
	const run = submitRun(credentialFor(sandbox), colorGraph(0), { items: colorItems(20), settings: RETRY, parameters: perItem });
	const result = await runNode(run);
	expect(result.status).toBe('success');
	expect(sandbox.ledger.runs).toHaveLength(20);
	expect(new Set(keys()).size).toBe(20);
	const graphs = jsons(result).map(({ job_id }) => sandbox.job(String(job_id))?.graph['1']?.inputs.color);
	expect(graphs).toEqual(colorItems(20).map(({ json }) => json?.color));
});

it('two nodes of one execution that submit the same workflow make two jobs: the key holds the id of the node', async () => {
	const run = submitRun(credentialFor(sandbox), colorGraph(2), { ...webhook(), executionId: 'shared' });
	const { error, runData } = await runNode({ ...run, around: twinOf(run) });
	expect([error, runData[TWIN]?.[0]?.error]).toEqual([undefined, undefined]);
	expect(sandbox.ledger.runs).toHaveLength(2);
	expect(new Set(keys()).size).toBe(2);
});

it('Retry execution: a later execution returns recorded jobs and sends only what is unresolved, under its recorded key', async () => {
	sandbox.inject({ on: 'POST /api/v2/jobs', skip: 2, answer: { status: 402, code: 'insufficient_credits' } });
	const parameters = { options: { ...perItem.options, concurrency: 1 } };
	const run = submitRun(credentialFor(sandbox), colorGraph(0), { items: colorItems(4), parameters });
	const first = await runNode(run);
	expect(first.status).toBe('error');
	expect(sandbox.ledger.runs).toHaveLength(2);
	const refusedKey = sandbox.requests('POST /api/v2/jobs').at(-1)?.headers['idempotency-key'];

	const second = await runNode(retryExecution(run, first));
	expect(second.status).toBe('success');
	expect(sandbox.ledger.runs).toHaveLength(4);
	expect(keys()).toContain(refusedKey);
	expect(jsons(second).map(({ job_id }) => job_id)).toEqual(sandbox.ledger.runs.map(({ jobId }) => jobId));
});

describe('a recorded job', () => {
	const readJob = 'GET /api/v2/jobs/:id';

	it('that the service no longer has is read twice, and nothing is submitted', async () => {
		const run = submitRun(credentialFor(sandbox), colorGraph(8));
		const first = await runNode(run);
		sandbox.inject({ on: readJob, times: Infinity, answer: { status: 404, code: 'job_not_found' } });
		const reads = () => sandbox.requests(readJob).length;
		const before = reads();
		const retry = await runNode(retryExecution(run, first));
		expect(retry.status).toBe('error');
		expect([reads() - before, sandbox.ledger.runs.length]).toEqual([2, 1]);
	});

	it.each([
		['deployment', { runFailedJobsAgain: 'no' }, 'To let retries run failed jobs again, set Run Failed Jobs Again in Options.'],
		['deployment', { runFailedJobsAgain: 'ifFree' }, 'because the service may bill each run.'],
		[
			'self_hosted',
			{ runFailedJobsAgain: 'always', idempotencyKeyMode: 'custom', idempotencyKey: '={{ "missing job " + $json.color }}' },
			'because Idempotency Key is Custom.',
		],
	] as const)(
		'that the service no longer has, of two items, says why a retry does not run it again (%s, %j)',
		async (way, options, reason) => {
			const parameters = { options: { ...perItem.options, ...options } };
			const run = submitRun(credentialFor(sandbox, way), colorGraph(0), { items: colorItems(2), parameters });
			const first = await runNode(run);
			expect(first.error).toBeUndefined();
			sandbox.inject({ on: readJob, times: Infinity, answer: { status: 404, code: 'job_not_found' } });
			const retry = await runNode({ ...retryExecution(run, first), ...CONTINUE });
			const said = expect.stringContaining(reason) as string;
			const failed = {
				error: 'The server has no job with this ID',
				error_description: said,
				error_facts: { kind: 'ApiError', http_status: 404 },
			};
			expect(jsons(retry)).toMatchObject([failed, failed]);
			expect(sandbox.ledger.runs).toHaveLength(2);
		},
	);
});

it.each([
	['single-use keys', 'deployment', 'drop_after'],
	['replaying keys', 'self_hosted', 'drop_after'],
	['single-use keys', 'hosted', 'drop_before'],
] as const)('a lost answer gives one job (%s of %s, %s)', async (keysAre, surface, kind) => {
	sandbox.configure({ replaysKeys: keysAre === 'replaying keys' });
	sandbox.inject({ on: 'POST /api/v2/jobs', fault: { kind } });
	const result = await runNode(submitRun(credentialFor(sandbox, surface), colorGraph(1)));
	expect(result.status).toBe('success');
	expect(sandbox.ledger.runs.map(({ jobId }) => jobId)).toEqual([jsons(result)[0]?.job_id]);
});

it('fails as "may have been submitted" with the key when the response is lost and the service lists no jobs, and is never sent under another key', async () => {
	sandbox.configure({ v1JobsRead: false });
	sandbox.inject({ on: 'POST /api/v2/jobs', fault: { kind: 'drop_after' } });
	const result = await runNode(submitRun(credentialFor(sandbox), colorGraph(3), { settings: RETRY }));
	expect(result.status).toBe('error');
	expect(result.error?.message).toMatch(/may have been submitted,/);
	expect(result.error?.description).toContain(String(keys()[0]));
	expect(sandbox.ledger.runs).toHaveLength(1);
	expect(new Set(sandbox.requests('POST /api/v2/jobs').map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
});

describe.each(['deployment', 'v1'] as const)('an expression that gives another value at each try (%s)', (way) => {
	const at = way === 'v1' ? 'POST /api/prompt' : 'POST /api/v2/jobs';
	const options = { inputValues: '={{ { Canvas: { color: Math.floor(Math.random() * 1e6) } } }}', keepTryingForSeconds: 0 };
	const run = (settings = RETRY) => submitRun(credentialFor(sandbox, way), colorGraph(1), { settings, parameters: { options } });

	it('the job of a lost answer is found by what was sent', async () => {
		sandbox.inject({ on: at, fault: { kind: 'drop_after' } });
		const result = await runNode(run());
		expect(result.error).toBeUndefined();
		expect(sandbox.ledger.runs).toHaveLength(1);
		expect(jsons(result)[0]?.job_id).toBe(sandbox.ledger.runs[0]?.jobId);
	});

	it('also by a retry of the execution; nothing is kept of it then', async () => {
		sandbox.inject({ on: at, fault: { kind: 'drop_after' } });
		const first = await runNode(run({ ...RETRY, retryOnFail: false }));
		expect(first.error?.message).toMatch(/may have been submitted,/);
		expect(JSON.stringify(first.contextData)).toContain('EmptyImage');
		const second = await retried(run(), first);
		expect(second.error).toBeUndefined();
		expect(jsons(second)[0]?.job_id).toBe(sandbox.ledger.runs[0]?.jobId);
		expect(sandbox.ledger.runs).toHaveLength(1);
		expect(JSON.stringify(second.contextData)).not.toContain('EmptyImage');
	});
});

describe.each(['hosted', 'self_hosted'] as const)('a submission that arrives after its 504 (%s)', (way) => {
	const SUBMIT = 'POST /api/v2/jobs';
	const options = { inputValues: '={{ { Canvas: { color: Math.floor(Math.random() * 1e6) } } }}' };
	const run = () => submitRun(credentialFor(sandbox, way), colorGraph(1), { parameters: { options } });

	it('is delivered by a retry, although the attempt after it was refused and the expression gives another value now', async () => {
		const late = sandbox.inject({ on: SUBMIT, fault: { kind: 'late_delivery', ms: 40 }, answer: { status: 504, html: true } });
		sandbox.inject({ on: SUBMIT, answer: { status: 402, code: 'insufficient_credits' } });
		const first = await runNode(run());
		expect(first.error).toMatchObject({ httpCode: '402' });
		await until(() => late.used === 1 && sandbox.ledger.runs.length === 1);
		const second = await retried(run(), first);
		expect(second.error).toBeUndefined();
		expect(jsons(second)[0]?.job_id).toBe(sandbox.ledger.runs[0]?.jobId);
		expect(sandbox.ledger.runs).toHaveLength(1);
	});
});

it('a key of the user’s own that is in use stays a refusal, in every try', async () => {
	const parameters = { options: { idempotencyKeyMode: 'custom', idempotencyKey: 'order-1' } };
	await runNode(submitRun(credentialFor(sandbox, 'deployment'), colorGraph(7), { parameters }));
	const again = await runNode(submitRun(credentialFor(sandbox, 'deployment'), colorGraph(8), { parameters, settings: RETRY }));
	expect(again.error?.message).toMatch(/already been used/);
	expect(sandbox.ledger.runs).toHaveLength(1);
});

it.each([
	['there is a job, which the next try finds', 'drop_after', 1],
	['there is none, so it stays unconfirmed', 'drop_before', 0],
] as const)('without a key a lost answer is never sent again: %s', async (_name, kind, runs) => {
	sandbox.inject({ on: 'POST /api/v2/jobs', fault: { kind } });
	const options = { idempotencyKeyMode: 'none' };
	const result = await runNode(submitRun(credentialFor(sandbox), colorGraph(4), { settings: RETRY, parameters: { options } }));
	if (runs === 0) {
		expect(result.error?.message).toMatch(/may have been submitted,/);
		expect(result.error?.context.data).not.toHaveProperty('idempotency_key');
	} else expect(jsons(result)).toMatchObject([{ job_id: sandbox.ledger.runs[0]?.jobId }]);
	expect(sandbox.ledger.runs).toHaveLength(runs);
	expect(sandbox.requests('POST /api/v2/jobs')).toHaveLength(1);
});
