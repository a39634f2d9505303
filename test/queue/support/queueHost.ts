import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type N8nProcess, type RunningN8n, startN8n, startWorker } from '../../../scripts/n8nHost/startN8n';
import { version } from '../../../package.json';
import { packageFolderOf } from '../../../scripts/n8nHost/install';
import { freePort } from '../../../scripts/n8nHost/processes';
import { stopWithGrace } from '../../e2e/support/ownHost';
import { npmOf, startRegistry } from '../../e2e/support/registry';
import { environmentOf, readCompose } from './compose';
import { findServers, packedTarball, type Programs } from './findServers';
import { type Server, startPostgres, startRedis } from './servers';

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

/** An n8n in queue mode with the settings of `docs/compose.queue.yaml`. Each process installs the package in its own folder. */
export interface QueueHost {
	readonly main: RunningN8n;
	/** The one of that name which was started last. */
	worker(name: WorkerName): Worker;
	startWorker(name: WorkerName): Promise<Worker>;
	/** At the address it had. */
	startMain(): Promise<void>;
	/** Publishes another version, and restarts main with it in its list. */
	update(version: string): Promise<void>;
	/** The package as the processes have it: main, then the workers. */
	packageFolders(): string[];
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
	const registry = await startRegistry(folder);
	const own = { ...npmOf(registry.url, join(folder, 'bin')), ...placesAndSecrets(folder, servers.redis, servers.postgres) };
	const settingsOf = (name: 'main' | WorkerName): NodeJS.ProcessEnv => ({ ...environmentOf(services[name]), ...own });

	/** As `.env` sets them. */
	const released = { COMFY_VERSION: '', COMFY_CHECKSUM: '' };
	const release = (wanted: string): void => {
		Object.assign(released, { COMFY_VERSION: wanted, COMFY_CHECKSUM: registry.publish(packedTarball(), wanted) });
	};
	release(version);
	const listed = (): string =>
		Object.entries(released).reduce(
			(text, [name, value]) => text.replace(`\${${name}:?}`, value),
			environmentOf(services.main).N8N_COMMUNITY_PACKAGES ?? '',
		);

	const userFolder = async (name: string): Promise<string> => {
		const path = join(folder, name);
		await mkdir(path, { recursive: true });
		return path;
	};
	const port = await freePort();
	let main: RunningN8n;
	const startMain = async () => {
		const ofMain = {
			WEBHOOK_URL: `http://127.0.0.1:${port}/`,
			N8N_COMMUNITY_PACKAGES: listed(),
			// The default of n8n 3.0.
			N8N_UNVERIFIED_PACKAGES_ENABLED: 'false',
		};
		main = await startN8n({ userFolder: await userFolder('main'), port, env: { ...settingsOf('main'), ...ofMain } });
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
		registry.close();
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
		update: async (wanted) => {
			release(wanted);
			await main.stop();
			await startMain();
		},
		packageFolders: () => ['main', ...NAMES].map((name) => packageFolderOf(join(folder, name))),
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
