import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ShutdownReport, ShutdownTask } from './shutdownChild';

/** A process that runs nodes on n8n's engine, and can be asked to stop. */
export interface Stoppable {
	/** Begins at once. */
	run(task: ShutdownTask): Promise<ShutdownReport>;
	/** @returns when it was sent. */
	signal(name: NodeJS.Signals): number;
	/** The signal that ended it, or null where it ended by itself. */
	readonly ended: Promise<NodeJS.Signals | null>;
	end(): Promise<void>;
}

export async function startStoppable(): Promise<Stoppable> {
	const folder = mkdtempSync(join(tmpdir(), 'comfy-stop-'));
	const env = { ...process.env, N8N_USER_FOLDER: folder, N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem' };
	const child = fork(join(__dirname, 'shutdownChild.ts'), { env, execArgv: ['--import', 'tsx'], stdio: 'inherit' });
	const ended = once(child, 'exit').then(([, signal]) => signal as NodeJS.Signals | null);
	const message = async (): Promise<unknown> =>
		await Promise.race([
			once(child, 'message').then(([said]) => said as unknown),
			ended.then((signal) => Promise.reject(new Error(`The process has ended (${signal})`))),
		]);
	await message();
	return {
		run: async (task) => {
			child.send(task);
			return (await message()) as ShutdownReport;
		},
		signal: (name) => {
			child.kill(name);
			return Date.now();
		},
		ended,
		end: async () => {
			child.kill('SIGKILL');
			await ended;
			rmSync(folder, { recursive: true, force: true });
		},
	};
}
