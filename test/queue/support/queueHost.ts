import { randomBytes } from 'node:crypto';
import { chmod, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type N8nProcess, type RunningN8n, startN8n, startWorker } from '../../../scripts/n8nHost/startN8n';
import { freePort } from '../../../scripts/n8nHost/processes';
import { userFolderIn } from '../../e2e/support/host';
import { stopWithGrace } from '../../e2e/support/ownHost';
import { environmentOf, readCompose } from './compose';
import { findServers, installedIn, type Programs } from './findServers';
import { type Server, startPostgres, startRedis } from './servers';

/** Where n8n puts the packages that a user installs, under its user folder. */
const PACKAGES = '.n8n/nodes';

export interface Worker extends N8nProcess {
	readonly name: WorkerName;
	/** The executions that it has begun. */
	begun(): Promise<string[]>;
	/** Whether it begins no more executions, and waits for the end of those that it has begun. */
	isDraining(): Promise<boolean>;
	/** Asks it to stop, as a new version or a restart does, and leaves it its grace. */
	stop(): Promise<void>;
}

/** As the compose file names them. */
type WorkerName = 'worker-1' | 'worker-2';

/** An n8n in queue mode with the settings of `docs/compose.queue.yaml`. Each process has its own folder with the package installed. */
export interface QueueHost {
	readonly main: RunningN8n;
	/** The one of that name which was started last. */
	worker(name: WorkerName): Worker;
	startWorker(name: WorkerName): Promise<Worker>;
	/** At the address it had. */
	startMain(): Promise<void>;
	/** Kills n8n, Redis and PostgreSQL at the same time. */
	cutPower(): Promise<void>;
	/** Everything is started as it was. */
	startAll(): Promise<void>;
	close(): Promise<void>;
}

const { services } = readCompose();
const NAMES: WorkerName[] = ['worker-1', 'worker-2'];

async function startServers(programs: Programs, folder: string): Promise<{ redis: Server; postgres: Server }> {
	const redis = await startRedis(programs, join(folder, 'redis'), (services.redis.command ?? '').split(' ').slice(1));
	try {
		return {
			redis,
			postgres: await startPostgres(programs, join(folder, 'postgres'), environmentOf(services.postgres).POSTGRES_USER ?? ''),
		};
	} catch (error) {
		await redis.stop();
		throw error;
	}
}

/** What a test cannot have as the document says it: hosts, ports, paths, secrets. */
const placesAndSecrets = (folder: string, redis: Server, postgres: Server): NodeJS.ProcessEnv => ({
	QUEUE_BULL_REDIS_HOST: '127.0.0.1',
	QUEUE_BULL_REDIS_PORT: String(redis.port),
	DB_POSTGRESDB_HOST: '127.0.0.1',
	DB_POSTGRESDB_PORT: String(postgres.port),
	DB_POSTGRESDB_PASSWORD: '',
	N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
	N8N_STORAGE_PATH: join(folder, 'files'),
});

/** @throws Error in one line where Redis or PostgreSQL is missing. */
export async function startQueueHost(): Promise<QueueHost> {
	const programs = findServers();
	const folder = await mkdtemp(join(tmpdir(), 'comfy-queue-'));
	await chmod(folder, 0o755);
	const removeFolder = async () => await rm(folder, { recursive: true, force: true });
	const servers = await startServers(programs, folder).catch(async (error) => {
		await removeFolder();
		throw error;
	});
	await mkdir(join(folder, 'files'));
	const own = placesAndSecrets(folder, servers.redis, servers.postgres);
	const settingsOf = (name: 'main' | WorkerName): NodeJS.ProcessEnv => ({ ...environmentOf(services[name]), ...own });

	const userFolder = async (name: string): Promise<string> => {
		const path = join(folder, name);
		await cp(join(userFolderIn(installedIn()), PACKAGES), join(path, PACKAGES), { recursive: true, force: false });
		return path;
	};
	const port = await freePort();
	let main: RunningN8n;
	const startMain = async () => {
		const address = { WEBHOOK_URL: `http://127.0.0.1:${port}/` };
		main = await startN8n({ userFolder: await userFolder('main'), port, env: { ...settingsOf('main'), ...address } });
	};
	const workers = new Map<WorkerName, Worker>();
	const startNamed = async (name: WorkerName): Promise<Worker> => {
		const worker = await startWorker({ userFolder: await userFolder(name), env: settingsOf(name) });
		const begun = async () => [...(await worker.log()).matchAll(/Worker started execution (\d+)/g)].map(([, id]) => String(id));
		const isDraining = async () => /Waiting for \d+ active executions to finish/.test(await worker.log());
		const named = { ...worker, name, begun, isDraining, stop: async () => void (await stopWithGrace(worker.pid)) };
		workers.set(name, named);
		return named;
	};
	const killAll = async () => void (await Promise.all([...workers.values(), main].map(async (process) => await process?.kill())));
	const startAll = async () => {
		await startMain();
		await Promise.all(NAMES.map(startNamed));
	};
	const close = async () => {
		await killAll();
		await Promise.all(Object.values(servers).map(async (server) => await server.stop()));
		await removeFolder();
	};
	try {
		await startAll();
	} catch (error) {
		await close();
		throw error;
	}
	return {
		get main() {
			return main;
		},
		worker(name) {
			const worker = workers.get(name);
			if (worker === undefined) throw new Error(`No such worker: ${name}`);
			return worker;
		},
		startWorker: startNamed,
		startMain,
		cutPower: async () => {
			await Promise.all([killAll(), ...Object.values(servers).map(async (server) => await server.kill())]);
		},
		startAll: async () => {
			await Promise.all(Object.values(servers).map(async (server) => await server.startAgain()));
			await startAll();
		},
		close,
	};
}
