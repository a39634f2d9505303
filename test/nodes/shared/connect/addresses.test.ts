import { serve, type TestServer } from '../../../client/support/server';
import { testCredential } from '../../support/credentialTest';
import { type Credential, type RouterCredential, runNode } from '../../support/engine';
import { downloadRun, workflowRun } from '../../support/files';
import { credentialFor, type Way } from '../../support/flavours';
import { colorGraph } from '../../support/graphs';
import { manageRun } from '../../support/manage';
import { routerCredential, routerRun } from '../../support/router';
import { sharedSandbox } from '../../support/sandbox';
import { submitRun, waitRun } from '../../support/submit';

const sandbox = sharedSandbox();

let n8n: TestServer;
beforeAll(async () => {
	n8n = await serve(({ method, url }, response) => {
		const [status, type, body] =
			method === 'GET' ? answerOfN8n(url) : [404, 'text/html', `<!DOCTYPE html><pre>Cannot ${method} ${url}</pre>`];
		response.writeHead(Number(status), { 'content-type': String(type) }).end(body);
	});
});
beforeEach(() => void (n8n.seen.length = 0));
afterAll(async () => await n8n.close());

/** As n8n 2.40 does: its editor for every address that is not its own. */
const answerOfN8n = (url: string): [number, string, string] =>
	url === '/rest/settings'
		? [
				200,
				'application/json',
				JSON.stringify({
					data: { settingsMode: 'public', userManagement: { authenticationMethod: 'email', showSetupOnFirstLoad: false } },
				}),
			]
		: [200, 'text/html', '<!DOCTYPE html><html lang="en"><title>n8n.io - Workflow Automation</title></html>'];

const JOB = '8f14e45f-ceea-467f-a34f-5ac0d1a0f1c2';
const testOf = async (credential: Credential | RouterCredential): Promise<string> => (await testCredential(credential)).message;

const AT_ONCE = { parameters: { options: { keepTryingForSeconds: 0 } } };

async function wordsOf(run: Promise<Awaited<ReturnType<typeof runNode>>>): Promise<string> {
	const { error } = await run;
	return `${error?.message}. ${error?.description}`;
}

/** What the credential's *Test*, and two nodes, say of this address. */
const everyWay = async (credential: Credential): Promise<string[]> => [
	await testOf(credential),
	await wordsOf(runNode(submitRun(credential, colorGraph(1), AT_ONCE))),
	await wordsOf(runNode(waitRun(credential, [JOB]))),
];

const isOfOrigin = (text: string, address: string): boolean =>
	text.startsWith(`The server at ${new URL(address).origin} is `) && !/\/api\/|\/jobs|[\da-f]{8}-[\da-f]{4}/.test(text);

const atHosted = (baseUrl: string): Credential => credentialFor(sandbox, 'hosted', { baseUrl });
const atOwn = (baseUrl: string): Credential => credentialFor(sandbox, 'bare_engine', { baseUrl });
const COMFYUI = /is ComfyUI itself: use the credential Comfy Self-Hosted API\./;

it.each<[place: string, address: () => string, at: (address: string) => Credential, words: RegExp]>([
	['ComfyUI itself', () => sandbox.urls.engine, atHosted, COMFYUI],
	['ComfyUI itself with a path', () => `${sandbox.urls.engine}/prompt`, atHosted, COMFYUI],
	['n8n', () => n8n.origin, atHosted, /is n8n, not the service .* Under Base URL in the Comfy API credential/],
	['the model router', () => sandbox.urls.router, atHosted, /is the model router.* as Router URL .*\. Under Base URL, enter/],
	['n8n', () => n8n.origin, atOwn, /is n8n, not ComfyUI\. Under Address in the Comfy Self-Hosted API credential, .*8188/],
	['the model router', () => sandbox.urls.router, atOwn, /is the model router.* use Comfy Run Router Model/],
])('an address is recognized as that of %s by the test of the credential and by two nodes (%#)', async (_, address, at, words) => {
	for (const text of await everyWay(at(address()))) {
		expect(text).toMatch(words);
		expect(isOfOrigin(text, address())).toBe(true);
	}
});

it('an address of the hosted service in Address is recognized by its rejection', async () => {
	for (const text of await everyWay(atOwn(sandbox.urls.hosted)))
		expect(text).toMatch(/did not accept the Token.*For the hosted service or a deployment, use the credential Comfy API/);
});

