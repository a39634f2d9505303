import type { CredentialDocument, WorkflowNode } from '../../scripts/n8nHost';
import { expectNowhere } from './support/canaries';
import { onServer, saveServer, serverDocument } from './support/engine';
import { endless, failing, quick } from './support/graphs';
import { openSession, type Session } from './support/session';
import { nobody } from './support/strangers';
import { PROGRESS, publish } from './support/triggers';
import { until } from './support/until';
import { chain, TRIGGER } from './support/workflows';

const PASSWORD = 'canary-password-of-the-front-3b7d';
const WRONG_PASSWORD = 'canary-wrong-password-of-the-front-90e1';
const PARTNER = 'canary-partner-of-the-engine-2c64';
const basic = (password: string): string => `Basic ${Buffer.from(`comfy:${password}`).toString('base64')}`;
const CANARIES = [
	PASSWORD,
	WRONG_PASSWORD,
	PARTNER,
	...[PASSWORD, WRONG_PASSWORD].map((password) => basic(password).slice('Basic '.length)),
];

let session: Session;
/** What n8n has told: items, errors and messages of every execution, answers of credential tests, and how its triggers stand. */
const told: string[] = [];

beforeAll(async () => {
	session = await openSession();
	session.sandbox.configure({ engineAuthorization: basic(PASSWORD) });
});
afterAll(() => session.close());
afterEach(async () => await expectNowhere(CANARIES, told));

const fields = (changes: CredentialDocument['data'] = {}): CredentialDocument['data'] => ({
	engineAuthorizationSecret: basic(PASSWORD),
	partnerApiKey: PARTNER,
	...changes,
});

const everyNode = (graph: object): WorkflowNode[] => {
	const manage = (name: string, resource: string, operation: string, more: WorkflowNode['parameters'] = {}): WorkflowNode =>
		onServer('comfyManageJobs', { resource, operation, ...more }, { id: name, name });
	return [
		onServer('comfySubmitWorkflow', { workflow: JSON.stringify(graph), options: { sendPartnerKey: true, keepTryingForSeconds: 0 } }),
		manage('Job', 'job', 'get'),
		onServer('comfyWaitForJob'),
		onServer('comfyDownloadOutputs'),
		manage('Definitions', 'nodeDefinition', 'getAll', { classes: 'SaveImage' }),
		manage('Queue', 'queue', 'get'),
	];
};

async function run(name: string, graph: object, changes: CredentialDocument['data'] = {}, stopWhenListening = false): Promise<string> {
	const [saved] = await saveServer(session, fields(changes));
	if (saved === undefined) throw new Error('No credential');
	const { sandbox } = session;
	const runs = sandbox.ledger.runs.length;
	const id = await session.start(chain(name, ...everyNode(graph)), TRIGGER, [saved]);
	if (stopWhenListening) {
		const { jobId } = await until('the job', () => sandbox.ledger.runs[runs]);
		await until('the job to run', () => sandbox.job(jobId)?.status === 'running' || undefined);
		await until('the wait', () => sandbox.sockets('engine').at(0));
		await session.rest.stop(id);
	}
	const execution = await session.rest.waitFor(id);
	told.push(
		JSON.stringify(execution),
		JSON.stringify(await session.rest.testCredential({ ...saved, data: serverDocument(session, fields(changes)).data })),
	);
	return execution.status;
}

const sent = (): string => JSON.stringify(session.sandbox.requests(undefined, 'engine').map(({ headers }) => headers.authorization));

test('the Authorization of an engine’s front shows up nowhere after flows that succeed, fail, are stopped, or are refused', async () => {
	expect(await run('canary engine', quick)).toBe('success');
	expect(await run('canary engine, failing', failing)).toBe('error');
	expect(await run('canary engine, stopped', endless, {}, true)).toBe('canceled');
	await until('the end of its job', () => session.sandbox.jobs('self_hosted').find(({ status }) => status === 'canceled'));
	expect(await run('canary engine, refused', quick, { engineAuthorizationSecret: basic(WRONG_PASSWORD) })).toBe('error');
	expect(await run('canary engine, nobody there', quick, { baseUrl: await nobody() })).toBe('error');
	for (const password of [PASSWORD, WRONG_PASSWORD]) expect(sent()).toContain(basic(password));
	expect(session.sandbox.ledger.partnerKeys.length).toBeGreaterThanOrEqual(3);
});

test('the Authorization shows up nowhere after triggers that listen or are rejected', async () => {
	const listening = (name: string) => ({
		name,
		nodes: [onServer(PROGRESS, { source: 'engine', deliver: 'onlyWhenFinished', options: { includeRawEvent: true } })],
		connections: {},
	});
	const good = await publish(session, listening('canary engine trigger'), await saveServer(session, fields()));
	const refused = await publish(
		session,
		listening('canary engine trigger, refused'),
		await saveServer(session, fields({ engineAuthorizationSecret: basic(WRONG_PASSWORD) })),
	);
	await until('the socket', () => session.sandbox.sockets('engine').at(0));
	expect(await run('canary engine, listened to', quick)).toBe('success');
	await good.until(1);
	await refused.until(1);
	for (const trigger of [good, refused]) {
		told.push(JSON.stringify(await trigger.executions()), JSON.stringify(await session.rest.publicationStatus(trigger.workflow)));
		await trigger.deactivate();
	}
});
