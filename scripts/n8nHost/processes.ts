import { spawn } from 'node:child_process';
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

export interface RunOptions {
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
