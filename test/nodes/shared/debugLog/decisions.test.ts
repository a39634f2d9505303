import { until } from '../../../support/until';
import { NODE_NAME, type NodeRun, startNode } from '../../support/engine';
import { downloadRun, fileItem, uploadRun } from '../../support/files';
import { credentialFor } from '../../support/flavours';
import { colorGraph, gatedGraph, slowGraph } from '../../support/graphs';
import { jobsWait } from '../../support/jobsWait';
import { manageRun } from '../../support/manage';
import { collectLog, messagesOf, plain, runLogged } from '../../support/log';
import { editorFile } from '../../support/editorFiles';
import { finished, jsons, submitRun, submitted, waitRun } from '../../support/submit';
import { freshSandbox } from '../../support/sandbox';
import { storedContext } from '../../support/retried';

const sandbox = freshSandbox();

/** Lines of one run, which must be among its log in this order. */
async function expectLines(run: NodeRun, lines: string[]): Promise<void> {
	const logged = await runLogged(run);
	const all = messagesOf(logged);
	expect(all.filter((line) => lines.includes(line))).toEqual(lines);
}

const submit = (more: Partial<NodeRun> = {}, surface: Parameters<typeof credentialFor>[1] = 'hosted') =>
	submitRun(credentialFor(sandbox, surface), colorGraph(1), more);
const streams = () => sandbox.requests('GET /api/v2/jobs/:id/events').length;
const getJob = (jobId: string) => manageRun(credentialFor(sandbox), 'job:get', { parameters: { jobId } });

describe('a request is sent again', () => {
	it('when the service says so', async () => {
		const jobId = await finished(sandbox, colorGraph(2));
		sandbox.inject({ on: 'GET /api/v2/jobs/:id', answer: { status: 503, code: 'deployment_not_ready', retryAfter: 1 } });
		await expectLines(getJob(jobId), [
			'Comfy: GET http://HOST/api/v2/jobs/ID → 503 in TIME (deployment_not_ready); attempt 2 in TIME, as the service asks',
			'Comfy: GET http://HOST/api/v2/jobs/ID (attempt 2) → 200 in TIME',
		]);
	});

	it('when the connection was lost', async () => {
		const jobId = await finished(sandbox, colorGraph(2));
		sandbox.inject({ on: 'GET /api/v2/jobs/:id', fault: { kind: 'drop_before' } });
		await expectLines(getJob(jobId), [
			'Comfy: GET http://HOST/api/v2/jobs/ID → no answer in TIME (the connection was lost); attempt 2 in TIME',
			'Comfy: GET http://HOST/api/v2/jobs/ID (attempt 2) → 200 in TIME',
		]);
	});
});

describe('a submission', () => {
	it('waits in line while the service is full', async () => {
		sandbox.inject({ on: 'POST /api/v2/jobs', answer: { status: 429, code: 'queue_full', retryAfter: 1 } });
		await expectLines(submit(), [
			'Comfy: POST http://HOST/api/v2/jobs → 429 in TIME (queue_full); the service takes no more jobs now, with 0 jobs of this connection in flight; the submission waits in line, for TIME as the service asks',
			'Comfy: POST http://HOST/api/v2/jobs (attempt 2) → 201 in TIME',
			'Comfy: job ID is submitted',
		]);
	});

	it('is searched by its workflow when its answer was lost', async () => {
		sandbox.configure({ replaysKeys: false });
		sandbox.inject({ on: 'POST /api/v2/jobs', fault: { kind: 'drop_after' } });
		await expectLines(submit({}, 'deployment'), [
			'Comfy: POST http://HOST/api/v2/jobs → no answer in TIME (the connection was lost); attempt 2 in TIME',
			'Comfy: an earlier attempt may have made a job (HTTP 422 idempotency_key_reuse): looking for it by its workflow',
			'Comfy: found job ID again by its workflow',
			'Comfy: job ID is submitted',
		]);
	});

	it('is searched by its id on an engine', async () => {
		sandbox.inject({ on: 'POST /api/prompt', surface: 'engine', fault: { kind: 'drop_after' } });
		await expectLines(submit({}, 'engine'), [
			'Comfy: POST http://HOST/api/prompt → no answer in TIME (the connection was lost)',
			'Comfy: an earlier attempt may have made a job (the connection was lost): looking for it by the id that was chosen for it',
			'Comfy: found job ID again by the id that was chosen for it',
		]);
	});

	it('of an earlier try is not sent again', async () => {
		const { result } = await runLogged(submit({ executionId: '1' }));
		const contextData = storedContext(result);
		await expectLines(submit({ executionId: '2', contextData }), [
			'Comfy: an earlier try of this item has submitted job ID: nothing is sent',
			'Comfy: GET http://HOST/api/v2/jobs/ID → 200 in TIME',
		]);
	});

	it('is sent without labels when the service rejects them', async () => {
		sandbox.configure({ labels: 'refused' });
		const lines = messagesOf(await runLogged(submit({}, 'deployment')));
		expect(lines.filter((line) => line.includes('without labels'))).toHaveLength(1);
	});

	it('of several items goes over one connection', async () => {
		await expectLines(submit({ items: [{}, {}], parameters: { options: { concurrency: 1 } } }), [
			'Comfy: using the connection that is open already',
		]);
	});

	it('says which server was found, and which was not', async () => {
		await expectLines(submit({}, 'bare_engine'), [
			'Comfy: the API proxy is not at http://HOST (HTTP 404, the answer is none of this service)',
		]);
		const lines = messagesOf(await runLogged(submit({}, 'bare_engine')));
		expect(lines).toContainEqual(expect.stringMatching(/^Comfy: found ComfyUI [\w.]+ at http:\/\/HOST$/));
	});

	it('of an editor file is converted with definitions that are requested once', async () => {
		const run = (color: number): NodeRun => submitRun(credentialFor(sandbox, 'engine'), editorFile(color));
		await expectLines(run(1), [
			'Comfy: node definitions: 0 known from before, 2 asked for',
			"Comfy: the workflow was converted from the editor's format: 2 nodes, 0 uncertain values",
		]);
		await expectLines(run(2), ['Comfy: node definitions: 2 known from before, 0 asked for']);
	});
});

