/** `npm run live` against the sandbox in place of a real ComfyUI and its API proxy. */
import { readdir, rm } from 'node:fs/promises';
import sharp from 'sharp';
import { scripts } from '../../package.json';
import type { FaultRule, SandboxOptions } from '../../sandbox';
import { deadOrigin } from '../client/support/deadOrigin';
import { CHECKS, live, OUTAGES, PROXY_CHECKS, sandbox, server } from './support/live';

jest.setTimeout(120_000);

test('npm run live runs it', () => {
	expect(scripts.live).toBe('node --import tsx scripts/live.ts');
});

test.each<[string, SandboxOptions]>([
	['an engine', {}],
	['a newer engine, with routes for jobs', { engineJobRoutes: true, engineMissingNode: 'missing_node_type' }],
	['an older engine, whose interrupt stops whatever runs', { engineInterrupt: 'whatever_runs' }],
	['an older engine, which gives every prompt an id of its own', { engineInterrupt: 'whatever_runs', enginePromptIds: 'own' }],
])('on %s every check holds, and it says where files are left', async (_name, options) => {
	const { urls } = await sandbox(options);
	const { code, stdout, held } = await live('--url', urls.engine);
	expect({ held, code, stdout }).toMatchObject({ held: CHECKS, code: 0 });
	expect(stdout).toMatch(options.enginePromptIds === 'own' ? /it does not report its version/ : /version 0\.3\.64/);
	expect(stdout).toMatch(
		/ComfyUI cannot delete files: .* n8n-nodes-comfy-live\/[0-9a-f]{8} .*\n\n28 held, 0 failed, 3 not shown, in [\d.]+ s\n/,
	);
});

test('under a path of a reverse proxy that asks for a password every check holds; without the password it says what is missing', async () => {
	const authorization = 'Basic bGl2ZTpjYW5hcnk=';
	const { urls } = await sandbox({ engineMount: '/comfy', engineAuthorization: authorization });
	const { code, stdout, stderr, held } = await live('--url', `${urls.engine}/`, '--authorization', authorization);
	expect({ held, code }).toEqual({ held: CHECKS, code: 0 });
	expect(stdout + stderr).not.toContain(authorization.slice(6));

	const refused = await live('--url', urls.engine);
	expect([refused.code, refused.stdout]).toEqual([
		1,
		expect.stringMatching(/✗ Find ComfyUI +a reverse proxy asks for an Authorization: give it with --authorization/),
	]);
});

test('--keep saves what was downloaded', async () => {
	const { urls } = await sandbox();
	const { code, stdout } = await live('--url', urls.engine, '--keep');
	const folder = /Downloaded pictures are in (.+)\.\n/.exec(stdout)?.[1] ?? '';
	expect(code).toBe(0);
	expect(await readdir(folder)).toEqual(expect.arrayContaining(['drawn_00001_.png', 'inverted_00001_.png']));
	await rm(folder, { recursive: true });
});

test.each(['self_hosted', 'self_hosted_token_url'] as const)('every check holds through the API proxy at %s as well', async (address) => {
	const { urls, keys } = await sandbox();
	const token = address === 'self_hosted' ? [] : ['--token', keys.bearer];
	const { code, held, notShown, stdout } = await live('--url', urls.engine, '--proxy', urls[address], ...token);
	expect({ held, notShown, code, stdout }).toMatchObject({
		held: [...CHECKS, ...PROXY_CHECKS],
		notShown: [...OUTAGES, ...OUTAGES],
		code: 0,
	});
});

test('where the address of the API proxy is that of ComfyUI it says so and ends with 1', async () => {
	const { urls } = await sandbox();
	const { code, stdout } = await live('--url', urls.engine, '--proxy', urls.engine);
	expect([code, stdout]).toEqual([1, expect.stringMatching(/✗ Find the API proxy +found ComfyUI itself, not the API proxy/)]);
});

