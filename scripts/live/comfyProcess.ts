/** The ComfyUI that `--start` controls. Only processes that were started here are ended. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

import { signalGroup } from '../n8nHost/processes';

/** ComfyUI imports its nodes for up to a minute on a slow disk. */
const START_WITHIN_MS = 180_000;
const END_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 200;

export class ComfyProcess {
	private child: ChildProcess | undefined;
	/** The last that it printed, for the message when it does not start. */
	private printed = '';

	/** @param url where it answers once it runs. */
	constructor(
		private readonly command: string,
		private readonly url: string,
		private readonly signal: AbortSignal,
	) {}

	/** @throws Error when something else answers there, or when it ends or stays silent. */
	async start(): Promise<void> {
		if (await this.isAnswering()) throw new Error(`something answers at ${this.url} already. End it, or leave --start out`);
		this.printed = '';
		// The shell is the first of a group of processes, which is ended as a whole.
		const child = spawn(this.command, { shell: true, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
		this.child = child;
		for (const stream of [child.stdout, child.stderr]) {
			stream.on('data', (chunk: Buffer) => (this.printed = (this.printed + chunk.toString('utf8')).slice(-2_000)));
		}
		const giveUpAt = Date.now() + START_WITHIN_MS;
		while (!(await this.isAnswering())) {
			if (hasEnded(child)) throw new Error(`the command of --start ended with ${child.exitCode ?? child.signalCode}:\n${this.printed}`);
			if (Date.now() > giveUpAt) throw new Error(`nothing answered at ${this.url} after ${START_WITHIN_MS / 1000} s:\n${this.printed}`);
			await delay(LOOK_EVERY_MS, undefined, { signal: this.signal });
		}
	}

	/** Ends it with all its own processes, and returns once they are gone. */
	async stop(): Promise<void> {
		await this.end('SIGTERM');
	}

	/** Ends it as a crash does, in the middle of its work. */
	async crash(): Promise<void> {
		await this.end('SIGKILL');
	}

	private async end(signal: NodeJS.Signals): Promise<void> {
		const { child } = this;
		if (child?.pid === undefined || hasEnded(child)) return;
		const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
		signalGroup(child.pid, signal);
		const late = setTimeout(() => signalGroup(child.pid as number, 'SIGKILL'), END_WITHIN_MS);
		await ended;
		clearTimeout(late);
		while (await this.isAnswering()) await delay(LOOK_EVERY_MS, undefined, { signal: this.signal });
	}

	/** For the end of this process, which waits for nothing. */
	kill(): void {
		if (this.child?.pid !== undefined && !hasEnded(this.child)) signalGroup(this.child.pid, 'SIGKILL');
	}

	private async isAnswering(): Promise<boolean> {
		try {
			await fetch(this.url, { signal: AbortSignal.any([this.signal, AbortSignal.timeout(2_000)]) });
			return true;
		} catch {
			return false;
		}
	}
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;
