import { fork } from 'node:child_process';
import { join } from 'node:path';

/** The limit for one file. Without the limits of the reader, one file takes years, others take minutes, and one fills the memory. */
const PATIENCE_MS = 60_000;
const FILES = 13;

it('files that are made to keep the reader busy, or to fill its memory, are read in time and in little memory', async () => {
	const child = fork(join(__dirname, 'hostileChild.ts'), { execArgv: ['--max-old-space-size=512', '--import', 'tsx'], stdio: 'ignore' });
	const read: string[] = [];
	const watch = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
	child.on('message', ({ name, hasGraph }: { name: string; hasGraph: boolean }) => {
		if (!hasGraph) read.push(name);
		watch.refresh();
	});
	const code = await new Promise((resolve) => child.once('exit', resolve));
	clearTimeout(watch);
	expect({ code, read }).toEqual({ code: 0, read: Array.from({ length: FILES }, () => expect.any(String) as string) });
}, 600_000);
