import { randomBytes } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import type { FaultRule } from '../../../sandbox';
import { hurryClock } from '../support/clock';
import { type Credential, type NodeResult, type NodeRun, nodes, runNode as runSilently } from '../support/engine';
import { assetRun, downloadRun, fileItem, uploadRun, workflowRun } from '../support/files';
import { credentialFor } from '../support/flavours';
import { colorGraph } from '../support/graphs';
import { collectLog } from '../support/log';
import { manageRun } from '../support/manage';
import { fileGraph } from '../support/media';
import { solidPicture } from '../support/pictures';
import { sharedSandbox } from '../support/sandbox';
import { finished, jsons, submitRun, waitRun } from '../support/submit';

const sandbox = sharedSandbox();

let jobId: string;
let engineJobId: string;
let assetId: string;
let imageName: string;
let picture: Buffer;
const logged: string[] = [];
/** n8n's log at debug, of the nodes. */
const debugLog = collectLog();
const runNode = async (run: NodeRun): Promise<NodeResult> => await runSilently({ ...run, logger: debugLog.logger });
beforeAll(async () => {
	picture = await solidPicture('#2468ac');
	imageName = String(jsons(await runNode(uploadRun(credentialFor(sandbox, 'v1'), [fileItem(picture)])))[0]?.name);
	jobId = await finished(sandbox, fileGraph('hello.txt'));
	engineJobId = await finished(sandbox, colorGraph(99), credentialFor(sandbox, 'engine'));
	assetId = String(jsons(await runNode(uploadRun(credentialFor(sandbox), [fileItem(randomBytes(50))])))[0]?.id);
});
beforeEach(() => {
	sandbox.configure({ engineAuthorization: AUTHORIZATION });
	debugLog.lines.length = 0;
	for (const stream of [process.stdout, process.stderr]) {
		jest.spyOn(stream, 'write').mockImplementation((chunk) => logged.push(String(chunk)) > 0);
	}
});

const MARKER = 'marker-3c1f9';
/** What the reverse proxy in front of the engine wants, unless the way has another sign-in. */
const AUTHORIZATION = `Basic ${MARKER}-authorization`;
const PASSWORD = `${MARKER} wörd`;
const LOGIN = Buffer.from(`ann:${PASSWORD}`).toString('base64');
/** Every secret field holds a marker, or a key of the sandbox, which is one as well. */
const markers = () => [MARKER, LOGIN, ...Object.values(sandbox.keys)];
const secretFields = {
	comfyApi: ['apiKey', 'partnerApiKey', 'partnerAuthToken'],
	comfySelfHostedApi: ['token', 'engineAuthorizationSecret', 'partnerApiKey', 'partnerAuthToken'],
};

const PARTNER = { partnerApiKey: `${MARKER}-partner`, partnerAuthToken: `${MARKER}-user` };
const TOKEN = { ...PARTNER, token: `${MARKER}-token` };
const KEY = { ...PARTNER, apiKey: `${MARKER}-key` };
const RIGHT_LOGIN = { engineAuthorizationSecret: AUTHORIZATION };
const OTHER_LOGIN = { engineAuthorizationSecret: `Basic ${MARKER}-other` };
const GOOD = {
	hosted: PARTNER,
	v1: PARTNER,
	self_hosted_token: { ...PARTNER, ...RIGHT_LOGIN },
	engine: { ...TOKEN, ...RIGHT_LOGIN },
};
const WRONG = {
	hosted: KEY,
	v1: KEY,
	self_hosted_token: { ...TOKEN, ...RIGHT_LOGIN },
	engine: { ...TOKEN, ...OTHER_LOGIN },
};
const rowsOf = (...values: IDataObject[]): IDataObject => ({ signIn: 'headers', headers: { values } });
/** Each Sign-In with what the server gets as Authorization, and the parts of it that it may repeat. */
const SIGN_INS: Record<string, [fields: IDataObject, authorization: string, secrets: string[]]> = {
	'User And Password': [{ signIn: 'basic', user: 'ann', password: PASSWORD }, `Basic ${LOGIN}`, [`Basic ${LOGIN}`, LOGIN, PASSWORD]],
	'Bearer Token': [{ signIn: 'bearer', bearerToken: `${MARKER}-bearer` }, `Bearer ${MARKER}-bearer`, [`${MARKER}-bearer`]],
	Headers: [
		rowsOf({ name: 'Authorization', value: `Key ${MARKER}-row` }, { name: 'X-Two', value: `${MARKER}-two` }),
		`Key ${MARKER}-row`,
		[`Key ${MARKER}-row`, `${MARKER}-row`, `${MARKER}-two`],
	],
};
const signedIn = (fields: IDataObject): Credential =>
	credentialFor(sandbox, 'engine', { token: '', engineAuthorizationSecret: '', ...fields });
