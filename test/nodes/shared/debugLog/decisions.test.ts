import { ApiError, type Decision, StoppedError, UnknownUserError } from '../../../../client';
import { decisionLine } from '../../../../nodes/shared/messages/logLines';
import { until } from '../../../support/until';
import { NODE_NAME, type NodeRun, runNode, startNode } from '../../support/engine';
import { downloadRun } from '../../support/files';
import { credentialFor } from '../../support/flavours';
import { editorFile } from '../../support/editorFiles';
import { colorGraph, gatedGraph, slowGraph } from '../../support/graphs';
import { jobsWait } from '../../support/jobsWait';
import { manageRun } from '../../support/manage';
import { collectLog, messagesOf, plain, runLogged } from '../../support/log';
import { finished, jsons, submitRun, submitted, waitRun } from '../../support/submit';
import { sharedSandbox } from '../../support/sandbox';
import { storedContext } from '../../support/retried';

const sandbox = sharedSandbox();

/** Lines of one run, which must be among its log in this order. */
async function expectLines(run: NodeRun, lines: Array<string | RegExp>): Promise<void> {
	const all = messagesOf(await runLogged(run));
	const found = all.filter((line) => lines.some((one) => (typeof one === 'string' ? one === line : one.test(line))));
	expect(found).toEqual(lines.map((one) => (typeof one === 'string' ? one : (expect.stringMatching(one) as string))));
}

const submit = (more: Partial<NodeRun> = {}, surface: Parameters<typeof credentialFor>[1] = 'hosted') =>
	submitRun(credentialFor(sandbox, surface), colorGraph(1), more);
const streams = () => sandbox.requests('GET /api/v2/jobs/:id/events').length;
const getJob = (jobId: string) => manageRun(credentialFor(sandbox), 'job:get', { parameters: { jobId } });

it.each<[what: string, prepared: () => NodeRun | Promise<NodeRun>, lines: Array<string | RegExp>]>([
	[
		'a request that is sent again because the service says so',
		async () => {
			const jobId = await finished(sandbox, colorGraph(2));
			sandbox.inject({ on: 'GET /api/v2/jobs/:id', answer: { status: 503, code: 'deployment_not_ready', retryAfter: 1 } });
			return getJob(jobId);
		},
		[
			'Comfy: GET http://HOST/api/v2/jobs/ID → 503 in TIME (deployment_not_ready); attempt 2 in TIME, as the service requests',
			'Comfy: GET http://HOST/api/v2/jobs/ID (attempt 2) → 200 in TIME',
		],
	],
	[
		'a submission that waits in line while the service is full',
		() => {
			sandbox.inject({ on: 'POST /api/v2/jobs', answer: { status: 429, code: 'queue_full', retryAfter: 1 } });
			return submit();
		},
		[
			'Comfy: POST http://HOST/api/v2/jobs → 429 in TIME (queue_full); the service accepts no more jobs now, with 0 jobs of this connection in progress: the submission waits for a free slot for TIME, as the service requests',
			'Comfy: POST http://HOST/api/v2/jobs (attempt 2) → 201 in TIME',
			'Comfy: job ID is submitted',
		],
	],
	[
		'a submission of an earlier try, which is not sent again',
		async () => {
			const first = await runNode(submit({ executionId: '1' }));
			return submit({ executionId: '2', contextData: storedContext(first) });
		},
		['Comfy: an earlier try of this item submitted job ID: the node sends nothing', 'Comfy: GET http://HOST/api/v2/jobs/ID → 200 in TIME'],
	],
	[
		'a server that is found without the API proxy',
		() => submit({}, 'bare_engine'),
		[
			'Comfy: the API proxy does not respond at http://HOST (HTTP 404, this service does not send this response)',
			/^Comfy: ComfyUI [\w.]+ responds at http:\/\/HOST$/,
		],
	],
	[
		'two items over one connection, sent without labels because the service rejects them',
		() => {
			sandbox.configure({ labels: 'refused' });
			return submit({ items: [{}, {}], parameters: { options: { concurrency: 1 } } }, 'deployment');
		},
		[/without labels/, 'Comfy: the node uses the open connection'],
	],
	[
		'a job list that fails inside ComfyUI, which its queue and its history replace',
		() => {
			sandbox.configure({ engineJobRoutes: true });
			sandbox.inject({ on: 'GET /api/jobs', answer: { status: 500 } });
			return manageRun(credentialFor(sandbox, 'bare_engine'), 'job:getAll', { parameters: { returnAll: true } });
		},
		[
			'Comfy: GET http://HOST/api/jobs → 500 in TIME',
			/^Comfy: ComfyUI does not return its jobs by \/api\/jobs \(HTTP 500.*\): the node reads its queue and its history$/,
			'Comfy: GET http://HOST/api/queue → 200 in TIME',
			'Comfy: GET http://HOST/api/history → 200 in TIME',
		],
	],
	[
		'a wait that polls until events that were lost are back',
		async () => {
			sandbox.inject({ on: 'GET /api/v2/jobs/:id/events', fault: { kind: 'truncate', afterBytes: 60 } });
			void jobsWait(sandbox, () => streams() === 2);
			return waitRun(credentialFor(sandbox), [await submitted(sandbox, slowGraph(4, 100))]);
		},
		[
			/\/events → /,
			/^Comfy: live events of job ID are lost after TIME \(the connection was lost\): the node polls the job until they are back$/,
			/\/events → /,
		],
	],
	[
		'a wait that ends at Max Wait and cancels',
		async () => {
			const jobId = await submitted(sandbox, slowGraph(600, 100));
			await until(() => sandbox.job(jobId)?.status === 'running');
			const parameters = { maxWaitMinutes: 0.005, options: { cancelOnTimeout: true } };
			return waitRun(credentialFor(sandbox), [jobId], { parameters });
		},
		['Comfy: Max Wait is over: job ID has status running', 'Comfy: the node cancels job ID, because Max Wait is over'],
	],
	[
		'a download that continues where it was cut, by a fresh link',
		async () => {
			const jobId = await finished(sandbox, slowGraph(1, 1));
			sandbox.inject({ on: 'GET /blobs/:id', surface: 'storage', fault: { kind: 'truncate', afterBytes: 20 } });
			sandbox.inject({ on: 'GET /blobs/:id', surface: 'storage', fault: { kind: 'expired_link' } });
			return downloadRun(credentialFor(sandbox), [jobId]);
		},
		[
			/^Comfy: the download continues at byte \d+ of \d+ \(.*\)$/,
			'Comfy: the link of the file is no longer valid (HTTP 400): the node requests a new one',
		],
	],
])('the log has the lines of %s', async (_, prepared, lines) => await expectLines(await prepared(), lines));

