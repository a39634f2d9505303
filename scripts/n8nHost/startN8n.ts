import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { n8nEnvironment } from './environment';
import { hostNode, n8nMain } from './paths';
import { freePort } from './ports';
import { isAlive, signalGroup } from './processes';
import { N8nRest } from './rest';

const READY_WITHIN_MS = 180_000;
/** n8n itself gives up waiting for running executions after 5 s. */
const STOPS_WITHIN_MS = 10_000;
const POLL_INTERVAL_MS = 200;
const SHOWN_LOG_CHARACTERS = 4000;

export interface N8nOptions {
	/** An empty folder of one's own; n8n keeps its database, keys and binaries under `.n8n` in it. */
	userFolder: string;
	/** A free one unless given. */
	port?: number;
	env?: NodeJS.ProcessEnv;
}

export interface RunningN8n {
	url: string;
	/** Signed in as the owner. */
	rest: N8nRest;
	pid: number;
	logPath: string;
	/** Everything n8n has printed so far. */
	log(): Promise<string>;
	/** Ends n8n and all it started; running executions get a few seconds. */
	stop(): Promise<void>;
	/** Ends n8n and all it started at once, as a crash would. */
	kill(): Promise<void>;
}

async function untilReady(url: string, hasEnded: () => boolean): Promise<boolean> {
	const deadline = Date.now() + READY_WITHIN_MS;
	while (Date.now() < deadline && !hasEnded()) {
		const ready = await fetch(`${url}/healthz/readiness`).then((answer) => answer.ok, () => false);
		if (ready) return true;
		await delay(POLL_INTERVAL_MS);
	}
	return false;
}

async function untilGone(pid: number, withinMs: number): Promise<void> {
	const deadline = Date.now() + withinMs;
	while (isAlive(pid) && Date.now() < deadline) await delay(50);
}

/** Ends an n8n by the pid of its process group: first politely, then, after some seconds, for good. */
export async function stopN8n(pid: number): Promise<void> {
	if (isAlive(pid)) process.kill(pid, 'SIGTERM');
	await untilGone(pid, STOPS_WITHIN_MS);
	signalGroup(pid, 'SIGKILL');
}

function spawnInItsOwnGroup(logPath: string, env: NodeJS.ProcessEnv, cwd: string): ChildProcess {
	const log = openSync(logPath, 'a');
	try {
		return spawn(hostNode, [n8nMain, 'start'], { cwd, env, detached: true, stdio: ['ignore', log, log] });
	} finally {
		closeSync(log);
	}
}

/**
 * Starts the installed host and signs in.
 * @throws Error with the end of n8n's log when it does not become ready.
 */
export async function startN8n({ userFolder, port, env }: N8nOptions): Promise<RunningN8n> {
	const ownPort = port ?? (await freePort());
	const url = `http://127.0.0.1:${ownPort}`;
	const logPath = join(userFolder, 'n8n.log');
	const child = spawnInItsOwnGroup(logPath, { ...n8nEnvironment(userFolder, ownPort, await freePort()), ...env }, userFolder);
	const spawned = new Promise<number>((resolve, reject) => {
		child.once('error', reject);
		child.once('spawn', () => resolve(child.pid ?? 0));
	});
	const pid = await spawned;
	const endWithUs = () => signalGroup(pid, 'SIGKILL');
	process.once('exit', endWithUs);
	const forget = () => process.removeListener('exit', endWithUs);

	const log = () => readFile(logPath, 'utf8');
	const kill = async () => {
		signalGroup(pid, 'SIGKILL');
		await untilGone(pid, STOPS_WITHIN_MS);
		forget();
	};
	const stop = async () => {
		await stopN8n(pid);
		forget();
	};

	if (!(await untilReady(url, () => child.exitCode !== null || child.signalCode !== null))) {
		await kill();
		throw new Error(`n8n did not become ready. Its log ends with:\n${(await log()).slice(-SHOWN_LOG_CHARACTERS)}`);
	}
	const rest = new N8nRest(url);
	await rest.signIn();
	return { url, rest, pid, logPath, log, stop, kill };
}