const keysOf = <T extends object>(table: T) => Object.keys(table) as Array<keyof T>;
const good = (way: keyof typeof GOOD) => credentialFor(sandbox, way, GOOD[way]);
const wrong = (way: keyof typeof WRONG) => credentialFor(sandbox, way, WRONG[way]);

/** A signed link's query may stand in an item, but never in an error. */
const SIGNED = /X-Goog-|GOOG4/;

/** Where a secret has got to; what is logged counts as well. */
function leaksOf(name: string, result: NodeResult): string[] {
	const { outputs, error, contextData, stored } = result;
	const places = { outputs, error, contextData, stored, logged, debugLog: debugLog.lines };
	const leaks = Object.entries(places).flatMap(([place, content]) =>
		markers().flatMap((marker) => (String(JSON.stringify(content)).includes(marker) ? [`${name}: ${marker} in ${place}`] : [])),
	);
	const errors = [error, ...jsons(result).map((item) => [item.error, item.error_description, item.error_facts])];
	if (SIGNED.test(JSON.stringify(errors)) || (result.status === 'error' && SIGNED.test(stored)))
		leaks.push(`${name}: a signed link in an error`);
	if (SIGNED.test(JSON.stringify(debugLog.lines))) leaks.push(`${name}: a signed link in the log`);
	return leaks;
}

const jobOf = (credential: Credential): string => (credential.interface === 'engine' ? engineJobId : jobId);

type Operation = [name: string, run: (credential: Credential) => NodeRun];
const withPartnerKey = { parameters: { options: { sendPartnerKey: true, keepTryingForSeconds: 0 } } };
const operations: Operation[] = [
	['upload', (credential) => uploadRun(credential, [fileItem(picture)])],
	[
		'upload mask',
		(credential) =>
			assetRun(credential, 'uploadMask', { items: [fileItem(picture)], parameters: { binaryPropertyName: 'data', original: imageName } }),
	],
	['create from hash', (credential) => assetRun(credential, 'createFromHash', { parameters: { hash: 'a'.repeat(64) } })],
	['get asset', (credential) => assetRun(credential, 'get', { parameters: { assetId } })],
	['delete asset', (credential) => assetRun(credential, 'delete', { parameters: { assetId: 'no-such-asset' } })],
	['submit', (credential) => submitRun(credential, colorGraph(1), withPartnerKey)],
	['wait', (credential) => waitRun(credential, [jobOf(credential)], { parameters: { maxWaitMinutes: 0.001 } })],
	['get workflow', (credential) => workflowRun(credential, [jobOf(credential)])],
	['download', (credential) => downloadRun(credential, [jobOf(credential)])],
	['cancel job', (credential) => manageRun(credential, 'job:cancel', { parameters: { jobId: jobOf(credential) } })],
	['get queue', (credential) => manageRun(credential, 'queue:get', { parameters: { options: { includeWorkflow: true } } })],
	['delete from queue', (credential) => manageRun(credential, 'queue:delete', { parameters: { jobId: jobOf(credential) } })],
	['interrupt', (credential) => manageRun(credential, 'queue:interrupt')],
	['get node definitions', (credential) => manageRun(credential, 'nodeDefinition:getAll', { parameters: { classes: 'SaveImage' } })],
];

it('the credentials have no other secret fields than the tests fill', () => {
	// The router's own credential has a test of its own.
	const used = new Set(Object.values(nodes).flatMap(({ description }) => (description.credentials ?? []).map(({ name }) => name)));
	used.delete('comfyRouterJwtApi');
	expect([...used].sort()).toEqual(Object.keys(secretFields));
	for (const way of keysOf(WRONG)) {
		const { type, data } = wrong(way);
		for (const field of secretFields[type]) expect(data[field]).toContain(MARKER);
	}
});

/** An engine knows no token, so that a wrong one does not keep them from what it alone offers. */
const ON_ENGINE = ['upload mask', 'get queue', 'delete from queue', 'interrupt', 'get node definitions'];

