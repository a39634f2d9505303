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
	bare_engine: { ...TOKEN, ...OTHER_LOGIN },
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
	const places = {
		outputs: result.outputs,
		error: result.error,
		contextData: result.contextData,
		stored: result.stored,
		logged,
		debugLog: debugLog.lines,
	};
	const leaks = Object.entries(places).flatMap(([place, content]) =>
		markers().flatMap((marker) => (String(JSON.stringify(content)).includes(marker) ? [`${name}: ${marker} in ${place}`] : [])),
	);
	const errors = [
		result.error,
		...jsons(result).map(({ error, error_description, error_facts }) => [error, error_description, error_facts]),
	];
	if (SIGNED.test(JSON.stringify(errors)) || (result.status === 'error' && SIGNED.test(result.stored)))
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
const surfaceOf = (way: (typeof WAYS)[number]) => (way === 'engine' ? 'engine' : 'hosted');
const submitRoute = (credential: Credential) =>
	['v1', 'engine'].includes(credential.interface ?? '') ? 'POST /api/prompt' : 'POST /api/v2/jobs';

describe('no operation exposes a secret', () => {
	it.each(keysOf(GOOD))('if every request succeeds (%s)', async (way) => {
		expect(await leaksOfAll(good(way), {})).toEqual([]);
	});

	it.each(keysOf(WRONG))('if the key is wrong (%s)', async (way) => {
		expect(await leaksOfAll(wrong(way), {}, 'error', way === 'self_hosted_token' ? ON_ENGINE : [])).toEqual([]);
	});

	describe.each(Object.entries(SIGN_INS))('of Sign-In: %s', (_, [fields, engineAuthorization, secrets]) => {
		it('if the server accepts it, which gets nothing else', async () => {
			sandbox.configure({ engineAuthorization });
			expect(await leaksOfAll(signedIn(fields), {}, undefined, ['create from hash', 'get asset', 'delete asset'])).toEqual([]);
			expect(sandbox.requests('* *', 'engine').every(({ headers }) => headers.authorization === engineAuthorization)).toBe(true);
		});

		it('if the server rejects it', async () => {
			sandbox.configure({ engineAuthorization: 'Basic other' });
			expect(await leaksOfAll(signedIn(fields), {}, 'error')).toEqual([]);
			expect(await leaksOfAll(signedIn(fields), { onError: 'continueRegularOutput' }, 'success')).toEqual([]);
		});

		it('if the server repeats it in an error', async () => {
			sandbox.configure({ engineAuthorization });
			for (const secret of secrets) {
				const answer = { status: 400, code: 'x', message: `${secret} is not allowed` };
				sandbox.inject({ on: 'POST /api/prompt', surface: 'engine', answer });
				const result = await runNode(submitRun(signedIn(fields), colorGraph(6), withPartnerKey));
				expect(JSON.stringify(result.error)).toMatch(/\*\*\* is not allowed/);
				expect(leaksOf('', result)).toEqual([]);
			}
		});
	});

	const faults: Array<[string, Omit<FaultRule, 'on'>]> = [
		['an error of the server', { answer: { status: 500, code: 'upstream_error', details: { node_errors: {} } } }],
		['a web page', { answer: { status: 403, html: true } }],
		['a dropped connection', { fault: { kind: 'drop_before' } }],
		['a lost answer', { fault: { kind: 'drop_after' } }],
	];
	it.each(WAYS.flatMap((way) => faults.map(([name, fault]) => [name, way, fault] as const)))(
		'if every answer is %s (%s)',
		async (_, way, fault) => {
			hurryClock();
			sandbox.inject({ on: '* *', surface: surfaceOf(way), times: Infinity, ...fault });
			const [stopped, continued] = await Promise.all([
				leaksOfAll(good(way), {}, 'error'),
				leaksOfAll(good(way), { onError: 'continueRegularOutput' }, 'success'),
			]);
			expect([...stopped, ...continued]).toEqual([]);
		},
	);
});

describe.each(WAYS)('the partner key (%s)', (way) => {
	it('is sent, and stays out of the failure when the workflow is rejected', async () => {
		const route = submitRoute(good(way));
		const before = sandbox.requests(route).length;
		const result = await runNode(submitRun(good(way), { '4': { class_type: 'NoSuchNode', inputs: {} } }, withPartnerKey));
		expect(sandbox.requests(route)).toHaveLength(before + 1);
		expect(result.error?.message).toMatch(way === 'engine' ? /does not have the node/ : /rejected this workflow/);
		expect(leaksOf('', result)).toEqual([]);
	});

	it('stays out of what is remembered of a submission whose answer was lost', async () => {
		sandbox.configure({ v1JobsRead: false });
		if (way === 'engine') sandbox.inject({ on: 'GET *', surface: 'engine', times: Infinity, answer: { status: 403, html: true } });
		sandbox.inject({ on: submitRoute(good(way)), fault: { kind: 'drop_after' } });
		const result = await runNode(submitRun(good(way), colorGraph(77), withPartnerKey));
		sandbox.configure({ v1JobsRead: true });
		expect(result.error?.message).toMatch(/may have been submitted,/);
		expect(JSON.stringify(result.contextData)).toContain('comfySubmissions');
		expect(leaksOf('', result)).toEqual([]);
	});
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
});

describe('a signed link’s query', () => {
	const faults: Array<[string, Omit<FaultRule, 'on'>]> = [
		['of an expired link', { fault: { kind: 'expired_link' } }],
		[
			'of a storage that is down',
			{ answer: { status: 503, body: '<Error>X-Goog-Signature=abc</Error>', headers: { 'content-type': 'application/xml' } } },
		],
		['of a storage that hangs up', { fault: { kind: 'drop_before' } }],
	];
	it.each(faults)('%s is in no error', async (_, fault) => {
		hurryClock();
		sandbox.inject({ on: 'GET /blobs/:id', surface: 'storage', times: Infinity, ...fault });
		for (const way of ['hosted', 'v1'] as const) {
			const result = await runNode(downloadRun(good(way), [jobId]));
			expect(result.status).toBe('error');
			expect(leaksOf('', result)).toEqual([]);
		}
	});
});
