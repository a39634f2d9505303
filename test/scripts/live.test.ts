/** `npm run live` against the sandbox in place of a real ComfyUI and its API proxy. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import sharp from 'sharp';
import { scripts } from '../../package.json';
import type { FaultRule, SandboxOptions } from '../../sandbox';
import { readCommandLine } from '../../scripts/live/runLive';
import { deadOrigin } from '../client/support/deadOrigin';
import { runFaster } from '../support/fastClock';
import { useLive } from './support/live';

/** Names of checks, by what they need. */
const OF_JOBS = ['Submit, wait, save', 'Get workflow', 'Same key, one job', 'Cancel a waiting job', 'Live events', 'Stop a running job'];
const OF_ERRORS = ['Unknown node class', 'Invalid input', 'Failed job', 'Unknown job'];
const OF_SAVED = ['Run by name', 'Run an app'];
const OF_OUTPUTS = ['Texts', 'Previews and inputs'];
const OF_LIVE_NODES = ['Values', 'Slashes', 'Image formats', 'Out of memory'];
const OF_SERVER = ['Server information', 'Models', 'Free memory', 'Clear history'];
const PROXY_OUTAGES = ['Switched off', 'Restarted during a job', 'Killed during a job', 'Queue cleared'];
const OUTAGES = [...PROXY_OUTAGES.slice(0, -1), 'Busy before a job', 'Queue cleared'];
const OF_FILES = ['Upload', 'Upload again', 'Load and invert'];
const CHECKS = [
	'Find ComfyUI',
	...OF_FILES,
	'Upload mask',
	...OF_JOBS,
	...OF_ERRORS,
	...OF_OUTPUTS,
	'Save and list',
	...OF_SAVED,
	'Deleted workflow',
	...OF_SERVER,
];
const PROXY_CHECKS = ['Find the API proxy', ...OF_FILES, ...OF_JOBS, ...OF_ERRORS];

const { sandbox, server, live, startable } = useLive();
runFaster(5);

describe('against servers that stay as they are', () => {
	const authorization = 'Basic bGl2ZTpjYW5hcnk=';

	test.each<[string, SandboxOptions]>([
		['a newer engine, with routes for jobs', { engineJobRoutes: true, engineMissingNode: 'missing_node_type' }],
		['an older engine, which gives every prompt an id of its own', { engineInterrupt: 'whatever_runs', enginePromptIds: 'own' }],
		['an engine behind a reverse proxy with a path and a password', { engineMount: '/comfy', engineAuthorization: authorization }],
	])('every check holds on %s, and the report says where files are left', async (_name, options) => {
		const { urls } = await sandbox(options);
		const { hasHeld, printed, held, notShown } = await live('--url', `${urls.engine}/`, '--authorization', authorization);
		expect({ held, notShown, hasHeld, printed }).toMatchObject({
			held: CHECKS,
			notShown: ['Deleted output', ...OF_LIVE_NODES, 'Users', ...OUTAGES],
			hasHeld: true,
		});
		expect(printed).not.toContain(authorization.slice(6));
		expect(printed).toMatch(
			/ComfyUI cannot delete files: .* n8n-nodes-comfy-live\/[0-9a-f]{8} .*\n\n25 held, 0 failed, 11 not shown, in [\d.]+ s\n/,
		);
	});

	test('every check holds for a user of an engine that has several', async () => {
		const { urls } = await sandbox({ engineUsers: { ann_1: 'Ann' } });
		const { hasHeld, held, printed } = await live('--url', urls.engine, '--user', 'ann_1');
		expect({ held, hasHeld, printed }).toMatchObject({ held: [...CHECKS, 'Users'], hasHeld: true });
		expect((await live('--url', urls.engine)).failed).toEqual(expect.arrayContaining(['Save and list']));
	});

	test('every check holds through an API proxy with a token as well', async () => {
		const { urls, keys } = await sandbox();
		const { hasHeld, held, printed } = await live('--url', urls.engine, '--proxy', urls.self_hosted_token_url, '--token', keys.bearer);
		expect({ held, hasHeld, printed }).toMatchObject({ held: [...CHECKS, ...PROXY_CHECKS], hasHeld: true });
	});

	const webSite = async (): Promise<string> =>
		await server((_, response) => response.writeHead(200, { 'content-type': 'text/html', connection: 'close' }).end('<!doctype html>'));

	test.each<[string, () => Promise<string>, RegExp]>([
		['nothing', deadOrigin, /The connection was refused \(http.*Is ComfyUI running, and started with --listen/],
		['the API proxy', async () => (await sandbox()).urls.self_hosted, /found the API proxy, not ComfyUI itself/],
		[
			'a reverse proxy that asks for a password',
			async () => (await sandbox({ engineAuthorization: authorization })).urls.engine,
			/a reverse proxy asks for an Authorization: give it with --authorization/,
		],
		['a web site', webSite, /found something else than ComfyUI: .*html.*http.*Give the address of ComfyUI itself/],
	])('the address of %s in place of ComfyUI is reported', async (_what, url, words) => {
		const { hasHeld, failed, printed } = await live('--url', await url());
		expect([hasHeld, failed, printed]).toEqual([false, ['Find ComfyUI'], expect.stringMatching(words)]);
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
			['Load and invert', 'Upload mask', 'Submit, wait, save', 'Get workflow', 'Same key, one job', ...OF_SAVED],
		],
		['accepts no WebSocket', () => ({ on: 'GET /ws', times: Infinity, answer: { status: 404, body: '' } }), ['Live events']],
		[
			'keeps no workflows',
			() => ({ on: '* /api/userdata/*', times: Infinity, answer: { status: 403, body: '' } }),
			['Save and list', ...OF_SAVED, 'Deleted workflow'],
		],
		[
			'refuses prompts without a reason',
			() => ({ on: 'POST /api/prompt', times: Infinity, answer: { status: 400, json: {} } }),
			[
				'Load and invert',
				...OF_JOBS,
				'Unknown node class',
				'Invalid input',
				'Failed job',
				...OF_OUTPUTS,
				...OF_SAVED,
				'Free memory',
				'Clear history',
			],
		],
	])('an engine that %s fails exactly the checks that depend on it', async (_name, rule, expected) => {
		const started = await sandbox();
		started.inject(await rule());
		const { hasHeld, failed, printed } = await live('--url', started.urls.engine, '--seconds', '60');
		expect({ hasHeld, failed, printed }).toMatchObject({ hasHeld: false, failed: expected });
	});

	test('an engine that runs nothing holds the checks up for no longer than --seconds', async () => {
		const { urls } = await sandbox({ workers: 0 });
		const { hasHeld, printed, held } = await live('--url', urls.engine, '--seconds', '3');
		expect([hasHeld, held]).toEqual([false, ['Find ComfyUI', 'Upload', 'Upload again']]);
		expect(printed).toMatch(/✗ Load and invert +the time was over/);
	});
});