/** Runs all operations at once. */
const leaksOfAll = async (
	credential: Credential,
	settings: NodeRun['settings'],
	expected?: string,
	without: string[] = [],
): Promise<string[]> => {
	const runs = operations
		.filter(([name]) => !without.includes(name))
		.map(async ([name, run]) => {
			const result = await runNode({ ...run(credential), settings });
			const wrong = expected !== undefined && result.status !== expected ? [`${name}: ${result.status}`] : [];
			return [...wrong, ...leaksOf(name, result)];
		});
	const leaks = (await Promise.all(runs)).flat();
	return debugLog.lines.length > 0 ? leaks : [...leaks, 'nothing was logged'];
};

const WAYS = ['hosted', 'v1', 'engine'] as const;
const submitRoute = (credential: Credential) =>
	['v1', 'engine'].includes(credential.interface ?? '') ? 'POST /api/prompt' : 'POST /api/v2/jobs';

describe('no operation exposes a secret', () => {
	it.each(keysOf(GOOD))('if every request succeeds, and if the key is wrong (%s)', async (way) => {
		expect(await leaksOfAll(good(way), {})).toEqual([]);
		expect(await leaksOfAll(wrong(way), {}, 'error', way === 'self_hosted_token' ? ON_ENGINE : [])).toEqual([]);
	});

	it.each(Object.entries(SIGN_INS))(
		'of Sign-In: %s, if the server accepts it, which gets nothing else, rejects it, or repeats it in an error',
		async (_, [fields, engineAuthorization, secrets]) => {
			sandbox.configure({ engineAuthorization });
			expect(await leaksOfAll(signedIn(fields), {}, undefined, ['create from hash', 'get asset', 'delete asset'])).toEqual([]);
			expect(sandbox.requests('* *', 'engine').every(({ headers }) => headers.authorization === engineAuthorization)).toBe(true);
			for (const secret of secrets) {
				const answer = { status: 400, code: 'x', message: `${secret} is not allowed` };
				sandbox.inject({ on: 'POST /api/prompt', surface: 'engine', answer });
				const result = await runNode(submitRun(signedIn(fields), colorGraph(6), withPartnerKey));
				expect(JSON.stringify(result.error)).toMatch(/\*\*\* is not allowed/);
				expect(leaksOf('', result)).toEqual([]);
			}
			sandbox.configure({ engineAuthorization: 'Basic other' });
			expect(await leaksOfAll(signedIn(fields), { onError: 'continueRegularOutput' }, 'success')).toEqual([]);
		},
	);

	it.each<[fault: string, way: (typeof WAYS)[number], rule: Omit<FaultRule, 'on'>]>([
		['an error of the server', 'hosted', { answer: { status: 500, code: 'upstream_error', details: { node_errors: {} } } }],
		['a web page', 'engine', { answer: { status: 403, html: true } }],
		['a dropped connection', 'v1', { fault: { kind: 'drop_before' } }],
		['a lost answer', 'hosted', { fault: { kind: 'drop_after' } }],
		['a lost answer', 'engine', { fault: { kind: 'drop_after' } }],
	])('if every answer is %s (%s)', async (_, way, rule) => {
		hurryClock();
		sandbox.inject({ on: '* *', surface: way === 'engine' ? way : 'hosted', times: Infinity, ...rule });
		const [stopped, continued] = await Promise.all([
			leaksOfAll(good(way), {}, 'error'),
			leaksOfAll(good(way), { onError: 'continueRegularOutput' }, 'success'),
		]);
		expect([...stopped, ...continued]).toEqual([]);
	});
});

it.each(WAYS)('the partner key is sent, and stays out of a rejection and of what is remembered of a lost answer (%s)', async (way) => {
	const route = submitRoute(good(way));
	const before = sandbox.requests(route).length;
	const rejected = await runNode(submitRun(good(way), { '4': { class_type: 'NoSuchNode', inputs: {} } }, withPartnerKey));
	expect(sandbox.requests(route)).toHaveLength(before + 1);
	expect(rejected.error?.message).toMatch(way === 'engine' ? /does not have the node/ : /rejected this workflow/);

	sandbox.configure({ v1JobsRead: false });
	if (way === 'engine') sandbox.inject({ on: 'GET *', surface: 'engine', times: Infinity, answer: { status: 403, html: true } });
	sandbox.inject({ on: route, fault: { kind: 'drop_after' } });
	const lost = await runNode(submitRun(good(way), colorGraph(77), withPartnerKey));
	expect(lost.error?.message).toMatch(/may have been submitted,/);
	expect(JSON.stringify(lost.contextData)).toContain('comfySubmissions');
	expect([...leaksOf('rejected', rejected), ...leaksOf('lost', lost)]).toEqual([]);
});