const jobId = 'j1';
const busy = new ApiError({ interface: 'v2', code: 'busy', status: 503, message: 'words' });
it.each<[Decision, string]>([
	[{ kind: 'job_recovered', by: 'id', jobId }, 'the node recovers job j1 by the ID that was chosen for it'],
	[{ kind: 'job_recovered', by: 'key' }, 'the node recovers an earlier run by its idempotency key'],
	[
		{ kind: 'read_repeated', jobId, status: 'expired', inMs: 1_000 },
		'job j1 has status expired in the first response: the node reads it again in 1.0 s',
	],
	[
		{ kind: 'cancel_answered', jobId, status: 'canceled', isConfirmed: true },
		'the service confirms the cancellation of job j1, which has status canceled',
	],
	[
		{ kind: 'stream_rejected', jobId, error: new UnknownUserError({ user: 'ann', users: undefined }) },
		'live events of job j1 are not available (the server does not have the ComfyUI user): the node polls the job',
	],
	[
		{ kind: 'server_skipped', server: 'http://a', error: new StoppedError() },
		'the server http://a does not get this job: the execution was stopped',
	],
	[
		{ kind: 'retry', attempt: 2, inMs: 500, hasRetryAfter: true, error: busy },
		'attempt 2 in 500 ms, as the service requests: HTTP 503 busy',
	],
	[{ kind: 'retry', attempt: 3, inMs: 500, hasRetryAfter: false, error: undefined }, 'attempt 3 in 500 ms'],
])('the decision %j has one line', (decision, line) => expect(decisionLine(decision)).toBe(line));

it('the log says that an editor file is converted with definitions that are requested once', async () => {
	const run = (color: number): NodeRun => submitRun(credentialFor(sandbox, 'engine'), editorFile(color));
	await expectLines(run(1), [
		'Comfy: the node has 0 node definitions and requests 2',
		'Comfy: the workflow is converted from the editor format: 2 nodes, 0 uncertain values',
	]);
	await expectLines(run(2), ['Comfy: the node has 2 node definitions and requests 0']);
});

it('the log says that a socket on an engine was opened, lost and opened again', async () => {
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
	const said = messagesOf({ lines });
	expect(said).toContain('Comfy: GET ws://HOST/ws → 101 in TIME');
	expect(said).toContainEqual(
		expect.stringMatching(/^Comfy: the WebSocket ws:\/\/HOST\/ws is lost after TIME \(.*\): the node connects again in TIME$/),
	);
	const opened = lines.find(({ message }) => message.includes('→ 101'));
	// It serves all items.
	expect(opened?.metadata).toMatchObject({ node: NODE_NAME });
	expect(opened?.metadata).not.toHaveProperty('item');
});

it('lines of each item have its index and the id of its job, and the log ends with the message of a failed item', async () => {
	const { result, lines } = await runLogged(submit({ items: [{}, {}, {}] }));
	for (const [item, { job_id: jobId }] of jsons(result).entries()) {
		const ofItem = lines.filter(({ metadata }) => metadata.item === item);
		expect(ofItem.map(({ message }) => plain(message))).toContain('Comfy: job ID is submitted');
		expect(ofItem.at(-1)?.metadata).toMatchObject({ node: NODE_NAME, jobId });
	}
	const failed = await runLogged(getJob('00000000-0000-4000-8000-000000000000'));
	expect(plain(failed.lines.at(-1)?.message ?? '')).toBe(
		`Comfy: the item fails after TIME: ${plain(String(failed.result.error?.message))}`,
	);
});

it('a failing log does not fail the node, and nothing is logged when n8n does not log at debug level', async () => {
	const { logger, lines } = collectLog();
	const debug = (): void => {
		throw new Error('The disk is full');
	};
	expect((await runNode({ ...submit(), logger: { ...logger, debug } })).status).toBe('success');
	expect((await runNode({ ...submit(), logger: Object.assign(logger, { level: 'info' }) })).status).toBe('success');
	expect(lines).toEqual([]);
});
