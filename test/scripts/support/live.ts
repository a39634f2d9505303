/** Runs what `npm run live` runs, against the sandbox in place of a real ComfyUI. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readCommandLine, type LiveOptions, runLive } from '../../../scripts/live/runLive';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox';

/** Names of checks, by what they need. */
export const OF_JOBS = [
	'Load and invert',
	'Submit, wait, save',
	'Get workflow',
	'Same key, one job',
	'Quick jobs',
	'Cancel a waiting job',
	'Live events',
	'Stop a running job',
];
export const OF_INPUTS = ['File input', 'Pass an output on'];
export const OF_SAVED = ['Run by name', 'Run an app', 'Edit and run again'];
const OF_ERRORS = ['Unknown node class', 'Invalid input', 'Failed job', 'Unknown job'];
const [LOAD = '', ...OTHER_JOBS] = OF_JOBS;

export const CHECKS = [
	...['Find ComfyUI', 'Upload', 'Upload again', LOAD, 'Upload mask', ...OTHER_JOBS, ...OF_ERRORS, ...OF_INPUTS],
	...['Queue', 'Node definitions', 'List inputs', 'Text output', 'Save and list', ...OF_SAVED, 'Deleted workflow', 'Templates'],
];
export const PROXY_CHECKS = ['Find the API proxy', 'Upload', 'Upload again', ...OF_JOBS, ...OF_ERRORS, ...OF_INPUTS];
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
	hasHeld: boolean;
	printed: string;
	/** The names of checks by their mark, in the order of the output. */
	held: string[];
	failed: string[];
	notShown: string[];
}

export const live = async (...args: string[]): Promise<Ended> => await liveWith({}, ...args);

export async function liveWith(limits: Omit<LiveOptions, 'print'>, ...args: string[]): Promise<Ended> {
	const commandLine = readCommandLine(args);
	if (commandLine === undefined) throw new Error('Only help was asked for');
	const lines: string[] = [];
	const hasHeld = await runLive(commandLine, { print: (line) => lines.push(line), ...limits });
	const marked = (mark: string): string[] =>
		lines.flatMap((line) => (line.startsWith(`${mark} `) ? [line.slice(2, 2 + NAME_WIDTH).trimEnd()] : []));
	return { hasHeld, printed: `${lines.join('\n')}\n`, held: marked('✓'), failed: marked('✗'), notShown: marked('–') };
}