describe('a wait', () => {
	it('polls where the service offers no events', async () => {
		sandbox.inject({ on: 'GET /api/v2/jobs/:id/events', times: Infinity, answer: { status: 501, code: 'not_implemented' } });
		const turn = jobsWait(sandbox, () => streams() > 0);
		const jobId = await submitted(sandbox, slowGraph(4, 100));
		await expectLines(waitRun(credentialFor(sandbox), [jobId]), [
			'Comfy: waiting for job ID by live events, TIME at most',
			'Comfy: GET http://HOST/api/v2/jobs/ID/events → 501 in TIME',
			'Comfy: no live events for job ID (HTTP 501 not_implemented): polling it instead',
			'Comfy: job ID: succeeded (read)',
		]);
		await turn;
	});

	it('polls until events that were lost are back', async () => {
		sandbox.inject({ on: 'GET /api/v2/jobs/:id/events', fault: { kind: 'truncate', afterBytes: 60 } });
		const turn = jobsWait(sandbox, () => streams() === 2);
		const jobId = await submitted(sandbox, slowGraph(4, 100));
		const lines = messagesOf(await runLogged(waitRun(credentialFor(sandbox), [jobId])));
		await turn;
		expect(lines).toContainEqual(
			expect.stringMatching(
				/^Comfy: live events of job ID were lost after TIME \(the connection was lost\): polling it until they are back$/,
			),
		);
		expect(lines.filter((line) => line.includes('/events'))).toHaveLength(2);
	});

	it('says that all event streams are in use', async () => {
		sandbox.configure({ maxStreams: 1 });
		const { logger, lines } = collectLog();
		const turn = jobsWait(sandbox, () => lines.some(({ message }) => message.includes('too_many_streams')));
		const jobs = await Promise.all([1, 2, 3].map(async (seed) => await submitted(sandbox, slowGraph(4, 100, seed))));
		await Promise.all([startNode({ ...waitRun(credentialFor(sandbox), jobs), logger }).result, turn]);
		expect(messagesOf({ lines })).toContain('Comfy: no live events for job ID (HTTP 429 too_many_streams): polling it instead');
	});

	it('ends at Max Wait, and cancels if set', async () => {
		const jobId = await submitted(sandbox, slowGraph(600, 100));
		await until(() => sandbox.job(jobId)?.status === 'running');
		const parameters = { maxWaitMinutes: 0.005, options: { cancelOnTimeout: true } };
		await expectLines(waitRun(credentialFor(sandbox), [jobId], { parameters }), [
			'Comfy: Max Wait is over, and job ID is running',
			'Comfy: canceling job ID, because Max Wait is over',
		]);
	});

	it('cancels when the execution is stopped', async () => {
		const jobId = await submitted(sandbox, slowGraph(600, 100));
		const { logger, lines } = collectLog();
		const { result, stop } = startNode({ ...waitRun(credentialFor(sandbox), [jobId]), logger });
		await until(() => lines.some(({ message }) => message.includes('running')));
		stop();
		await result;
		await until(() => lines.some(({ message }) => message.includes('canceling')));
		const said = lines.map(({ message }) => plain(message));
		expect(said).toContain('Comfy: canceling job ID, because the execution was stopped');
	});

	it('reads once more before it believes that a job has expired', async () => {
		const jobId = await finished(sandbox, colorGraph(3), credentialFor(sandbox, 'self_hosted_token'));
		const read = sandbox.job(jobId);
		expect(read).toBeDefined();
		const json = { id: jobId, status: 'expired', outputs: [], urls: {} };
		sandbox.inject({ on: 'GET /api/v2/jobs/:id', answer: { status: 200, json } });
		await expectLines(waitRun(credentialFor(sandbox, 'self_hosted_token'), [jobId]), [
			'Comfy: job ID reads expired: read again in TIME before that is believed',
			'Comfy: job ID: succeeded (read)',
		]);
	});

	it('logs that its socket on an engine was opened, lost and opened again', async () => {
		const credential = credentialFor(sandbox, 'engine');
		sandbox.configure({ gateOpen: false });
		const jobId = await submitted(sandbox, gatedGraph(), credential);
		const { logger, lines } = collectLog();
		const { result } = startNode({ ...waitRun(credential, [jobId]), logger });
		const has = (part: string) => lines.some(({ message }) => message.includes(part));
		await until(() => has('→ 101'));
		sandbox.dropSockets();
		await until(() => has('was lost'));
		sandbox.configure({ gateOpen: true });
		await result;
		const said = lines.map(({ message }) => plain(message));
		expect(said).toContain('Comfy: GET ws://HOST/ws → 101 in TIME');
		expect(said).toContainEqual(expect.stringMatching(/^Comfy: socket ws:\/\/HOST\/ws was lost after TIME \(.*\): tried again in TIME$/));
		const opened = lines.find(({ message }) => message.includes('→ 101'));
		// It serves all items.
		expect(opened?.metadata).toMatchObject({ node: NODE_NAME });
		expect(opened?.metadata).not.toHaveProperty('item');
	});
});