describe('a server that repeats what it was sent', () => {
	const echo = (key: string, status: number): FaultRule['answer'] => ({
		status,
		code: 'invalid_workflow',
		message: `extra_data ${key} is not allowed`,
		details: {
			node_errors: { '1': [{ field: 'key', reason: `got ${key.split(' ').at(-1)}` }] },
			input: { authorization: `Bearer ${key}`, [key]: key },
		},
	});

	it.each(['stopWorkflow', 'continueRegularOutput'] as const)('has a message without the key (%s)', async (onError) => {
		for (const credential of keysOf(GOOD).map(good)) {
			for (const field of secretFields[credential.type]) {
				sandbox.inject({
					on: submitRoute(credential),
					answer: echo(String(credential.data[field]), credential.interface === 'engine' ? 400 : 422),
				});
				const result = await runNode({ ...submitRun(credential, colorGraph(5), withPartnerKey), settings: { onError } });
				const said: IDataObject = { ...result.error, ...jsons(result)[0] };
				expect(JSON.stringify(said)).toMatch(/is not allowed/);
				expect(leaksOf('', result)).toEqual([]);
			}
		}
	});

	it('F6: across the place where a long text is cut has both keys of a credential masked as a whole', async () => {
		const keys = { apiKey: `account-${'9876543210'.repeat(6)}`, partnerApiKey: `partner-${'0123456789'.repeat(6)}` };
		for (const secret of Object.values(keys)) {
			const reason = `${'a '.repeat(120)}${secret}`;
			for (const answer of [
				{ status: 422, code: 'odd_code', message: `${'a '.repeat(470)}${secret} is not allowed` },
				{ status: 422, code: 'odd_code', message: 'x', details: { node_errors: { '1': [{ field: 'key', reason }] } } },
			]) {
				sandbox.inject({ on: 'POST /api/v2/jobs', answer });
				const result = await runNode(submitRun(credentialFor(sandbox, 'hosted', keys), colorGraph(5), withPartnerKey));
				const text = JSON.stringify([result.error, result.stored, debugLog.lines]);
				expect(text).toContain('***');
				expect(text).not.toContain(secret.slice(0, 12));
			}
		}
	});

	/** In which spellings: withoutSecrets.test.ts. */
	it.each([
		['the key', 'comfy+key/4f1c=90'],
		['the key in a sentence', 'You sent comfy+key/4f1c=90, thanks'],
	])('has %s masked in a result as well, for each of two items', async (_, text) => {
		const echo = { echo: { [text]: [text, { deep: text }] }, service: text };
		const json = { id: 'job-1', status: 'succeeded', outputs: [], urls: {}, ...echo };
		sandbox.inject({ on: 'GET /api/v2/jobs/:id', times: 2, answer: { status: 200, json } });
		const credential = credentialFor(sandbox, 'hosted', { apiKey: 'comfy+key/4f1c=90' });
		const result = await runNode(manageRun(credential, 'job:get', { items: [{}, {}], parameters: { jobId: 'job-1' } }));
		expect(result.error).toBeUndefined();
		for (const item of jsons(result)) expect(JSON.stringify(item)).toContain('***');
		expect(result.stored).not.toContain('comfy+key/4f1c=90');
	});
});

it.each<[fault: string, rule: Omit<FaultRule, 'on'>]>([
	['of an expired link', { fault: { kind: 'expired_link' } }],
	[
		'of a storage that is down',
		{ answer: { status: 503, body: '<Error>X-Goog-Signature=abc</Error>', headers: { 'content-type': 'application/xml' } } },
	],
	['of a storage that hangs up', { fault: { kind: 'drop_before' } }],
])('the query of a signed link %s is in no error', async (_, rule) => {
	hurryClock();
	sandbox.inject({ on: 'GET /blobs/:id', surface: 'storage', times: Infinity, ...rule });
	for (const way of ['hosted', 'v1'] as const) {
		const result = await runNode(downloadRun(good(way), [jobId]));
		expect(result.status).toBe('error');
		expect(leaksOf('', result)).toEqual([]);
	}
});
