import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
	type CredentialDocument,
	importCredentials,
	importWorkflow,
	type SavedCredential,
	type WorkflowNode,
} from '../../scripts/n8nHost/documents';
import { sandboxCredentials } from '../../scripts/sandboxCredentials';
import { deadOrigin } from '../client/support/deadOrigin';
import { endless, failing, quick } from './support/graphs';
import { sharedHostState, userFolderIn } from './support/host';
import { edited, formRun, jsonRun, ONE_ATTEMPT, routerWays, RUNS } from './support/router';
import { openSession, type Session } from './support/session';
import { PROGRESS, publish } from './support/triggers';
import { until } from './support/until';
import { chain, comfy, line, TRIGGER } from './support/workflows';

type Fields = CredentialDocument['data'];

const basic = (password: string): string => `Basic ${Buffer.from(`comfy:${password}`).toString('base64')}`;
const PASSWORD = 'marker-password-of-the-front-3b7d';
const WRONG_PASSWORD = 'marker-wrong-password-of-the-front-90e1';
const PARTNER = 'marker-partner-5d1f';
const WRONG = 'marker-wrong-key-19c4';
/** A server that does not answer is not waited for. */
const NO_WAIT = { waitForServerMinutes: 0 };
const WRONG_FIELDS = { apiKey: WRONG, token: WRONG, engineAuthorizationSecret: basic(WRONG_PASSWORD) };

let session: Session;
/** Items, errors and messages of every execution, lists, forms, answers of credential tests, and states of triggers. */
const reported: string[] = [];
const report = (...values: unknown[]): void => void reported.push(...values.map((value) => JSON.stringify(value)));

beforeAll(async () => {
	session = await openSession();
	session.sandbox.configure({ engineAuthorization: basic(PASSWORD) });
});
afterAll(() => session.close());

interface Way {
	type: 'comfyApi' | 'comfySelfHostedApi';
	fields?: () => Fields;
	options?: { interface: 'v1' };
	/** What only this way has. */
	more?: Array<[name: string, resource: string, operation: string]>;
	/** How its trigger listens. */
	source?: WorkflowNode['parameters'];
	/** Whether a node waits for a job, or a trigger listens. */
	isListening(): boolean;
}

const hasStream = (surface: 'hosted' | 'self_hosted_token'): boolean =>
	session.sandbox.requests('GET /api/v2/jobs/:id/events', surface).some(({ finished }) => !finished);

const ways: Record<string, Way> = {
	'the hosted account': { type: 'comfyApi', isListening: () => hasStream('hosted') },
	'the API proxy': { type: 'comfySelfHostedApi', isListening: () => hasStream('self_hosted_token') },
	'the account over v1': {
		type: 'comfyApi',
		options: { interface: 'v1' },
		more: [
			['Cancel', 'job', 'cancel'],
			['Delete', 'queue', 'delete'],
		],
		source: { source: 'hostedAccount', deliver: 'everyEvent' },
		isListening: () => session.sandbox.sockets('hosted').length > 0,
	},
	'an engine behind a login': {
		type: 'comfySelfHostedApi',
		fields: () => ({ baseUrl: session.sandbox.urls.engine, engineUrl: '', token: '' }),
		source: { source: 'engine', deliver: 'onlyWhenFinished' },
		isListening: () => session.sandbox.sockets('engine').length > 0,
	},
};

/** Nothing answers at any of its addresses. */
async function away(): Promise<Fields> {
	const url = await deadOrigin();
	return { baseUrl: url, engineUrl: url, hostedUrl: url, routerUrl: url };
}

/** Saves a credential with these changes and tests it, as the editor does. */
async function save(type: string, changes: Fields = {}): Promise<SavedCredential> {
	const document = sandboxCredentials(session.sandbox).find((one) => one.type === type)!;
	const data = { ...document.data, ...(type !== 'comfyRouterJwtApi' && { partnerApiKey: PARTNER }), ...changes };
	const [saved] = (await importCredentials(session.rest, [{ ...document, data }])) as [SavedCredential];
	report(await session.rest.testCredential({ ...saved, data }));
	return saved;
}

