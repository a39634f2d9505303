import { importCredentials, importWorkflow, type CredentialDocument, type SavedCredential, type WorkflowNode } from '../../scripts/n8nHost';
import { sandboxCredentials } from '../../scripts/sandboxCredentials';
import { expectNowhere } from './support/canaries';
import { endless, failing, quick, slowFor } from './support/graphs';
import { openSession, type Session } from './support/session';
import { nobody } from './support/strangers';
import { submitJob } from './support/submitJob';
import { listening, PROGRESS, publish } from './support/triggers';
import { until } from './support/until';
import { chain, comfy } from './support/workflows';

const PARTNER = 'canary-partner-over-v1-6be2';
const WRONG_KEY = 'canary-wrong-key-over-v1-0d93';

let session: Session;
/** What n8n has told: items, errors and messages of every execution, and how its triggers stand. */
const told: string[] = [];

beforeAll(async () => {
	session = await openSession();
});
afterAll(() => session.close());
afterEach(async () => {
	const { apiKey, partnerKey } = session.sandbox.keys;
	await expectNowhere([apiKey, partnerKey, PARTNER, WRONG_KEY], told);
});

async function hostedCredential(changes: CredentialDocument['data'] = {}): Promise<SavedCredential[]> {
	const documents = sandboxCredentials(session.sandbox).filter(({ type }) => type === 'comfyApi');
	return await importCredentials(
		session.rest,
		documents.map((document) => ({ ...document, data: { ...document.data, partnerApiKey: PARTNER, ...changes } })),
	);
}

const socketQueries = (): string[] => session.sandbox.requests('GET /ws').map(({ query }) => query);

const everyNode = (graph: object): WorkflowNode[] => {
	const manage = (name: string, resource: string, operation: string, more: WorkflowNode['parameters'] = {}): WorkflowNode =>
		comfy('comfyManageJobs', { resource, operation, options: resource === 'job' ? { interface: 'v1' } : {}, ...more }, { id: name, name });
	return [
		comfy('comfySubmitWorkflow', {
			workflow: JSON.stringify(graph),
			options: { interface: 'v1', sendPartnerKey: true, keepTryingForSeconds: 0 },
		}),
		manage('Job', 'job', 'get'),
		comfy('comfyWaitForJob', { options: { interface: 'v1' } }),
		comfy('comfyDownloadOutputs', { options: { interface: 'v1' } }),
		manage('Cancel', 'job', 'cancel'),
		manage('Delete', 'queue', 'delete'),
		manage('Definitions', 'nodeDefinition', 'getAll', { classes: 'SaveImage' }),
		manage('Queue', 'queue', 'get'),
	];
};

async function run(name: string, graph: object, credentials: SavedCredential[], stopWhenListening = false): Promise<string> {
	const connected = socketQueries().length;
	const id = await session.start(chain(name, ...everyNode(graph)), undefined, credentials);
	if (stopWhenListening) {
		await until('the wait', () => (socketQueries().length > connected ? true : undefined));
		await session.rest.stop(id);
	}
	const execution = await session.rest.waitFor(id);
	told.push(JSON.stringify(execution));
	return execution.status;
}

test('keys show up nowhere after flows over v1 and after Manage Jobs', async () => {
	const good = await hostedCredential();
	expect(await run('canary v1', quick, good)).toBe('success');
	expect(await run('canary v1, failing', failing, good)).toBe('error');
	expect(await run('canary v1, stopped', endless, good, true)).toBe('canceled');
	expect(await run('canary v1, wrong key', quick, await hostedCredential({ apiKey: WRONG_KEY }))).toBe('error');
	expect(await run('canary v1, nobody there', quick, await hostedCredential({ hostedUrl: await nobody() }))).toBe('error');

	const { sandbox } = session;
	expect(sandbox.ledger.partnerKeys.length).toBeGreaterThanOrEqual(3);
	expect(JSON.stringify(sandbox.requests().map(({ headers }) => headers))).toContain(WRONG_KEY);
	expect(socketQueries().join()).toContain(`token=${sandbox.keys.apiKey}`);
});

test('keys show up nowhere after triggers whose connection is lost, whose key is wrong, and whose service is down', async () => {
	const { rest, sandbox } = session;
	const everyEvent = { deliver: 'everyEvent', options: { includeRawEvent: true, includePreviews: true, leastSecondsBetween: 0.2 } };
	const good = await publish(session, listening('canary trigger', everyEvent), await hostedCredential());
	const wrong = await publish(session, listening('canary trigger, wrong key', everyEvent), await hostedCredential({ apiKey: WRONG_KEY }));
	const down = await publish(
		session,
		listening('canary trigger, nobody there', everyEvent),
		await hostedCredential({ hostedUrl: await nobody() }),
	);
	await until('the socket', () => sandbox.sockets('hosted').at(0));
	sandbox.dropSockets('hosted');
	await until('the socket again', () => sandbox.sockets('hosted').at(0));
	await submitJob(sandbox, slowFor(500));
	await submitJob(sandbox, failing);
	await until('both ends', async () => ((await good.story()).filter((kind) => kind === 'finished').length === 2 ? true : undefined));
	await wrong.until(1);

	const byHand = await importWorkflow(
		rest,
		listening('canary trigger by hand, wrong key', everyEvent),
		await hostedCredential({ apiKey: WRONG_KEY }),
	);
	const tried = await rest.waitFor(await rest.run(byHand, PROGRESS));
	expect(tried.status).toBe('error');
	expect(socketQueries().join()).toContain(`token=${WRONG_KEY}`);
	told.push(JSON.stringify(tried));
	for (const trigger of [good, wrong, down]) {
		told.push(JSON.stringify(await trigger.executions()), JSON.stringify(await rest.publicationStatus(trigger.workflow)));
		await trigger.deactivate();
	}
});
