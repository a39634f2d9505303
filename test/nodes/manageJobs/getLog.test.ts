import type { IDataObject } from 'n8n-workflow';

import { type NodeRun, runNode } from '../support/engine';
import { CONTINUE } from '../support/files';
import { credentialFor, interfaceOf, type Way } from '../support/flavours';
import { colorGraph, failingGraph } from '../support/graphs';
import { manageRun } from '../support/manage';
import { sharedPool } from '../support/pool';
import { sharedSandbox } from '../support/sandbox';
import { finished, jsons, submitted, waitRun } from '../support/submit';

const sandbox = sharedSandbox({ workers: 1 });
beforeEach(() => sandbox.restartEngine());

let seed = 83_000;
const JOB_OF_ITEM = '={{ $json.job_id }}';
const itemsOf = (jobIds: string[]) => jobIds.map((job_id) => ({ json: { job_id } }));

/** One item for each job. `self_hosted` is the API proxy with *ComfyUI Address*. */
const getLog = async (jobIds: string[], way: Way = 'bare_engine', parameters: IDataObject = {}, more: Partial<NodeRun> = {}) =>
	await runNode(
		manageRun(credentialFor(sandbox, way), 'job:getLog', {
			items: itemsOf(jobIds),
			parameters: { jobId: JOB_OF_ITEM, ...parameters },
			...more,
		}),
	);

async function failed(message: string, way: Way = 'bare_engine', of = sandbox, credential = credentialFor(of, way)): Promise<string> {
	const id = await submitted(of, failingGraph(message), credential);
	await runNode(waitRun(credential, [id]));
	return id;
}

const twoFailed = async (way?: Way) => [await failed('CUDA out of memory', way), await failed('no face was found', way)];

const shownLines = (message: string): string[] => [
	'got prompt',
	'100%|##########| 2/2',
	`!!! Exception during processing !!! ${message}`,
	'Traceback (most recent call last):',
	'  Node #7, class SandboxFail, in execute',
	`OOMError: ${message}`,
	expect.stringMatching(/^Prompt executed in \d+\.\d\d seconds$/) as string,
];

const linesIn = ({ log }: IDataObject): string[] => String(log).split('\n');

