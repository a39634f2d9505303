/** `npm run live` against the sandbox in place of a real ComfyUI and its API proxy. */
import { spawnSync } from 'node:child_process';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { scripts } from '../../package.json';
import type { FaultRule, SandboxOptions } from '../../sandbox';
import { readCommandLine } from '../../scripts/live/runLive';
import { deadOrigin } from '../client/support/deadOrigin';
import { runFaster } from '../support/fastClock';
import { CHECKS, live, liveWith, OF_INPUTS, OF_JOBS, OF_SAVED, OUTAGES, PROXY_CHECKS, sandbox, server } from './support/live';

runFaster(5);

test.each<[string, SandboxOptions]>([
	['an engine', {}],
	['a newer engine, with routes for jobs', { engineJobRoutes: true, engineMissingNode: 'missing_node_type' }],
	['an older engine, whose interrupt stops the running prompt whatever it names', { engineInterrupt: 'whatever_runs' }],
	['an older engine, which gives every prompt an id of its own', { engineInterrupt: 'whatever_runs', enginePromptIds: 'own' }],
])('on %s every check holds, and the report says where files are left', async (_name, options) => {
	const { urls } = await sandbox(options);
	const { hasHeld, printed, held } = await live('--url', urls.engine);
	expect({ held, hasHeld, printed }).toMatchObject({ held: CHECKS, hasHeld: true });
	expect(printed).toMatch(options.enginePromptIds === 'own' ? /it does not report its version/ : /version 0\.3\.64/);
	expect(printed).toMatch(
		/ComfyUI cannot delete files: .* n8n-nodes-comfy-live\/[0-9a-f]{8} .*\n\n28 held, 0 failed, 3 not shown, in [\d.]+ s\n/,
	);
});

test('behind a reverse proxy with a path and a password every check holds, and --keep saves the pictures', async () => {
	const authorization = 'Basic bGl2ZTpjYW5hcnk=';
	const { urls } = await sandbox({ engineMount: '/comfy', engineAuthorization: authorization });
	const { hasHeld, printed, held } = await live('--url', `${urls.engine}/`, '--authorization', authorization, '--keep');
	expect({ held, hasHeld }).toEqual({ held: CHECKS, hasHeld: true });
	expect(printed).not.toContain(authorization.slice(6));
	const folder = /Downloaded pictures are in (.+)\.\n/.exec(printed)?.[1] ?? '';
	expect(await readdir(folder)).toEqual(expect.arrayContaining(['drawn_00001_.png', 'inverted_00001_.png']));
	await rm(folder, { recursive: true });
});

// Without a token: liveOutages.test.ts.
test('every check holds through an API proxy with a token as well', async () => {
	const { urls, keys } = await sandbox();
	const args = ['--url', urls.engine, '--proxy', urls.self_hosted_token_url, '--token', keys.bearer];
	const { hasHeld, held, notShown, printed } = await live(...args);
	expect({ held, notShown, hasHeld, printed }).toMatchObject({
		held: [...CHECKS, ...PROXY_CHECKS],
		notShown: [...OUTAGES, ...OUTAGES],
		hasHeld: true,
	});
});