describe('a file', () => {
	it('that the service has is not sent', async () => {
		const content = Buffer.from('the same bytes');
		const run = () => uploadRun(credentialFor(sandbox), [fileItem(content)]);
		await expectLines(run(), ['Comfy: the service does not have this file yet: it is sent']);
		await expectLines(run(), ['Comfy: the service has this file already: no bytes are sent']);
	});

	it('continues where it was cut, and gets a fresh link', async () => {
		const jobId = await finished(sandbox, slowGraph(1, 1));
		sandbox.inject({ on: 'GET /blobs/:id', surface: 'storage', fault: { kind: 'truncate', afterBytes: 20 } });
		const lines = messagesOf(await runLogged(downloadRun(credentialFor(sandbox), [jobId])));
		expect(lines).toContainEqual(expect.stringMatching(/^Comfy: the download goes on at byte \d+ of \d+ \(.*\)$/));

		sandbox.inject({ on: 'GET /blobs/:id', surface: 'storage', fault: { kind: 'expired_link' } });
		await expectLines(downloadRun(credentialFor(sandbox), [jobId]), [
			'Comfy: the link of the file is no longer good (HTTP 400): asking for a new one',
		]);
	});
});

it('a cancel is requested and confirmed', async () => {
	const jobId = await submitted(sandbox, slowGraph(600, 100));
	await expectLines(manageRun(credentialFor(sandbox), 'job:cancel', { parameters: { jobId } }), [
		'Comfy: canceling job ID, as asked',
		'Comfy: job ID is canceled: it has stopped',
	]);
});

describe('the log of an item', () => {
	it('ends with the message of a failed item', async () => {
		const { result, lines } = await runLogged(getJob('00000000-0000-4000-8000-000000000000'));
		expect(plain(lines.at(-1)?.message ?? '')).toBe(`Comfy: item fails after TIME: ${plain(String(result.error?.message))}`);
	});

	it('leaves out the query of an address in the message of a failed item', async () => {
		const message = 'Cannot read https://storage.test/a.png?sig=4f1c now';
		sandbox.inject({ on: 'POST /api/v2/jobs', answer: { status: 409, code: 'strange', message } });
		const { lines } = await runLogged(submit());
		expect(lines.at(-1)?.message).toContain('item fails');
		expect(JSON.stringify(lines)).not.toContain('4f1c');
	});
});

it('lines of each item have its index and the id of its job', async () => {
	const { result, lines } = await runLogged(submit({ items: [{}, {}, {}] }));
	for (const [item, { job_id: jobId }] of jsons(result).entries()) {
		const ofItem = lines.filter(({ metadata }) => metadata.item === item);
		expect(ofItem.map(({ message }) => plain(message))).toContain('Comfy: job ID is submitted');
		expect(ofItem.at(-1)?.metadata).toMatchObject({ node: NODE_NAME, jobId });
	}
});

it('a failing log does not fail the node', async () => {
	const { logger } = collectLog();
	const debug = (): void => {
		throw new Error('The disk is full');
	};
	const { result } = startNode({ ...submit(), logger: { ...logger, debug } });
	expect((await result).status).toBe('success');
});

it('nothing is logged when n8n does not log at debug level', async () => {
	const { logger, lines } = collectLog();
	const { result } = startNode({ ...submit(), logger: Object.assign(logger, { level: 'info' }) });
	expect((await result).status).toBe('success');
	expect(lines).toEqual([]);
});
