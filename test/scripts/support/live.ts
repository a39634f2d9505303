/** Runs `npm run live` as a process of its own, against the sandbox in place of a real ComfyUI. */
import { spawn } from 'node:child_process';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox';

const ROOT = path.join(__dirname, '../../..');

export const CHECKS = [
	'Find ComfyUI',
	'Upload',
	'Upload again',
	'Load and invert',
	'Upload mask',
	'Submit, wait, save',
	'Get workflow',
	'Same key, one job',
	'Quick jobs',
	'Cancel a waiting job',
	'Live events',
	'Stop a running job',
	'Unknown node class',
	'Invalid input',
	'Failed job',
	'Unknown job',
	'File input',
	'Pass an output on',
	'Queue',
	'Node definitions',
	'List inputs',
	'Text output',
	'Save and list',
	'Run by name',
	'Run an app',
	'Edit and run again',
	'Deleted workflow',
	'Templates',
];
/** Through the API proxy. */
export const PROXY_CHECKS = [
	'Find the API proxy',
	'Upload',
	'Upload again',
	'Load and invert',
	'Submit, wait, save',
	'Get workflow',
	'Same key, one job',
	'Quick jobs',
	'Cancel a waiting job',
	'Live events',
	'Stop a running job',
	'Unknown node class',
	'Invalid input',
	'Failed job',
	'Unknown job',
	'File input',
	'Pass an output on',
];
/** With `--start` alone. */
export const OUTAGES = ['Switched off', 'Restarted in mid-job', 'Queue cleared'];

/** Names of checks are padded to it. */
const NAME_WIDTH = 22;

const closing: Array<() => Promise<unknown>> = [];
afterEach(async () => {
	for (const close of closing.splice(0)) await close();
});

export async function sandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const started = await startSandbox(options);
	closing.push(() => started.close());
	return started;
}

export async function server(listener: RequestListener): Promise<string> {
	const started = createServer(listener);
	await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
	closing.push(() => new Promise((resolve) => started.close(resolve)));
	return `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
}

interface Ended {
	code: number | null;
	stdout: string;
	stderr: string;
	/** The names of checks by their mark, in the order of the output. */
	held: string[];
	failed: string[];
	notShown: string[];
}

export async function live(...args: string[]): Promise<Ended> {
	const child = spawn(process.execPath, ['--import', 'tsx', 'scripts/live.ts', ...args], { cwd: ROOT });
	let stdout = '';
	let stderr = '';
	child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
	child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
	const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
	const marked = (mark: string): string[] =>
		stdout.split('\n').flatMap((line) => (line.startsWith(`${mark} `) ? [line.slice(2, 2 + NAME_WIDTH).trimEnd()] : []));
	return { code, stdout, stderr, held: marked('✓'), failed: marked('✗'), notShown: marked('–') };
}
