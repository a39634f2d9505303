import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

interface Attempt {
	target: string;
	code: string | undefined;
	ms: number;
}

async function attempts(): Promise<Attempt[]> {
	const child = fork(join(__dirname, 'loopbackChild.ts'), { execArgv: ['--import', 'tsx'], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
	const made: Attempt[] = [];
	child.on('message', (attempt: Attempt) => made.push(attempt));
	const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
	expect(code).toBe(1);
	return made;
}

it('probes refuse a connection outside loopback before it starts, and reach loopback', async () => {
	const made = await attempts();
	expect(made.map(({ target, code }) => [target, code])).toEqual([
		['net 192.0.2.1', 'ERR_OFF_LOOPBACK'],
		['net example.test', 'ERR_OFF_LOOPBACK'],
		['tls 192.0.2.1', 'ERR_OFF_LOOPBACK'],
		['lookup to 192.0.2.1', 'ERR_OFF_LOOPBACK'],
		['undici 192.0.2.1', 'ERR_OFF_LOOPBACK'],
		['net 127.0.0.1', undefined],
		['undici localhost', undefined],
		['lookup to 127.0.0.1', undefined],
	]);
	expect(Math.max(...made.map(({ ms }) => ms))).toBeLessThan(1_000);
}, 60_000);

it.each([
	'scripts/faults/child.ts',
	'scripts/histories/worker.ts',
	'scripts/soak/product.ts',
	'scripts/soak/service.ts',
	'test/histories/kills/n8nChild.ts',
	'test/client/graph/carried/hostileChild.ts',
])('the probe process %s imports the guard before anything else', (file) => {
	const [first] = readFileSync(join(ROOT, file), 'utf8').matchAll(/^import .*$/gm);
	expect(first?.[0]).toMatch(/support\/loopbackOnly';$/);
});
