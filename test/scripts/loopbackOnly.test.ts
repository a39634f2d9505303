import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

it('probes refuse a connection outside loopback before it starts, and reach loopback', async () => {
	const child = fork(join(__dirname, 'loopbackChild.ts'), { execArgv: ['--import', 'tsx'], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
	const made: unknown[] = [];
	child.on('message', (attempt) => made.push(attempt));
	expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(1);
	expect(made).toEqual([
		['net 192.0.2.1', 'ERR_OFF_LOOPBACK'],
		['tls 192.0.2.1', 'ERR_OFF_LOOPBACK'],
		['lookup to 192.0.2.1', 'ERR_OFF_LOOPBACK'],
		['undici 192.0.2.1', 'ERR_OFF_LOOPBACK'],
		['undici localhost', null],
		['lookup to 127.0.0.1', null],
	]);
}, 60_000);

it.each([
	'scripts/faults/child.ts',
	'scripts/histories/worker.ts',
	'test/histories/kills/n8nChild.ts',
	'test/client/graph/embedded/hostileChild.ts',
])('the probe process %s imports the guard before anything else', (file) => {
	const [first] = readFileSync(join(ROOT, file), 'utf8').matchAll(/^import .*$/gm);
	expect(first?.[0]).toMatch(/support\/loopbackOnly';$/);
});