const saveFor = async ({ type, fields }: Way, changes: Fields = {}): Promise<SavedCredential> =>
	await save(type, { ...(type === 'comfySelfHostedApi' && { engineAuthorizationSecret: basic(PASSWORD) }), ...fields?.(), ...changes });

const nodeOf = (
	{ type }: Way,
	node: Parameters<typeof comfy>[0],
	parameters: WorkflowNode['parameters'],
	name: string = node,
): WorkflowNode =>
	comfy(node, { authentication: type, ...parameters }, { id: name, name, credentials: { [type]: { id: null, name: '' } } });

function everyNode(way: Way, graph: object): WorkflowNode[] {
	const { options = {}, more = [] } = way;
	const manage = (name: string, resource: string, operation: string, parameters: WorkflowNode['parameters'] = {}): WorkflowNode =>
		nodeOf(way, 'comfyManageJobs', { resource, operation, options: resource === 'job' ? options : {}, ...parameters }, name);
	return [
		nodeOf(way, 'comfySubmitWorkflow', {
			workflow: JSON.stringify(graph),
			options: { ...options, sendPartnerKey: true, keepTryingForSeconds: 0, ...NO_WAIT },
		}),
		manage('Job', 'job', 'get'),
		...(['comfyWaitForJob', 'comfyDownloadOutputs'] as const).map((node) => nodeOf(way, node, { options })),
		...more.map((one) => manage(...one)),
		nodeOf(way, 'comfyGetWorkflow', { options }),
		manage('Definitions', 'nodeDefinition', 'getAll', { classes: 'SaveImage' }),
		manage('Queue', 'queue', 'get'),
	];
}

async function ended(id: string): Promise<string> {
	const execution = await session.rest.waitFor(id);
	report(execution);
	return execution.status;
}

const start = async (credential: SavedCredential, nodes: WorkflowNode[]): Promise<string> =>
	await session.start(chain('secret markers', ...nodes), TRIGGER, [credential]);

async function stopped(way: Way, credential: SavedCredential): Promise<string> {
	const { sandbox, rest } = session;
	const runs = sandbox.ledger.runs.length;
	const id = await start(credential, everyNode(way, endless));
	const { jobId } = await until('the job', () => sandbox.ledger.runs[runs]);
	await until('the wait', () => (sandbox.job(jobId)?.status === 'running' && way.isListening() ? true : undefined));
	await rest.stop(id);
	await until('the job to be canceled', () => (sandbox.job(jobId)?.status === 'canceled' ? true : undefined));
	return await ended(id);
}

test.each(Object.entries(ways))(
	'executions on %s succeed, fail, are stopped, are rejected, or reach no server while they use the markers',
	async (_name, way) => {
		const runs = async (changes: Fields, graph: object) => await ended(await start(await saveFor(way, changes), everyNode(way, graph)));
		const keys = session.sandbox.ledger.partnerKeys.length;
		expect(await runs({}, quick)).toBe('success');
		expect(await runs({}, failing)).toBe('error');
		expect(await stopped(way, await saveFor(way))).toBe('canceled');
		expect(await runs(WRONG_FIELDS, quick)).toBe('error');
		expect(await runs(await away(), quick)).toBe('error');
		expect(session.sandbox.ledger.partnerKeys).toHaveLength(keys + 3);
	},
);

test.each(Object.entries(ways).filter(([, { source }]) => source !== undefined))(
	'triggers on %s listen, lose their connection, are rejected, or reach no server while they use the markers',
	async (_name, way) => {
		const { rest, sandbox } = session;
		const options = { includeRawEvent: true, ...(way.options && { includePreviews: true, leastSecondsBetween: 0.2 }) };
		const document = line('secret markers, listening', [nodeOf(way, PROGRESS, { ...way.source, options })]);
		const good = await saveFor(way);
		const wrong = await saveFor(way, WRONG_FIELDS);
		const triggers = [];
		for (const credential of [good, wrong, await saveFor(way, await away())]) triggers.push(await publish(session, document, [credential]));
		const [listening, rejected] = triggers as [(typeof triggers)[number], (typeof triggers)[number]];
		await until('the socket', () => way.isListening() || undefined);
		sandbox.dropSockets();
		await until('the socket again', () => way.isListening() || undefined);
		for (const graph of [quick, failing]) await ended(await start(good, everyNode(way, graph)));
		await until('both ends', async () =>
			(await listening.startItems()).filter(({ kind }) => kind === 'finished').length === 2 ? true : undefined,
		);
		await rejected.until(1);
		const byHand = await importWorkflow(rest, document, [wrong]);
		expect(await ended(await rest.run(byHand, PROGRESS))).toBe('error');
		for (const trigger of triggers) {
			report(await trigger.executions(), await rest.publicationStatus(trigger.workflow));
			await trigger.deactivate();
		}
	},
);