describe('--start', () => {
	test('stops, restarts, kills and suspends ComfyUI, clears its queue, and each outage is reported with its cause', async () => {
		const started = await sandbox();
		const { url, command } = await startable(started);
		const { hasHeld, held, printed } = await live('--url', url, '--proxy', started.urls.self_hosted, '--start', command);
		const expected = ['Start ComfyUI', ...CHECKS, ...OUTAGES, ...PROXY_CHECKS, ...PROXY_OUTAGES];
		expect({ held, hasHeld, printed }).toMatchObject({ held: expected, hasHeld: true });
		expect(printed).toMatch(
			/✓ Switched off +search [2-4]\.\d s, upload [2-4]\.\d s, submission [2-4]\.\d s: The connection was refused \(http:\/\/127/,
		);
		expect(printed).toMatch(
			/✓ Killed during a job +both jobs were reported after (9|1\d)\.\d s, .*: The connection was refused \(http:\/\/127/,
		);
		expect(printed).toMatch(/✓ Busy before a job +not reported while ComfyUI gave no answer for 9\.0 s; its one job ran/);
		await expect(fetch(url)).rejects.toThrow();
	});

	test.each([
		['ends nothing that it did not start', async () => (await sandbox()).urls.engine, 'sleep 100', /something answers at http.* already/],
		['reports what a command printed that starts nothing', deadOrigin, 'echo no folder; exit 3', /--start ended with 3:\nno folder/],
	])('%s', async (_, url, command, words) => {
		const { hasHeld, printed, failed } = await live('--url', await url(), '--start', command);
		expect([hasHeld, failed, printed]).toEqual([false, ['Start ComfyUI'], expect.stringMatching(words)]);
	});
});

describe('the command', () => {
	test.each([
		[[], '--url is missing'],
		[['--url', 'http://127.0.0.1:1', '--seconds', 'many'], '--seconds must be a number'],
		[['--uri', 'http://127.0.0.1:1'], "'--uri'"],
		[['--url', 'http://127.0.0.1:1', '--start', 'one', '--start', 'two'], 'more --start than --url'],
		[['--url', 'http://127.0.0.1:1', '--token', 'without a proxy'], '--token needs --proxy'],
	])('refuses the arguments %j', (args, words) => {
		expect(() => readCommandLine(args)).toThrow(words);
	});

	test.each([
		['--uri', 2, 'Usage: npm run live -- --url http://host:8188'],
		['--url=http://127.0.0.1:1', 1, '✗ Find ComfyUI'],
	])('ends with its own status for %s', (option, code, words) => {
		const [command = '', ...args] = scripts.live.split(' ');
		const { status, stdout, stderr } = spawnSync(command, [...args, option], { cwd: path.join(__dirname, '../..'), encoding: 'utf8' });
		expect([status, code === 2 ? stderr : stdout]).toEqual([code, expect.stringContaining(words)]);
	});
});
