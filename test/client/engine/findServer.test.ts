import { findServer, type FoundServer, type ServerSettings, StoppedError, UnreadableAnswerError } from '../../../client';
import { failureOf } from '../support/bytes';
import { raw } from '../support/answering';
import { useSandbox } from '../support/sandbox';
import { deadOrigin } from '../support/deadOrigin';
import { json, serve, type Answer, type TestServer } from '../support/server';
import { until } from '../../support/until';

const harness = useSandbox();
const found: FoundServer[] = [];
const servers: TestServer[] = [];
afterEach(async () => {
	await harness.sandbox.startEngine();
	await Promise.all([...found.splice(0).map(({ connection }) => connection.close()), ...servers.splice(0).map((server) => server.close())]);
});

async function find(
	settings: Partial<ServerSettings>,
	options: Parameters<typeof findServer>[1] = { patienceMs: 0 },
): Promise<FoundServer> {
	const server = await findServer({ baseUrl: harness.sandbox.urls.self_hosted, engineUrl: '', wanted: 'any', ...settings }, options);
	found.push(server);
	return server;
}

async function served(answer: Answer): Promise<TestServer> {
	const server = await serve(answer);
	servers.push(server);
	return server;
}

const asked = () => harness.sandbox.requests().map(({ surface, path }) => `${surface} ${path.replace(/[0-9a-f-]{36}$/, ':id')}`);
const loginPage = raw(200, 'text/html', '<html>login');

test('T2: an unknown host name is reported, and no other address is tried', async () => {
	const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
	const lookup: NonNullable<NonNullable<ServerSettings['outboundNetwork']>['lookup']> = (_hostname, _options, done) => done(unknown, []);
	const failure = await failureOf(
		find({ baseUrl: 'http://comfyui.invalid:8188', engineUrl: harness.sandbox.urls.engine, outboundNetwork: { lookup } }),
	);
	expect(failure).toMatchObject({ trouble: 'dns', origin: 'http://comfyui.invalid:8188' });
	expect(asked()).toEqual([]);
});

test('an engine is looked for at its own address first when an engine is wanted', async () => {
	const { connection } = await find({ engineUrl: harness.sandbox.urls.engine, wanted: 'engine' });
	expect([connection.interface, connection.control === undefined]).toEqual(['engine', false]);
	expect(asked()).toEqual(['engine /api/system_stats']);
});

test.each(['nowhere', 'a dead address', 'a login page'])('an engine is found at baseUrl when engineUrl leads to %s', async (place) => {
	const login = async () => (await served(loginPage)).origin;
	const engineUrl = place === 'nowhere' ? '' : place === 'a login page' ? await login() : await deadOrigin();
	const { connection } = await find({ baseUrl: harness.sandbox.urls.engine, engineUrl, wanted: 'engine' });
	expect(connection.interface).toBe('engine');
});

describe('a user of an engine', () => {
	const USERS = { ann_1: 'Ann', bob_2: 'Bob', Bob: 'Carl' };
	beforeEach(() => harness.sandbox.configure({ engineUsers: USERS }));
	afterEach(() => harness.sandbox.configure({ engineUsers: null }));
	const findAs = async (comfyUser: string) => await find({ baseUrl: harness.sandbox.urls.engine, comfyUser });

	test('is found by the ID before the name of another user, and is not sent to the API proxy, which has no users', async () => {
		const { connection } = await find({
			engineUrl: harness.sandbox.urls.engine,
			wanted: 'engine',
			comfyUser: 'Bob',
			headers: { 'x-a': 'b' },
		});
		await connection.library?.list();
		const [list] = harness.sandbox.requests('GET /api/userdata', 'engine');
		expect([list?.headers['comfy-user'], list?.headers['x-a']]).toEqual(['Bob', 'b']);
		expect(harness.sandbox.requests('GET /api/users')[0]?.headers).not.toHaveProperty('comfy-user');
		harness.sandbox.resetRecords();
		const proxy = await find({ comfyUser: 'nobody' });
		expect(proxy.connection.interface).toBe('v2');
		expect(harness.sandbox.requests().filter(({ headers }) => 'comfy-user' in headers)).toEqual([]);
	});

	test.each(['constructor', '__proto__'])('is reported with all users if %s is not one of them', async (user) => {
		expect(await failureOf(findAs(user))).toMatchObject({ name: 'UnknownUserError', user, users: USERS });
	});

	test('is not replaced by none if the list of users cannot be read', async () => {
		harness.sandbox.inject({ on: 'GET /api/users', surface: 'engine', times: Infinity, answer: { status: 403, html: true } });
		expect(await failureOf(findAs('Ann'))).toMatchObject({ status: 403 });
	});
});

test.each([401, 403])('a key that a service rejects with %d is reported, although its check of an engine needs no key', async (status) => {
	const { origin: baseUrl } = await served(async (request, response) => {
		const isEngineCheck = request.url === '/api/system_stats';
		const body = isEngineCheck ? { system: { comfyui_version: '0.3.75' } } : { error: { code: 'unauthorized', message: 'No' } };
		await json(isEngineCheck ? 200 : status, body)(request, response);
	});
	expect(await failureOf(find({ baseUrl }))).toMatchObject({ interface: 'v2', status });
});

test('a login page is reported at once, and its connection is closed', async () => {
	const open = new Set<unknown>();
	const { origin: baseUrl } = await served((request, response) => {
		const { socket } = response;
		open.add(socket);
		socket?.on('close', () => open.delete(socket));
		return loginPage(request, response);
	});
	const failure = await failureOf(find({ baseUrl, engineUrl: harness.sandbox.urls.engine }, { patienceMs: 60_000 }));
	expect(failure).toBeInstanceOf(UnreadableAnswerError);
	expect(failure).toMatchObject({ facts: { reason: 'html' } });
	await until(() => open.size === 0);
});

test('a silent address is asked once, before the other one', async () => {
	const silent = await served(() => undefined);
	const { connection } = await find({ baseUrl: silent.origin, engineUrl: harness.sandbox.urls.engine, limits: { requestMs: 2_000 } });
	expect([connection.interface, silent.seen.length]).toEqual(['engine', 1]);
});

test.each(['while it looks', 'between two looks'])('a stop %s ends the search at once', async (moment) => {
	const { origin } = await served(() => undefined);
	const signal = AbortSignal.timeout(100);
	const baseUrl = moment === 'while it looks' ? origin : await deadOrigin();
	expect(await failureOf(find({ baseUrl, engineUrl: baseUrl }, { patienceMs: 60_000, signal }))).toBeInstanceOf(StoppedError);
});