test.each(routerWays)('runs, lists and forms of the router succeed and fail while they use the markers of %s', async (way) => {
	const { rest, sandbox } = session;
	const runs = async (credential: SavedCredential, node: WorkflowNode) => await ended(await start(credential, [node]));
	const look = async (credential: SavedCredential) => {
		const of = { ...session, credentials: [credential] };
		report(await rest.listResults(edited(of, 'model', '', way)).catch(String));
		report(await rest.mapperFields(edited(of, 'form', 'aurora/image-2', way)));
	};
	const picture = { prompt: 'a lighthouse' };
	const good = await save(way);
	const wrong = await save(way, WRONG_FIELDS);
	const options = { downloadResultFiles: true };
	expect(await runs(good, formRun('aurora/image-2', picture, { options }, { way }))).toBe('success');
	expect(await runs(good, formRun('lab/free', picture, { delivery: 'queued' }, { way }))).toBe('success');
	expect(await runs(good, jsonRun('lab/failing', {}, ONE_ATTEMPT, { way }))).toBe('error');
	sandbox.inject({ on: RUNS, fault: { kind: 'drop_after' } });
	expect(await runs(good, jsonRun('lab/free', picture, ONE_ATTEMPT, { way }))).toBe('error');
	for (const credential of [wrong, await save(way, await away())])
		expect(await runs(credential, jsonRun('lab/free', picture, { ...ONE_ATTEMPT, options: NO_WAIT }, { way }))).toBe('error');
	for (const credential of [good, wrong]) await look(credential);
});

/** n8n's own files: log, database, and what it keeps of executions. */
async function filesOfN8n(): Promise<Array<{ path: string; content: Buffer }>> {
	const entries = await readdir(userFolderIn(sharedHostState().folder), { recursive: true, withFileTypes: true });
	const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
	const files = paths
		.filter((path) => !path.includes('node_modules'))
		.map(async (path) => {
			// n8n may have removed it meanwhile.
			const content = await readFile(path).catch((error: NodeJS.ErrnoException) => {
				if (error.code === 'ENOENT') return undefined;
				throw error;
			});
			return content === undefined ? [] : [{ path, content }];
		});
	return (await Promise.all(files)).flat();
}

test('no secret is in a log, an execution, an item, a message or a file of n8n', async () => {
	const { apiKey, bearer, jwt } = session.sandbox.keys;
	const headers = [PASSWORD, WRONG_PASSWORD].map(basic);
	const sent = JSON.stringify(session.sandbox.requests().map((request) => [request.headers, request.query]));
	for (const secret of [apiKey, bearer, jwt, WRONG, ...headers]) expect(sent).toContain(secret);
	for (const key of [apiKey, WRONG]) expect(sent).toContain(`token=${key}`);

	const files = await filesOfN8n();
	expect(files.map(({ path }) => path)).toEqual(
		expect.arrayContaining([expect.stringMatching(/n8n\.log$/), expect.stringMatching(/database\.sqlite$/)]),
	);
	const encoded = headers.map((header) => header.slice('Basic '.length));
	for (const secret of [apiKey, bearer, jwt, PARTNER, WRONG, PASSWORD, WRONG_PASSWORD, ...encoded]) {
		expect(reported.filter((text) => text.includes(secret))).toEqual([]);
		expect(files.filter(({ content }) => content.includes(secret)).map(({ path }) => path)).toEqual([]);
	}
});
