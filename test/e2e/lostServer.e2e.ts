import { type Execution, type ExecutionError, itemsOf, type SavedCredential } from '../../scripts/n8nHost/documents';
import { engineRequests, onServer, saveServer } from './support/engine';
import { colorOf, deliveredColors, file, ordered, startByCall, webhook } from './support/guardedFlows';
import { openOwnHost, type OwnHost } from './support/ownHost';
import { type Published, publish } from './support/triggers';
import { until } from './support/until';
import { items, line, node } from './support/workflows';

const RUN = 'comfyRunWorkflow';
const ERROR_TRIGGER = 'Error Trigger';
const ITEMS = 2;

let host: OwnHost;
let server: SavedCredential[];
let errorWorkflow: Published;
beforeAll(async () => {
	host = await openOwnHost();
	host.session.sandbox.configure({ engineConcurrency: ITEMS });
	server = await saveServer(host.session);
	errorWorkflow = await publish(host.session, line('errors', [node(ERROR_TRIGGER, 'n8n-nodes-base.errorTrigger', 1, {}), file]), []);
});
beforeEach(async () => {
	const { sandbox } = host.session;
	sandbox.restartEngine();
	await sandbox.startEngine();
	sandbox.configure({ gateOpen: false });
	sandbox.resetRecords();
	sandbox.ledger.runs.length = 0;
});
afterAll(() => host.close());

/** The IDs of the billed jobs of the test. */
const jobIds = (): string[] => host.session.sandbox.ledger.runs.map(({ jobId }) => jobId);

const untilAll = async (status: string) =>
	await until(`all jobs to be ${status}`, () => {
		const jobs = jobIds().map((id) => host.session.sandbox.job(id));
		return (jobs.length === ITEMS && jobs.every((job) => job?.status === status)) || undefined;
	});

/**
 * Starts an execution whose jobs wait at the gate. *Still Running* is not connected.
 * @param firstOrder The results of the orders of other tests are cached.
 * @returns the ID of the execution when n8n has the ID of each job.
 */
async function start(name: string, firstOrder: number, options: object): Promise<string> {
	const { session } = host;
	const run = onServer(RUN, { ...ordered(name, true, `($json.index + ${firstOrder})`), options });
	const settings = { errorWorkflow: errorWorkflow.workflow.id };
	const { workflow } = await publish(session, { ...line(name, [webhook(name), ...items(ITEMS), run, file]), settings }, server);
	const id = await startByCall(session.rest, workflow);
	await untilAll('running');
	const isAnswered = () => engineRequests(session, 'POST', '/prompt').filter(({ finished }) => finished).length === ITEMS;
	await until('the answers to the submissions', () => isAnswered() || undefined);
	return id;
}

/** Returns the error of the execution that its error workflow received. */
async function errorReportedOf(id: string): Promise<ExecutionError> {
	const reports = async () =>
		(await errorWorkflow.executions())
			.flatMap((execution) => itemsOf(execution, ERROR_TRIGGER))
			.map(({ json }) => json.execution as { id: string; error: ExecutionError });
	return await until(`the error workflow of execution ${id}`, async () => (await reports()).find((report) => report.id === id)?.error);
}

/** The message begins with the ID of a job. The description contains the ID of the other one. */
async function expectReported(id: string, reason: RegExp): Promise<void> {
	const { status, data } = await host.session.rest.waitFor(id);
	expect([status, data.resultData.lastNodeExecuted]).toEqual(['error', RUN]);
	const { message, description } = await errorReportedOf(id);
	expect(message).toBe(data.resultData.error?.message);
	const [first = '', second = ''] = jobIds();
	const [failed, other] = message.includes(first) ? [first, second] : [second, first];
	expect(message.replace(`Job ${failed} `, '')).toMatch(reason);
	expect(description).toContain(other);
}

/** Each item has its own picture, and each job was billed once. */
async function expectDelivered(execution: Execution, firstOrder: number): Promise<void> {
	expect([execution.status, execution.data.resultData.error?.message]).toEqual(['success', undefined]);
	expect(await deliveredColors(host.session.rest, execution)).toEqual([colorOf(firstOrder), colorOf(firstOrder + 1)]);
	const delivered = itemsOf(execution, RUN).map(({ json }) => json.job_id);
	expect(new Set(delivered)).toEqual(new Set(jobIds()));
	expect(jobIds()).toHaveLength(ITEMS);
}

test('a ComfyUI that stops responding during two jobs fails the execution and starts the error workflow, and a retry after restarts delivers both jobs of one bill', async () => {
	const { rest, sandbox } = host.session;
	const id = await start('lost', 0, { maxWaitMinutes: 60, reportLostServerMinutes: 0.1 });
	await sandbox.stopEngine();
	await expectReported(id, /^could not be read for .+: The server at http:\S+ cannot be reached: the connection was refused$/);

	await host.stopN8n();
	await host.startN8n();
	await sandbox.startEngine();
	sandbox.configure({ gateOpen: true });
	await expectDelivered(await rest.waitFor(await rest.retry(id)), 0);
});

test('two jobs that take longer than Max Wait fail the execution and start the error workflow, and a retry delivers both jobs of one bill', async () => {
	const { rest, sandbox } = host.session;
	const id = await start('longer', ITEMS, { maxWaitMinutes: 0.05 });
	await expectReported(id, /^did not finish within Max Wait, and Still Running is not connected$/);

	sandbox.configure({ gateOpen: true });
	await untilAll('succeeded');
	await expectDelivered(await rest.waitFor(await rest.retry(id)), ITEMS);
});
