/** `npm run sandbox`: what it prints, and how it ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { scripts } from '../../package.json';
import { until } from '../support/until';

function start(args: string[], env: NodeJS.ProcessEnv = {}) {
	const [command = '', ...own] = scripts.sandbox.split(' ');
	const child = spawn(command, [...own, ...args], { cwd: path.join(__dirname, '../..'), env: { ...process.env, ...env } });
	const printed = { stdout: '', stderr: '' };
	for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (chunk: Buffer) => (printed[name] += String(chunk)));
	const ended = once(child, 'close').then(([code]) => [code as unknown, printed.stdout, printed.stderr]);
	return { child, printed, ended };
}

async function startJson(args: string[], env: NodeJS.ProcessEnv) {
	const sandbox = start(['--json', ...args], env);
	await until(() => sandbox.printed.stdout.includes('\n'));
	return { ...sandbox, facts: JSON.parse(sandbox.printed.stdout) as Record<string, string> };
}

test('--json prints one line of JSON, serves seven consecutive ports until a signal, and leaves no files', async () => {
	const folder = await mkdtemp(path.join(tmpdir(), 'comfy-command-line-'));
	// Below the ports that the system hands out, which the other tests use up.
	const first = 20_000 + Math.floor(Math.random() * 10_000);
	const { child, ended, facts } = await startJson(['--port', String(first), '--headers', 'service'], { TMPDIR: folder });
	const addresses = ['self_hosted', 'self_hosted_token_url', 'hosted', 'deployment', 'storage', 'engine', 'router'];
	expect(Object.keys(facts).sort()).toEqual(['api_key', 'bearer', 'jwt', ...addresses].sort());
	expect(addresses.map((name) => facts[name])).toEqual(addresses.map((_, place) => `http://127.0.0.1:${first + place}`));

	const read = async (address: string | undefined, key: string | undefined) =>
		await fetch(address ?? '', { headers: { authorization: `Bearer ${key}` } });
	expect((await read(`${facts.deployment}/api/v2/jobs`, facts.api_key)).status).toBe(200);
	expect((await read(`${facts.self_hosted_token_url}/api/v2/jobs`, facts.bearer)).status).toBe(200);
	const models = await read(`${facts.router}/v2/models`, facts.jwt);
	expect([models.status, models.headers.has('x-service-request-id')]).toEqual([200, true]);
	expect((await readdir(folder)).filter((name) => name.startsWith('comfy-sandbox-'))).toHaveLength(1);

	expect(await start(['--json', '--port', String(first)]).ended).toEqual([
		1,
		'',
		expect.stringMatching(/^Port \d+ is in use\. Choose another/),
	]);
	child.kill('SIGTERM');
	expect(await ended).toEqual([0, expect.stringMatching(/^.*\n$/), '']);
	expect((await readdir(folder)).filter((name) => name.startsWith('comfy-sandbox-'))).toEqual([]);
	await rm(folder, { recursive: true });
});

test('unknown arguments are rejected with the usage', async () => {
	expect(await start(['--prot', '1', 'extra']).ended).toEqual([2, '', expect.stringContaining('Usage: npm run sandbox')]);
});
