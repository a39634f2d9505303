import {
	importWorkflow,
	itemsOf,
	type Execution,
	type SavedWorkflow,
	type WorkflowDocument,
	type WorkflowNode,
} from '../../scripts/n8nHost';
import { slowFor } from './support/graphs';
import { openOwnHost, type OwnHost } from './support/ownHost';
import { listening, publish, SAMPLING } from './support/triggers';
import { until } from './support/until';
import { comfy, node } from './support/workflows';

/** As n8n has it by default; the shared host of the suites has less. */
const DEFAULT_GRACE = { N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '30' };
const SHORT_GRACE = { N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '3' };
/** Shorter waits are kept in n8n's memory. */
const SHORTEST_STORED_WAIT = { amount: 65, unit: 'seconds' };
const FILE = 'File';

let host: OwnHost;
beforeAll(async () => {
	host = await openOwnHost(DEFAULT_GRACE);
	host.session.sandbox.configure({ workers: 20 });
});
afterAll(() => host.close());

type Link = [from: string, output: number, to: string];

/** Begun by a call from outside, which is answered at once or by a node; a node without a line of its own leads to nothing. */
function called(
	name: string,
	nodes: WorkflowNode[],
	links: Link[],
	responseMode: 'onReceived' | 'responseNode' = 'onReceived',
): WorkflowDocument {
	const trigger = {
		...node('Start', 'n8n-nodes-base.webhook', 2.1, { httpMethod: 'POST', path: name, responseMode, options: {} }),
		webhookId: name,
	};
	const connections: WorkflowDocument['connections'] = {};
	for (const [from, output, to] of [['Start', 0, nodes[0]?.name ?? ''] as Link, ...links]) {
		const { main } = (connections[from] ??= { main: [] }) as { main: Array<Array<{ node: string; type: string; index: number }>> };
		while (main.length <= output) main.push([]);
		main[output]?.push({ node: to, type: 'main', index: 0 });
	}
	return { name, nodes: [trigger, ...nodes, node(FILE, 'n8n-nodes-base.noOp', 1, {})], connections };
}

const paused = (parameters: WorkflowNode['parameters']) =>
	node('Pause', 'n8n-nodes-base.wait', 1.1, { resume: 'timeInterval', ...parameters });

/** Told from the others by its name; made once the service opens its gate. */
const picture = (name: string) => ({
	workflow: JSON.stringify({
		...slowFor(500),
		'3': { class_type: 'SaveImage', inputs: { images: ['4', 0], filename_prefix: name } },
		'4': { class_type: 'SandboxGate', inputs: { image: ['2', 0] } },
	}),
});

const runAlone = (name: string): WorkflowDocument =>
	called(name, [comfy('comfyRunWorkflow', picture(name))], [['comfyRunWorkflow', 0, FILE]]);

/** What Still Running is for: what rests in n8n's Wait node costs no worker, and outlives n8n. */
const inLoop = (name: string, maxWaitMinutes: number): WorkflowDocument =>
	called(
		name,
		[
			comfy('comfyRunWorkflow', { ...picture(name), options: { maxWaitMinutes } }),
			paused(SHORTEST_STORED_WAIT),
			comfy('comfyWaitForJob', {}),
			comfy('comfyDownloadOutputs', {}),
		],
		[
			['comfyRunWorkflow', 0, FILE],
			['comfyRunWorkflow', 1, 'Pause'],
			['Pause', 0, 'comfyWaitForJob'],
			['comfyWaitForJob', 0, 'comfyDownloadOutputs'],
			['comfyWaitForJob', 1, 'Pause'],
			['comfyDownloadOutputs', 0, FILE],
		],
	);

const inThree = (name: string): WorkflowDocument =>
	called(
		name,
		[comfy('comfySubmitWorkflow', picture(name)), comfy('comfyWaitForJob', {}), comfy('comfyDownloadOutputs', {})],
		[
			['comfySubmitWorkflow', 0, 'comfyWaitForJob'],
			['comfyWaitForJob', 0, 'comfyDownloadOutputs'],
			['comfyDownloadOutputs', 0, FILE],
		],
	);

interface Begun {
	name: string;
	workflow: SavedWorkflow;
	id: string;
}

async function begin(document: WorkflowDocument): Promise<Begun> {
	const { rest, credentials } = host.session;
	const workflow = await importWorkflow(rest, document, credentials);
	await rest.activate(workflow);
	await until('a beginning', async () => ((await fetch(`${rest.url}/webhook/${document.name}`, { method: 'POST' })).ok ? true : undefined));
	const id = await until('an execution', async () => (await rest.executions(workflow.id))[0]?.id);
	return { name: document.name, workflow, id };
}

const jobsOf = (name: string) => host.session.sandbox.jobs().filter(({ graph }) => graph['3']?.inputs.filename_prefix === name);
/** Until its job runs, and is waited for. */
const isWaitedFor = async (name: string) =>
	await until(`the wait for the job of ${name}`, () => {
		const [job] = jobsOf(name);
		if (job?.status !== 'running') return undefined;
		return host.session.sandbox.requests(`GET /api/v2/jobs/${job.id}/events`).length > 0 || undefined;
	});
const billedFor = ({ name }: Begun): number =>
	host.session.sandbox.ledger.runs.filter(({ jobId }) => jobsOf(name).some(({ id }) => id === jobId)).length;

