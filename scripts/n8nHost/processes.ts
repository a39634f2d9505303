import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

const KEPT_OUTPUT_LINES = 40;

export class CommandFailed extends Error {
	constructor(
		command: string,
		readonly reason: string,
		/** The last lines the command printed. */
		readonly output: string,
	) {
		super(`${command} ended with ${reason}\n${output}`);
	}
}

interface RunOptions {
	cwd: string;
	env?: NodeJS.ProcessEnv;
	/** Whether a person sees on standard error what the command prints. */
	isShown?: boolean;
	/** As another user. */
	uid?: number;
	gid?: number;
}

/**
 * Runs a command to its end, or to ours.
 * @throws CommandFailed when it cannot be started or exits with anything but 0.
 */
export async function run(command: string, args: string[], { env = process.env, isShown = false, ...options }: RunOptions): Promise<void> {
	const child = spawn(command, args, { ...options, env, stdio: isShown ? ['ignore', 2, 2] : ['ignore', 'pipe', 'pipe'] });
	const endWithUs = () => child.kill();
	process.once('exit', endWithUs);
	const kept: string[] = [];
	for (const stream of [child.stdout, child.stderr]) {
		if (stream === null) continue;
		createInterface({ input: stream }).on('line', (line) => {
			kept.push(line);
			if (kept.length > KEPT_OUTPUT_LINES) kept.shift();
		});
	}
	const reason = await new Promise<string | undefined>((resolve) => {
		child.once('error', (error) => resolve(error.message));
		child.once('close', (code, signal) => resolve(code === 0 ? undefined : (signal ?? `exit code ${code}`)));
	});
	process.removeListener('exit', endWithUs);
	if (reason) throw new CommandFailed([command, ...args].join(' '), reason, kept.join('\n'));
}

export function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}

/** Signals a process started with `detached` together with everything it started. A group that is gone is fine. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(-pid, signal);
	} catch {
		// Already gone.
	}
}

/** Listens for a moment. @returns the port. */
async function tryPort(wanted: number): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(wanted, '127.0.0.1', resolve);
	});
	const address = server.address();
	await new Promise((resolve) => server.close(resolve));
	if (address === null || typeof address === 'string') throw new Error('No free port on 127.0.0.1');
	return address.port;
}

/** Returns the wanted port, or a free one if it is in use. */
export const portNear = async (wanted: number): Promise<number> => await tryPort(wanted).catch(freePort);

/** Below the ports that systems use for outgoing connections, so that they stay free until n8n listens. */
const RESERVABLE = { from: 20_000, below: 32_000 };

/** A part of them for each process: n8n takes its time until it listens, and others look for ports meanwhile. */
const PART = 1_000;
const firstOfPart = (): number => RESERVABLE.from + (process.pid % Math.floor((RESERVABLE.below - RESERVABLE.from) / PART)) * PART;

const handedOut = new Set<number>();

/** A loopback port that was free a moment ago, and was never returned before. */
export async function freePort(): Promise<number> {
	for (;;) {
		const port = firstOfPart() + Math.floor(Math.random() * PART);
		if (handedOut.has(port)) continue;
		handedOut.add(port);
		const isFree = await tryPort(port).then(
			() => true,
			() => false,
		);
		if (isFree) return port;
	}
}

const PARENT_CHECK_MS = 500;

/**
 * Resolves on Ctrl-C, on a termination signal, and when the parent process has ended: npm sends a signal only to its shell,
 * which ends without this process.
 */
export async function untilInterrupted(): Promise<void> {
	await new Promise<void>((resolve) => {
		for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
		const parent = process.ppid;
		setInterval(() => {
			if (process.ppid !== parent) resolve();
		}, PARENT_CHECK_MS).unref();
	});
}
