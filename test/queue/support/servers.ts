import { spawn } from 'node:child_process';
import { chownSync, closeSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, run } from '../../../scripts/n8nHost/processes';
import type { Owner, Programs } from './findServers';

const STARTS_WITHIN_MS = 120_000;
/** Both say so in their logs. After a failure of the power they listen before they have their data again. */
const IS_READY = /ready to accept connections/i;

/** A server that the tests started for themselves, on the loopback. */
export interface Server {
	port: number;
	stop(): Promise<void>;
	/** As a failure of the power ends it. */
	kill(): Promise<void>;
	/** With all that it has stored. */
	startAgain(): Promise<void>;
}

interface Start {
	command: string;
	args: string[];
	folder: string;
	port: number;
	owner?: Owner;
	stopSignal: NodeJS.Signals;
	killSignal: NodeJS.Signals;
}

const answers = async (port: number): Promise<boolean> =>
	await new Promise((resolve) => {
		const socket = connect(port, '127.0.0.1', () => resolve(true))
			.once('error', () => resolve(false))
			.once('connect', () => socket.destroy());
	});

/** @returns what ends it, and waits for its end. */
async function launch({ command, args, folder, port, owner }: Start): Promise<(signal: NodeJS.Signals) => Promise<void>> {
	const logPath = join(folder, 'server.log');
	const log = openSync(logPath, 'a');
	const before = statSync(logPath).size;
	const isReady = (): boolean => IS_READY.test(readFileSync(logPath).subarray(before).toString());
	const child = spawn(command, args, { cwd: folder, stdio: ['ignore', log, log], ...owner });
	closeSync(log);
	const ended = new Promise<string>((resolve) => {
		child.once('error', (error) => resolve(error.message));
		child.once('exit', (code, signal) => resolve(`ended with ${signal ?? code}`));
	});
	let reason: string | undefined;
	void ended.then((why) => (reason = why));
	const endWithUs = () => child.kill();
	process.once('exit', endWithUs);
	const end = async (signal: NodeJS.Signals) => {
		child.kill(signal);
		await ended;
		process.removeListener('exit', endWithUs);
	};

	const deadline = Date.now() + STARTS_WITHIN_MS;
	while (!isReady() || !(await answers(port))) {
		if (reason === undefined && Date.now() < deadline) await delay(50);
		else {
			await end('SIGKILL');
			throw new Error(`${command} did not start: ${reason}\n${readFileSync(logPath, 'utf8')}`);
		}
	}
	return end;
}

async function startServer(start: Start): Promise<Server> {
	let end = await launch(start);
	return {
		port: start.port,
		stop: async () => await end(start.stopSignal),
		kill: async () => await end(start.killSignal),
		startAgain: async () => {
			end = await launch(start);
		},
	};
}

/** @param folder made here @param settings as its command line has them */
export async function startRedis({ redis: command }: Programs, folder: string, settings: string[]): Promise<Server> {
	const port = await freePort();
	mkdirSync(folder);
	const args = [...settings, '--port', String(port), '--bind', '127.0.0.1'];
	return await startServer({ command, args, folder, port, stopSignal: 'SIGTERM', killSignal: 'SIGKILL' });
}

/** @param folder made here; everybody must be able to enter the one that it is in. */
export async function startPostgres({ initdb, postgres: command, owner }: Programs, folder: string, user: string): Promise<Server> {
	const port = await freePort();
	mkdirSync(folder);
	if (owner) chownSync(folder, owner.uid, owner.gid);
	await run(initdb, ['-D', 'data', '-U', user, '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'], {
		cwd: folder,
		...owner,
	});
	// What the system still has to write outlives a process that dies: nothing has to reach the disk.
	const args = ['-D', 'data', '-c', 'listen_addresses=127.0.0.1', '-p', String(port), '-k', folder, '-c', 'fsync=off'];
	return await startServer({ command, args, folder, port, owner, stopSignal: 'SIGINT', killSignal: 'SIGQUIT' });
}
