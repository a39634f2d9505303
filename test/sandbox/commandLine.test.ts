/** `npm run sandbox`: what it prints, and how it ends. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { scripts } from '../../package.json';
import { until } from '../support/until';
import { startProcess, startWithNpm } from './support/process';

test('npm run sandbox prints one line, without a banner of npm, and ends with npm', async () => {
	expect(scripts.sandbox).toBe('node --import tsx sandbox/main.ts');
	const npm = startWithNpm(['--json']);
	const { hosted } = JSON.parse(await npm.firstLine) as { hosted: string };
	npm.process.kill('SIGTERM');
	expect((await npm.ended).stdout.trimEnd().split('\n')).toHaveLength(1);
	await expect(fetch(hosted)).rejects.toThrow();
});

test.each([
	['SIGTERM', [], 'x-comfy-request-id'],
	['SIGINT', ['--headers', 'service'], 'x-service-request-id'],
] as const)('--json prints one line of JSON, serves until %s, and leaves no files; with %j it sends %s', async (signal, args, header) => {
	const folder = await mkdtemp(path.join(tmpdir(), 'comfy-command-line-'));
	const sandbox = startProcess(['--json', ...args], { TMPDIR: folder });
	const facts = JSON.parse(await sandbox.firstLine) as Record<string, string | null>;
	const addresses = ['deployment', 'engine', 'hosted', 'router', 'self_hosted', 'self_hosted_token_url', 'storage'];
	expect(Object.keys(facts).sort()).toEqual(['api_key', 'bearer', 'jwt', ...addresses].sort());
	expect(facts.jwt?.split('.')).toHaveLength(3);
	for (const name of addresses) expect(facts[name]).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);

	const list = async (address: string | null | undefined, key: string | null | undefined) =>
		(await fetch(`${address ?? ''}/api/v2/jobs`, { headers: { authorization: `Bearer ${key ?? ''}` } })).status;
	expect(await list(facts.deployment, facts.api_key)).toBe(200);
	expect(await list(facts.self_hosted_token_url, facts.bearer)).toBe(200);
	const models = await fetch(`${facts.router ?? ''}/v2/models`, { headers: { authorization: `Bearer ${facts.jwt ?? ''}` } });
	expect([models.status, [...models.headers.keys()].filter((name) => name.endsWith('-request-id'))]).toEqual([200, [header]]);
	expect((await readdir(folder)).filter((name) => name.startsWith('comfy-sandbox-'))).toHaveLength(1);

	sandbox.process.kill(signal);
	const { code, stdout } = await sandbox.ended;
	expect([code, stdout.trimEnd().split('\n').length]).toEqual([0, 1]);
	expect((await readdir(folder)).filter((name) => name.startsWith('comfy-sandbox-'))).toEqual([]);
	await rm(folder, { recursive: true });
});

test('without --json it prints addresses, keys, seeded jobs, and a command to try', async () => {
	const sandbox = startProcess([]);
	await until(() => /curl .*\n/.test(sandbox.printed()));
	sandbox.process.kill('SIGTERM');
	const { stdout } = await sandbox.ended;
	const [addresses, keys] = [
		['hosted', 'deployment', 'self-hosted', 'storage', 'engine', 'router'],
		['JWT', 'API key', 'Bearer', 'Partner key'],
	];
	for (const word of [...addresses, ...keys, '11111111-1111-4111-8111-111111111111']) expect(stdout).toContain(word);
	expect(stdout).toMatch(/curl -H 'Authorization: Bearer \S+' http:\/\/127\.0\.0\.1:\d+\/api\/v2\/jobs\/\S+\/workflow/);
});

test('--port takes seven consecutive ports and names a port that is in use', async () => {
	const blocker = createServer();
	// Below the ports that the system hands out, which the other tests use up.
	const first = 20_000 + Math.floor(Math.random() * 10_000);
	await new Promise<void>((resolve) => blocker.listen(first + 2, '127.0.0.1', resolve));
	const { code, stdout, stderr } = await startProcess(['--json', '--port', String(first)]).ended;
	expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(/^Port \d+ is in use\. Choose another/)]);

	await new Promise((resolve) => blocker.close(resolve));
	const sandbox = startProcess(['--json', '--port', String(first)]);
	const facts = JSON.parse(await sandbox.firstLine) as Record<string, string>;
	const ports = ['self_hosted', 'self_hosted_token_url', 'hosted', 'deployment', 'storage', 'engine', 'router'].map((name) =>
		Number(new URL(facts[name] ?? '').port),
	);
	expect(ports).toEqual([0, 1, 2, 3, 4, 5, 6].map((place) => first + place));
	sandbox.process.kill('SIGTERM');
	await sandbox.ended;
});

test.each([[['--prot', '1']], [['--port', 'many']], [['--port', '65530']], [['extra']], [['--headers', 'vendor']]])(
	'the arguments %j are refused with the usage',
	async (args) => {
		const { code, stdout, stderr } = await startProcess(args).ended;
		expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('Usage: npm run sandbox')]);
	},
);