const execution = async ({ id }: Begun): Promise<Execution> => await host.session.rest.execution(id);
const faultOf = ({ data }: Execution) => ({ node: data.resultData.lastNodeExecuted, message: data.resultData.error?.message });

/** Retried as a person does in the list of executions. */
const retried = async ({ id }: Begun): Promise<Execution> => await host.session.rest.waitFor(await host.session.rest.retry(id));

/** Its one picture came, and was billed once. */
function expectDelivered(begun: Begun, { status, data, ...ended }: Execution): void {
	expect([begun.name, status, data.resultData.error?.message]).toEqual([begun.name, 'success', undefined]);
	expect(itemsOf({ ...ended, status, data }, FILE).map(({ binary }) => binary?.data?.mimeType)).toEqual(['image/png']);
	expect([begun.name, billedFor(begun)]).toEqual([begun.name, 1]);
}

/** Rest in n8n's Wait node until the end of this suite. */
let resting: Begun[];

test('at a shutdown, waiting items go to Still Running if it is connected and otherwise fail with the job’s id; retries are billed once', async () => {
	const { session } = host;
	session.sandbox.configure({ gateOpen: false });
	await publish(session, listening('listening', SAMPLING));
	const rested = await begin(inLoop('rested-before', 0));
	await session.rest.waitFor(rested.id, { until: ({ status }) => status === 'waiting' });
	const [alone, three, looped] = [await begin(runAlone('alone')), await begin(inThree('three')), await begin(inLoop('looped', 60))];
	const manual = await session.start({
		...runAlone('manual'),
		connections: { Start: { main: [[{ node: 'comfyRunWorkflow', type: 'main', index: 0 }]] } },
		nodes: [node('Start', 'n8n-nodes-base.manualTrigger', 1, {}), comfy('comfyRunWorkflow', picture('manual'))],
	});
	for (const name of ['alone', 'three', 'looped', 'manual']) await isWaitedFor(name);

	// Before n8n's grace is over.
	expect(await host.stopN8n()).toBeLessThan(30_000);
	expect(session.sandbox.ledger.cancels).toEqual([]);
	expect(jobsOf('alone')[0]?.status).toBe('running');

	await host.startN8n(SHORT_GRACE);
	session.sandbox.configure({ gateOpen: true });
	const [ofAlone, ofThree, ofManual] = [await execution(alone), await execution(three), await session.rest.execution(manual)];
	expect([ofAlone, ofThree, ofManual].map(({ status, mode }) => [status, mode])).toEqual([
		['error', 'webhook'],
		['error', 'webhook'],
		['error', 'manual'],
	]);
	expect([ofAlone, ofThree, ofManual].map(faultOf)).toEqual([
		{ node: 'comfyRunWorkflow', message: `n8n is being stopped, and no longer waits for job ${jobsOf('alone')[0]?.id}` },
		{ node: 'comfyWaitForJob', message: `n8n is being stopped, and no longer waits for job ${jobsOf('three')[0]?.id}` },
		{ node: 'comfyRunWorkflow', message: `n8n is being stopped, and no longer waits for job ${jobsOf('manual')[0]?.id}` },
	]);
	expect((await execution(looped)).status).toBe('waiting');
	const again = await Promise.all([retried(alone), retried(three)]);
	expectDelivered(alone, again[0]);
	expectDelivered(three, again[1]);
	resting = [rested, looped];
});

test('items in Still Running continue when n8n runs again', async () => {
	for (const one of resting) expectDelivered(one, await host.session.rest.waitFor(one.id, { timeoutMs: 150_000 }));
});

test('executions that outlast the grace period crash, and each retry is billed once', async () => {
	const { session } = host;
	const { sandbox } = session;
	sandbox.inject({ on: 'POST /api/v2/jobs', times: 1, fault: { kind: 'stall' } });
	const submitting = await begin(runAlone('submitting'));
	await until('a submission', () => jobsOf('submitting')[0]);
	const stalled = sandbox.inject({ on: 'GET /blobs/:id', surface: 'storage', times: 1, fault: { kind: 'stall', afterBytes: 20 } });
	const downloading = await begin(runAlone('downloading'));
	await until('a download', () => (stalled.used === 1 ? true : undefined));
	// Its call is answered when it leaves the node behind.
	const later = await begin(
		called(
			'later',
			[
				comfy('comfyRunWorkflow', picture('later')),
				node('Answer', 'n8n-nodes-base.respondToWebhook', 1.1, { respondWith: 'noData', options: {} }),
				paused({ amount: '={{ $json.recovered ? 1 : 60 }}', unit: 'seconds' }),
			],
			[
				['comfyRunWorkflow', 0, 'Answer'],
				['Answer', 0, 'Pause'],
				['Pause', 0, FILE],
			],
			'responseNode',
		),
	);
	expect(jobsOf('later')[0]?.status).toBe('succeeded');

	expect(await host.stopN8n()).toBeGreaterThan(3_000);
	expect(sandbox.ledger.cancels).toEqual([]);
	await host.startN8n();
	for (const one of [downloading, later]) await session.rest.waitFor(one.id, { until: ({ status }) => status === 'crashed' });
	// n8n takes two seconds more to crash, in which a submission may be given up in order.
	expect(['crashed', 'error']).toContain((await session.rest.waitFor(submitting.id)).status);
	for (const one of [submitting, downloading, later]) expectDelivered(one, await retried(one));
});
