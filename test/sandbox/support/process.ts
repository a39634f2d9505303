/** The sandbox as `npm run sandbox` starts it, in a process of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = path.join(__dirname, '..', '..', '..');

export interface Ended {
	code: number | null;
	stdout: string;
	stderr: string;
}

export interface Started {
	process: ChildProcess;
	/** The first line of standard output; rejects when there is none. */
	firstLine: Promise<string>;
	/** Standard output so far. */
	printed(): string;
	ended: Promise<Ended>;
}

export const startProcess = (args: string[], env: NodeJS.ProcessEnv = {}): Started =>
	start(process.execPath, ['--import', 'tsx', 'sandbox/main.ts', ...args], env);

export const startWithNpm = (args: string[]): Started => start('npm', ['run', '--silent', 'sandbox', '--', ...args], {});

function start(command: string, args: string[], env: NodeJS.ProcessEnv): Started {
	const child = spawn(command, args, { cwd: ROOT, env: { ...process.env, ...env } });
	let stdout = '';
	let stderr = '';
	child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
	child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
	const ended = new Promise<Ended>((resolve) => {
		child.once('close', (code) => resolve({ code, stdout, stderr }));
	});
	const firstLine = new Promise<string>((resolve, reject) => {
		createInterface(child.stdout).once('line', resolve);
		void ended.then(() => reject(new Error(`No line: ${stderr}`)));
	});
	firstLine.catch(() => undefined);
	return { process: child, firstLine, printed: () => stdout, ended };
}