it('Hosted URL is recognized as that of the API proxy when v1 is needed', async () => {
	const { self_hosted: proxy } = sandbox.urls;
	const text = await wordsOf(runNode(manageRun(credentialFor(sandbox, 'hosted', { hostedUrl: proxy }), 'queue:get')));
	expect(text).toMatch(
		/is the API proxy of a ComfyUI: use the credential Comfy Self-Hosted API\. .* Hosted URL in the Comfy API credential/,
	);
	expect(isOfOrigin(text, proxy)).toBe(true);
});

it('an address is recognized by requests without the key', async () => {
	await testOf(atHosted(n8n.origin));
	const withKey = n8n.seen.filter(({ headers }) => JSON.stringify(headers).includes(sandbox.keys.apiKey));
	expect(withKey.map(({ url }) => url.replace(/[\da-f-]{36}$/, ':id'))).toEqual(['/api/v2/jobs/:id']);
});

it('an address of ComfyUI is used without the path of a request at its end, and with http if it has no scheme', async () => {
	const { origin, host } = new URL(sandbox.urls.engine);
	const routes = ['/prompt', '/api/prompt', '/queue', '/object_info', '/ws', '/view?filename=x.png', '/system_stats'];
	for (const address of [...routes.map((route) => origin + route), `${host}/prompt`])
		expect(await testOf(atOwn(address))).toMatch(/^Connection successful: ComfyUI/);
	for (const address of [`${origin}/api/prompt`, host])
		expect((await runNode(submitRun(atOwn(address), colorGraph(1)))).status).toBe('success');
});

it.each<[place: string, address: () => string]>([
	['ComfyUI itself', () => sandbox.urls.engine],
	['the API proxy of a ComfyUI', () => sandbox.urls.self_hosted],
	['the hosted service, a deployment or the API proxy', () => sandbox.urls.hosted],
	['n8n', () => n8n.origin],
])('Router URL is recognized as that of %s', async (name, address) => {
	const changes = { routerUrl: address() };
	const jwt = routerCredential(sandbox, 'comfyRouterJwtApi', changes);
	for (const text of [
		await testOf(jwt),
		await wordsOf(runNode(routerRun(jwt, 'model:get', 'bfl/flux'))),
		await wordsOf(runNode(routerRun(routerCredential(sandbox, 'comfyApi', changes), 'model:getAll', 'bfl/flux'))),
	])
		expect(text).toContain(`The server at ${new URL(address()).origin} is ${name}, not the model router. Under Router URL`);
});

it.each(['self_hosted', 'engine', 'hosted'] as const)(
	'the message names the address to enter when a server (%s) redirects API requests',
	async (flavour) => {
		const elsewhere = 'https://comfy.example.test';
		const server = await serve(({ url }, response) => void response.writeHead(301, { location: elsewhere + url }).end());
		const { origin } = server;
		const credential = credentialFor(sandbox, flavour);
		Object.assign(credential.data, { baseUrl: origin, routerUrl: origin, hostedUrl: origin });
		const { error } = await runNode(submitRun(credential, colorGraph(1), { parameters: { options: { interface: 'automatic' } } }));
		await server.close();
		expect(error?.message).toBe(`${origin} redirects API requests to ${elsewhere}`);
		expect(error?.description).toContain(`If ${elsewhere} is the correct address, enter it as `);
	},
);

/** Where nothing is looked for first. */
const WAYS: Way[] = ['hosted', 'self_hosted_token', 'v1', 'engine'];
const ODD: string[] = ['..', '.', 'half a smile \ud83d'];

/** A cancel and a workflow of an engine look through its queue; after a 404 of v1, which anybody may give, it is asked who this is. */
const isOther = (path: string): boolean =>
	/^\/(api\/(queue|system_stats|v2\/jobs\/[0-9a-f]{8}-[0-9a-f-]{27})|rest\/settings|v2\/models)$/.test(path);

it.each(WAYS)('a job id that leads elsewhere or is not valid text is rejected before anything is sent (%s)', async (way) => {
	const credential = credentialFor(sandbox, way);
	for (const id of ODD) {
		const runs = [
			waitRun(credential, [id]),
			downloadRun(credential, [id]),
			workflowRun(credential, [id]),
			...(['job:get', 'job:cancel'] as const).map((what) => manageRun(credential, what, { parameters: { jobId: id } })),
		];
		for (const run of runs) expect((await runNode(run)).error?.message).toMatch(/has no (job|entry|asset) with this ID/);
	}
	expect(sandbox.requests().filter(({ path }) => !isOther(path))).toEqual([]);
});
