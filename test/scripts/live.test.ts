/** `npm run live` in this process, against the sandbox in place of ComfyUI. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox';
import { readCommandLine } from '../../scripts/live/commandLine';
import { runLive } from '../../scripts/live/runLive';
import { freePort } from '../../scripts/n8nHost/processes';
import { runFaster } from '../support/fastClock';

const AUTHORIZATION = 'Basic bGl2ZTpjYW5hcnk=';
/** Names of checks are padded to it. */
const NAME_WIDTH = 24;
const WAIT_FOR_SERVER_MS = 2_000;

const OF_PROXY = [
	...['Find the server', 'Upload', 'Load and invert', 'Submit, wait, save', 'Same key, one job', 'Unknown node class', 'Invalid input'],
	...['Failed job', 'Unknown job', 'Cancel a waiting job', 'Live events', 'Stop a running job'],
];
const OF_ENGINE = [
	...['Upload mask', 'Saved workflows', 'Texts and previews', 'Server information', 'Models', 'Free memory', 'Clear history'],
];
const OUTAGES = ['Switched off', 'Killed during a job', 'Queue cleared'];

const closing: Array<() => Promise<unknown>> = [];
afterEach(async () => {
	for (const close of closing.splice(0)) await close();
});
runFaster(5);

async function sandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const started = await startSandbox(options);
	closing.push(() => started.close());
	return started;
}

async function live(...args: string[]) {
	const commandLine = readCommandLine(args);
	if (commandLine === undefined) throw new Error('Only help was asked for');
	const lines: string[] = [];
	const hasHeld = await runLive(commandLine, (line) => lines.push(line), WAIT_FOR_SERVER_MS);
	const marked = (mark: string): string[] =>
		lines.flatMap((line) => (line.startsWith(`${mark} `) ? [line.slice(2, 2 + NAME_WIDTH).trimEnd()] : []));
	return { hasHeld, printed: `${lines.join('\n')}\n`, held: marked('✓'), failed: marked('✗') };
}

test('every check holds on ComfyUI and through an API proxy with a token', async () => {
	const { urls, keys } = await sandbox({ engineUsers: { ann_1: 'Ann' } });
	const proxy = ['--proxy', urls.self_hosted_token_url, '--token', keys.bearer];
	const { hasHeld, held, printed } = await live('--url', urls.engine, '--user', 'ann_1', ...proxy);
	expect({ held, hasHeld, printed }).toMatchObject({ held: [...OF_PROXY, ...OF_ENGINE, 'Users', ...OF_PROXY], hasHeld: true });
});

test('every check holds on an older ComfyUI behind a path and a password, which is not printed', async () => {
	const options: SandboxOptions = { engineInterrupt: 'whatever_runs', enginePromptIds: 'own', engineMount: '/comfy' };
	const { urls } = await sandbox({ ...options, engineAuthorization: AUTHORIZATION });
	const { hasHeld, held, printed } = await live('--url', `${urls.engine}/`, '--authorization', AUTHORIZATION);
	expect({ held, hasHeld, printed }).toMatchObject({ held: [...OF_PROXY, ...OF_ENGINE], hasHeld: true });
	expect(printed).not.toContain(AUTHORIZATION.slice(6));
	const { failed, printed: advice } = await live('--url', urls.engine);
	expect([failed, advice]).toEqual([['Find the server'], expect.stringContaining('give it with --authorization')]);
});

test('an engine that accepts no WebSocket and stores no workflows fails exactly the checks that depend on it', async () => {
	const started = await sandbox();
	started.inject({ on: 'GET /ws', times: Infinity, answer: { status: 404, body: '' } });
	started.inject({ on: '* /api/userdata/*', times: Infinity, answer: { status: 403, body: '' } });
	const { hasHeld, failed, printed } = await live('--url', started.urls.engine);
	expect({ hasHeld, failed, printed }).toMatchObject({ hasHeld: false, failed: ['Live events', 'Saved workflows'] });
});

/** A command that forwards to the engine of the sandbox, and the address where it does. The engine runs as long as the command. */
async function startable({ urls, startEngine, stopEngine, restartEngine }: Sandbox): Promise<{ url: string; command: string }> {
	let stopped = stopEngine();
	const control = createServer((request, response) => {
		request.socket.once('close', () => {
			restartEngine();
			stopped = stopEngine();
		});
		void stopped.then(startEngine).then(() => response.write('The response ends with the command.'));
	});
	await new Promise<void>((resolve) => control.listen(0, '127.0.0.1', resolve));
	closing.push(async () => {
		control.closeAllConnections();
		await new Promise((resolve) => control.close(resolve));
	});
	const port = await freePort();
	const script = `fetch("http://127.0.0.1:${(control.address() as AddressInfo).port}").then((response) => {
		const { connect, createServer } = require("node:net");
		const forward = (near) => require("node:stream").pipeline(near, connect(${new URL(urls.engine).port}, "127.0.0.1"), near, () => undefined);
		createServer(forward).listen(${port}, "127.0.0.1");
		return response.text();
	})`;
	return { url: `http://127.0.0.1:${port}`, command: `"${process.execPath}" -e '${script}'` };
}

test('--start stops and kills ComfyUI and clears its queue, and each outage is reported with its cause', async () => {
	const started = await sandbox();
	const { url, command } = await startable(started);
	const { hasHeld, held, printed } = await live('--url', url, '--start', command);
	const expected = ['Start ComfyUI', ...OF_PROXY, ...OUTAGES, ...OF_ENGINE];
	expect({ held, hasHeld, printed }).toMatchObject({ held: expected, hasHeld: true });
	expect(printed).toMatch(/✓ Switched off +search .*: The connection was refused \(http:\/\/127/);
	await expect(fetch(url)).rejects.toThrow();
});

test.each([
	[[], '--url is missing'],
	[['--url', 'http://127.0.0.1:1', '--seconds', 'many'], '--seconds must be a number'],
	[['--url', 'http://127.0.0.1:1', '--token', 'without a proxy'], '--token needs --proxy'],
])('the arguments %j are rejected', (args, words) => {
	expect(() => readCommandLine(args)).toThrow(words);
});