describe('a wrong address', () => {
	const webSite = async (): Promise<string> =>
		await server(
			(_request, response) =>
				void response.writeHead(200, { 'content-type': 'text/html', connection: 'close' }).end('<!doctype html><title>Welcome</title>'),
		);

	test.each<[string, () => Promise<string>, RegExp]>([
		['nothing', deadOrigin, /The connection was refused \(http.*Is ComfyUI running, and started with --listen/],
		['the API proxy', async () => (await sandbox()).urls.self_hosted, /found the API proxy, not ComfyUI itself/],
		[
			'a reverse proxy that asks for a password',
			async () => (await sandbox({ engineAuthorization: 'Basic bGl2ZTpjYW5hcnk=' })).urls.engine,
			/a reverse proxy asks for an Authorization: give it with --authorization/,
		],
		['a web site', webSite, /found a web page \(HTTP 200\) at http.*, not ComfyUI/],
	])('of %s in place of ComfyUI is reported', async (_what, url, words) => {
		const { hasHeld, failed, printed } = await live('--url', await url());
		expect({ hasHeld, failed, printed }).toEqual({
			hasHeld: false,
			failed: ['Find ComfyUI'],
			printed: expect.stringMatching(words) as string,
		});
	});

	test('of ComfyUI in place of the API proxy is reported', async () => {
		const started = await sandbox();
		// The checks of ComfyUI are over soon.
		started.inject({ on: 'POST /api/prompt', times: Infinity, answer: { status: 400, json: {} } });
		const { hasHeld, failed, printed } = await live('--url', started.urls.engine, '--proxy', started.urls.engine);
		expect([hasHeld, failed.at(-1)]).toEqual([false, 'Find the API proxy']);
		expect(printed).toContain('found ComfyUI itself, not the API proxy');
	});
});

const grey = async (): Promise<FaultRule> => {
	const body = await sharp({ create: { width: 48, height: 32, channels: 3, background: '#808080' } })
		.png()
		.toBuffer();
	const answer = { status: 200, headers: { 'content-type': 'image/png' }, body };
	return { on: 'GET /api/view', surface: 'engine', times: Infinity, answer };
};

test.each<[string, () => Promise<FaultRule> | FaultRule, string[]]>([
	[
		'returns other pictures',
		grey,
		['Load and invert', 'Upload mask', 'Submit, wait, save', 'Get workflow', 'Same key, one job', ...OF_INPUTS, ...OF_SAVED],
	],
	[
		'accepts no file',
		() => ({ on: 'POST /api/upload/image', times: Infinity, answer: { status: 413, body: '413' } }),
		['Upload', 'Upload again', 'Load and invert', 'Upload mask', 'Failed job', ...OF_INPUTS],
	],
	['accepts no WebSocket', () => ({ on: 'GET /ws', times: Infinity, answer: { status: 404, body: '' } }), ['Live events']],
	['cancels no job', () => ({ on: 'POST /api/queue', times: Infinity, answer: { status: 200, body: '' } }), ['Cancel a waiting job']],
	[
		'returns a queue that is none',
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
		'refuses prompts without a reason',
		() => ({ on: 'POST /api/prompt', times: Infinity, answer: { status: 400, json: {} } }),
		[...OF_JOBS, 'Unknown node class', 'Invalid input', 'Failed job', ...OF_INPUTS, 'Text output', ...OF_SAVED],
	],
])('an engine that %s fails exactly the checks that depend on it', async (_name, rule, expected) => {
	const started = await sandbox();
	started.inject(await rule());
	// Where no job is canceled, each attempt takes longer than the one before.
	const limits = expected.includes('Cancel a waiting job') ? { cancelAttempts: 1 } : {};
	const { hasHeld, failed, printed } = await liveWith(limits, '--url', started.urls.engine, '--seconds', '60');
	expect({ hasHeld, failed, printed }).toMatchObject({ hasHeld: false, failed: expected });
	expect(printed).toMatch(new RegExp(`, ${failed.length} failed`));
});

test('an engine that runs nothing holds the checks up for no longer than --seconds', async () => {
	const { urls } = await sandbox({ workers: 0 });
	const { hasHeld, printed, held } = await live('--url', urls.engine, '--seconds', '3');
	expect([hasHeld, held]).toEqual([false, ['Find ComfyUI', 'Upload', 'Upload again']]);
	expect(printed).toMatch(/✗ Load and invert +the time was over/);
});

describe('the command', () => {
	test.each([
		[[], '--url is missing'],
		[['--url'], "'--url <value>' argument missing"],
		[['--url', 'http://127.0.0.1:1', '--seconds', 'many'], '--seconds must be a number'],
		[['--uri', 'http://127.0.0.1:1'], "'--uri'"],
		[['extra', '--url', 'http://127.0.0.1:1'], "'extra'"],
		[['--url', 'http://127.0.0.1:1', '--token', 'without a proxy'], '--token needs --proxy'],
		[['--url', 'http://127.0.0.1:1', '--wait-for-server', 'long'], '--wait-for-server must be a number'],
	])('refuses the arguments %j', (args, words) => {
		expect(() => readCommandLine(args)).toThrow(words);
	});

	test.each([
		['--help', 0, 'Usage: npm run live -- --url http://host:8188'],
		['--uri', 2, 'Usage: npm run live -- --url http://host:8188'],
		['--url=http://127.0.0.1:1', 1, '✗ Find ComfyUI'],
	])('ends with its own status for %s', (option, code, words) => {
		const [command = '', ...args] = scripts.live.split(' ');
		const { status, stdout, stderr } = spawnSync(command, [...args, option], { cwd: path.join(__dirname, '../..'), encoding: 'utf8' });
		expect([status, code === 2 ? stdout : stderr]).toEqual([code, '']);
		expect(code === 2 ? stderr : stdout).toContain(words);
	});
});