test('where nothing listens it says so and ends with 1', async () => {
	const { code, stdout } = await live('--url', await deadOrigin());
	expect([code, stdout]).toEqual([
		1,
		expect.stringMatching(/✗ Find ComfyUI +The connection was refused \(http.*Is ComfyUI running, and started with --listen/),
	]);
});

test('at the address of the API proxy it says so and ends with 1', async () => {
	const { urls } = await sandbox();
	const { code, stdout } = await live('--url', urls.self_hosted);
	expect([code, stdout]).toEqual([1, expect.stringMatching(/✗ Find ComfyUI +found the API proxy, not ComfyUI itself/)]);
});

test('at the address of a web site it says so and ends with 1', async () => {
	const url = await server(
		(_request, response) =>
			void response.writeHead(200, { 'content-type': 'text/html', connection: 'close' }).end('<!doctype html><title>Welcome</title>'),
	);
	const { code, stdout } = await live('--url', url);
	expect([code, stdout]).toEqual([1, expect.stringMatching(/✗ Find ComfyUI +found a web page \(HTTP 200\) at http.*, not ComfyUI/)]);
});

const OF_JOBS = [
	'Load and invert',
	'Submit, wait, save',
	'Get workflow',
	'Same key, one job',
	'Quick jobs',
	'Cancel a waiting job',
	'Live events',
	'Stop a running job',
];
const OF_INPUTS = ['File input', 'Pass an output on'];
const OF_SAVED = ['Run by name', 'Run an app', 'Edit and run again'];

const grey = async (): Promise<FaultRule> => {
	const body = await sharp({ create: { width: 48, height: 32, channels: 3, background: '#808080' } })
		.png()
		.toBuffer();
	return {
		on: 'GET /api/view',
		surface: 'engine',
		times: Infinity,
		answer: { status: 200, headers: { 'content-type': 'image/png' }, body },
	};
};

test.each<[string, () => Promise<FaultRule> | FaultRule, string[]]>([
	[
		'gives other pictures',
		grey,
		['Load and invert', 'Upload mask', 'Submit, wait, save', 'Get workflow', 'Same key, one job', ...OF_INPUTS, ...OF_SAVED],
	],
	[
		'takes no file',
		() => ({ on: 'POST /api/upload/image', times: Infinity, answer: { status: 413, body: '413' } }),
		['Upload', 'Upload again', 'Load and invert', 'Upload mask', 'Failed job', ...OF_INPUTS],
	],
	['lets no WebSocket through', () => ({ on: 'GET /ws', times: Infinity, answer: { status: 404, body: '' } }), ['Live events']],
	['lets nobody cancel', () => ({ on: 'POST /api/queue', times: Infinity, answer: { status: 200, body: '' } }), ['Cancel a waiting job']],
	[
		'gives a queue that is none',
		() => ({ on: 'GET /api/queue', times: Infinity, answer: { status: 200, json: [] } }),
		[...OF_JOBS, 'Failed job', 'Unknown job', ...OF_INPUTS, 'Queue', 'Text output', ...OF_SAVED],
	],
	[
		'has other nodes',
		() => ({ on: 'GET /api/object_info/:name', times: Infinity, answer: { status: 200, json: {} } }),
		['Node definitions', 'List inputs', ...OF_SAVED],
	],
	[
		'keeps no workflows',
		() => ({ on: '* /api/userdata/*', times: Infinity, answer: { status: 403, body: '' } }),
		['Save and list', ...OF_SAVED, 'Deleted workflow'],
	],
	[
		'refuses without saying what',
		() => ({ on: 'POST /api/prompt', times: Infinity, answer: { status: 400, json: {} } }),
		[...OF_JOBS, 'Unknown node class', 'Invalid input', 'Failed job', ...OF_INPUTS, 'Text output', ...OF_SAVED],
	],
])('an engine that %s fails exactly what depends on it, with 1', async (_name, rule, expected) => {
	const started = await sandbox();
	started.inject(await rule());
	const { code, failed, stdout } = await live('--url', started.urls.engine, '--seconds', '60');
	expect({ code, failed, stdout }).toMatchObject({ code: 1, failed: expected });
	expect(stdout).toMatch(new RegExp(`, ${failed.length} failed`));
});

test('an engine that runs nothing does not hold it for longer than --seconds', async () => {
	const { urls } = await sandbox({ workers: 0 });
	const { code, stdout, held } = await live('--url', urls.engine, '--seconds', '10');
	expect(code).toBe(1);
	expect(held).toEqual(['Find ComfyUI', 'Upload', 'Upload again']);
	expect(stdout).toMatch(/✗ Load and invert +the time was over/);
});

test.each([
	[[]],
	[['--url']],
	[['--url', 'http://127.0.0.1:1', '--seconds', 'many']],
	[['--uri', 'http://127.0.0.1:1']],
	[['extra', '--url', 'http://127.0.0.1:1']],
	[['--url', 'http://127.0.0.1:1', '--token', 'without a proxy']],
	[['--url', 'http://127.0.0.1:1', '--wait-for-server', 'long']],
])('%j is refused with the usage', async (args) => {
	const { code, stdout, stderr } = await live(...args);
	expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('Usage: npm run live -- --url http://host:8188')]);
});

test('--help prints the usage', async () => {
	const { code, stdout } = await live('--help');
	expect([code, stdout]).toEqual([0, expect.stringContaining('Usage: npm run live')]);
});