it('returns the log of each job of a deployment as a terminal shows it, without colors', async () => {
	const jobIds = await twoFailed('deployment');
	const result = await getLog(jobIds, 'deployment');
	const items = jsons(result);
	const facts = { interface: 'v2', status: 'failed', service_status: 'failed', lines: 7, log_of: 'job', is_complete: true };
	expect(items).toEqual(jobIds.map((job_id) => ({ job_id, ...facts, log: expect.any(String) })));
	expect(items.map(linesIn)).toEqual([shownLines('CUDA out of memory'), shownLines('no face was found')]);
	expect(result.outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
});

it.each<Way>(['bare_engine', 'engine', 'self_hosted'])(
	'returns the log of ComfyUI, which contains both jobs, for each of them (%s)',
	async (way) => {
		const jobIds = await twoFailed(way);
		const items = jsons(await getLog(jobIds, way));
		const facts = { interface: interfaceOf(way), status: 'failed', lines: 14, log_of: 'server', is_complete: true };
		expect(items).toMatchObject(jobIds.map((job_id) => ({ job_id, ...facts })));
		for (const item of items) expect(linesIn(item)).toEqual([...shownLines('CUDA out of memory'), ...shownLines('no face was found')]);
	},
);

it('returns the last lines that each item requests, 100 by default and at most 1,000', async () => {
	const id = await finished(sandbox, colorGraph(seed++), credentialFor(sandbox, 'bare_engine'));
	sandbox.print(Array.from({ length: 1_200 }, (_, index) => `line ${index}\n`).join(''));
	const lines = '={{ [1, 2.7, 5000][$itemIndex] }}';
	const items = jsons(await getLog([id, id, id], 'bare_engine', { lines }));
	expect(items).toMatchObject([
		{ log: 'line 1199', lines: 1, is_complete: false },
		{ log: 'line 1198\nline 1199', lines: 2, is_complete: false },
		{ log: expect.stringMatching(/^line 200\n/), lines: 1_000, is_complete: false },
	]);
	expect(jsons(await getLog([id]))).toMatchObject([{ lines: 100 }]);
	const wrong = await getLog([id, id], 'bare_engine', { lines: '={{ ["none", 0][$itemIndex] }}' }, CONTINUE);
	expect(jsons(wrong).map(({ error }) => error)).toEqual(Array(2).fill('Lines is not a number of at least 1'));
});

it('shortens a log to 64 KiB, at the beginning of a line if there is one, and more for an agent', async () => {
	const id = await finished(sandbox, colorGraph(seed++), credentialFor(sandbox, 'bare_engine'));
	const line = 'ü'.repeat(20_000);
	sandbox.print(`${line}\n${line}\n`);
	expect(jsons(await getLog([id]))).toMatchObject([{ log: line, lines: 1, is_complete: false }]);
	sandbox.print(`${'ü'.repeat(40_000)}\n`);
	const log = 'ü'.repeat(32_768);
	expect(jsons(await getLog([id]))).toMatchObject([{ log, lines: 1, is_complete: false }]);
	const [ofTool] = jsons(await getLog([id], 'bare_engine', {}, { asTool: true }));
	expect(ofTool).toMatchObject({ job_id: id, status: 'succeeded', log: 'ü'.repeat(2_000), is_complete: false });
});

it('masks the secrets of the credential, also where the log is cut, and removes control characters', async () => {
	const id = await finished(sandbox, colorGraph(seed++), credentialFor(sandbox, 'bare_engine'));
	const { partnerKey } = sandbox.keys;
	sandbox.print(`${partnerKey}${'x'.repeat(64 * 1024 - 10)}\n`);
	sandbox.print(`key \u001b[1m${partnerKey}\u001b[0m\u0007 and \u001b]0;title\u0007path\n`);
	const [item] = jsons(await getLog([id]));
	expect(linesIn(item ?? {}).at(-1)).toBe('key *** and path');
	sandbox.restartEngine();
	const [second] = [await finished(sandbox, colorGraph(seed++), credentialFor(sandbox, 'bare_engine'))];
	sandbox.print(`${partnerKey}${'x'.repeat(64 * 1024 - 10)}\n`);
	const [cut] = jsons(await getLog([second]));
	expect(cut?.log).toMatch(/^\**x+$/);
});

it('names what a ComfyUI or its reverse proxy lacks, and the other items continue', async () => {
	const jobIds = await twoFailed();
	sandbox.configure({ engineLog: 'absent' });
	for (const way of ['bare_engine', 'self_hosted'] as const) {
		const missing = await getLog(jobIds, way);
		expect(missing.error?.message).toBe('This ComfyUI does not return its log');
		expect(missing.error?.description).toContain('check that the proxy allows /internal/logs/raw, which is not below /api.');
		expect(missing.error?.context).toMatchObject({ itemIndex: 0, data: { job_id: jobIds[0] } });
	}
	sandbox.configure({ engineLog: 'there' });
	sandbox.inject({ on: 'GET /internal/logs/raw', answer: { status: 403, html: true } });
	const result = await getLog(jobIds, 'bare_engine', { options: { concurrency: 1 } }, CONTINUE);
	expect(jsons(result)).toMatchObject([
		{ job_id: jobIds[0], error: expect.stringContaining('does not allow this') },
		{ job_id: jobIds[1], lines: 14 },
	]);
});

it('says which address is missing if the credential has only the API proxy', async () => {
	const jobIds = await twoFailed('self_hosted');
	const credential = credentialFor(sandbox, 'self_hosted', { engineIsElsewhere: false, engineUrl: '' });
	const run = manageRun(credential, 'job:getLog', { items: itemsOf(jobIds), parameters: { jobId: JOB_OF_ITEM }, ...CONTINUE });
	const items = jsons(await runNode(run));
	expect(items).toMatchObject(
		jobIds.map((job_id) => ({ job_id, error: 'This operation needs ComfyUI itself, because the API proxy does not offer it' })),
	);
	for (const { error_description: advice } of items) expect(advice).toContain('enter its address under ComfyUI Address');
});

it.each<Way>(['v1', 'hosted'])('says for each job that a service without logs has none (%s)', async (way) => {
	const jobIds = await twoFailed(way);
	const items = jsons(await getLog(jobIds, way, {}, CONTINUE));
	expect(items.map(({ error }) => error)).toEqual(jobIds.map((id) => `The server has no log of job ${id}`));
	for (const item of items) expect(item.error_description).toMatch(/^Deployments and a ComfyUI of your own have logs/);
});

it('says that the log is empty if a job has printed nothing, or if the deployment no longer has its log', async () => {
	const credential = credentialFor(sandbox, 'deployment');
	const printed = await failed('CUDA out of memory', 'deployment');
	sandbox.configure({ workers: 0 });
	const waiting = await submitted(sandbox, colorGraph(seed++), credential);
	const result = await getLog([waiting, printed], 'deployment');
	expect(jsons(result)).toMatchObject([
		{ job_id: waiting, log: '', lines: 0, is_complete: true },
		{ job_id: printed, lines: 7 },
	]);
	expect(result.hints).toEqual([`The log of job ${waiting} is empty. If the job has not finished, run this operation again later.`]);
	sandbox.inject({ on: 'GET /api/v2/jobs/:id/logs', answer: { status: 404, code: 'not_found' } });
	const gone = await getLog([printed, printed], 'deployment', { options: { concurrency: 1 } }, CONTINUE);
	expect(jsons(gone)).toMatchObject([{ error: `The server has no log of job ${printed}` }, { lines: 7 }]);
});

it('names a job that does not exist, and still returns the log of a ComfyUI that has lost its jobs', async () => {
	const jobIds = await twoFailed();
	sandbox.restartEngine();
	sandbox.print('Killed, and started again\n');
	const items = jsons(await getLog([...jobIds, 'unknown'], 'bare_engine', {}, CONTINUE));
	const lost = { status: 'expired', log: 'Killed, and started again', log_of: 'server' };
	expect(items).toMatchObject([lost, lost, { job_id: 'unknown', error: 'The server has no job with this ID' }]);
});

describe('of several ComfyUIs', () => {
	const pool = sharedPool();

	it('returns the log of the server that has the job, and none for a job that all have lost', async () => {
		const [first, , third] = pool.sandboxes;
		const onThird = await failed('no face was found', 'bare_engine', third);
		const onFirst = await failed('CUDA out of memory', 'bare_engine', first);
		const run = (jobIds: string[]) =>
			runNode(manageRun(pool.credential(), 'job:getLog', { items: itemsOf(jobIds), parameters: { jobId: JOB_OF_ITEM }, ...CONTINUE }));
		const items = jsons(await run([onThird, onFirst]));
		expect(items).toMatchObject([
			{ job_id: onThird, server: pool.address(2), log_of: 'server' },
			{ job_id: onFirst, server: pool.address(0), log_of: 'server' },
		]);
		expect(items.map(linesIn)).toEqual([shownLines('no face was found'), shownLines('CUDA out of memory')]);
		third.restartEngine();
		expect(jsons(await run([onThird, onFirst]))).toMatchObject([
			{ error: `The server has no log of job ${onThird}` },
			{ server: pool.address(0), lines: 7 },
		]);
	});
});
