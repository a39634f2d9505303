import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { host, n8nEnvironment } from './environment';
import { outcomeOf } from '../../client/async/outcome';
import { freePort, isAlive, signalGroup } from './processes';
import { N8nRest } from './rest';

const READY_WITHIN_MS = 180_000;
/** n8n itself gives up waiting for running executions after 5 s; a loaded machine takes longer to end it. */
const STOPS_WITHIN_MS = 30_000;
const POLL_INTERVAL_MS = 200;
const SHOWN_LOG_CHARACTERS = 4000;

interface N8nOptions {
	/** An empty folder. n8n stores its database, keys and binaries under `.n8n` in it. */
	userFolder: string;
	/** A free one unless given. */
	port?: number;
	env?: NodeJS.ProcessEnv;
}

/** One process of an n8n. */
export interface N8nProcess {
	url: string;
	pid: number;
	logPath: string;
	/** Everything n8n has printed so far. */
	log(): Promise<string>;
	/** Ends n8n and all it started; running executions get a few seconds. */
	stop(): Promise<void>;
	/** Ends n8n and all it started at once, as a crash would. */
	kill(): Promise<void>;
}

export interface RunningN8n extends N8nProcess {
	/** Signed in as the owner. */
	rest: N8nRest;
}

/** The commands of n8n that keep running: all of n8n, or a worker that executes workflows in queue mode. */
type Command = 'start' | 'worker';

async function waitUntilReady(url: string, hasEnded: () => boolean): Promise<boolean> {
	const deadline = Date.now() + READY_WITHIN_MS;
	while (Date.now() < deadline && !hasEnded()) {
		const ready = await fetch(`${url}/healthz/readiness`).then(
			(answer) => answer.ok,
			() => false,
		);
		if (ready) return true;
		await delay(POLL_INTERVAL_MS);
	}
	return false;
}

async function waitUntilGone(pid: number, withinMs: number): Promise<void> {
	const deadline = Date.now() + withinMs;
	while (isAlive(pid) && Date.now() < deadline) await delay(50);
}

/** Ends an n8n by the pid of its process group: first politely, then, after some seconds, for good. */
export async function stopN8n(pid: number): Promise<void> {
	if (isAlive(pid)) process.kill(pid, 'SIGTERM');
	await waitUntilGone(pid, STOPS_WITHIN_MS);
	signalGroup(pid, 'SIGKILL');
}

function spawnGroup(command: Command, logPath: string, env: NodeJS.ProcessEnv, cwd: string): ChildProcess {
	const log = openSync(logPath, 'a');
	const [program, ...args] = host.command;
	try {
		return spawn(program, [...args, command], { cwd, env, detached: true, stdio: ['ignore', log, log] });
	} finally {
		closeSync(log);
	}
}

const STARTS = 3;

/** Another process may use the chosen free port before n8n listens there. Then n8n is started again at another port. */
async function startProcess(command: Command, options: N8nOptions): Promise<N8nProcess> {
	for (let left = options.port === undefined ? STARTS - 1 : 0; ; left--) {
		const started = await outcomeOf(startAt(command, options, options.port ?? (await freePort())));
		if (started.ok) return started.value;
		if (left === 0 || !/port \d+ is already in use/.test(String(started.error))) throw started.error;
	}
}

/** @throws Error with the end of n8n's log when it does not become ready. */
async function startAt(command: Command, { userFolder, env }: N8nOptions, ownPort: number): Promise<N8nProcess> {
	const url = `http://127.0.0.1:${ownPort}`;
	const logPath = join(userFolder, 'n8n.log');
	const child = spawnGroup(command, logPath, { ...n8nEnvironment(userFolder, ownPort, await freePort()), ...env }, userFolder);
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
		await waitUntilGone(pid, STOPS_WITHIN_MS);
		forget();
	};
	const stop = async () => {
		await stopN8n(pid);
		forget();
	};

	if (!(await waitUntilReady(url, () => child.exitCode !== null || child.signalCode !== null))) {
		await kill();
		throw new Error(`n8n did not become ready. Its log ends with:\n${(await log()).slice(-SHOWN_LOG_CHARACTERS)}`);
	}
	return { url, pid, logPath, log, stop, kill };
}

/**
 * Starts the installed host and signs in.
 * @throws Error with the end of n8n's log when it does not become ready.
 */
export async function startN8n(options: N8nOptions): Promise<RunningN8n> {
	const n8n = await startProcess('start', options);
	const rest = new N8nRest(n8n.url);
	await rest.signIn();
	return { ...n8n, rest };
}

/** Starts a worker for an n8n in queue mode: `env` says where its queue and its database are. */
export async function startWorker({ userFolder, port = 0, env }: N8nOptions): Promise<N8nProcess> {
	const healthPort = port || (await freePort());
	const health = { QUEUE_HEALTH_CHECK_ACTIVE: 'true', QUEUE_HEALTH_CHECK_PORT: String(healthPort), N8N_WORKER_SERVER_ADDRESS: '127.0.0.1' };
	return await startProcess('worker', { userFolder, port: healthPort, env: { ...health, ...env } });
}
