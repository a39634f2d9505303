import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dependencies } from '../e2e/host/package.json';
import { projectRoot } from '../../scripts/n8nHost/environment';
import { environmentOf, readCompose } from './support/compose';

const { services, volumes } = readCompose();
const processes = [services.main, services['worker-1'], services['worker-2']];
/** What main or workers alone have to know. */
const OF_MAIN = ['WEBHOOK_URL', 'N8N_COMMUNITY_PACKAGES_MANAGED_BY_ENV', 'N8N_COMMUNITY_PACKAGES'];
const OF_WORKERS = [
	...['N8N_CONCURRENCY_PRODUCTION_LIMIT', 'QUEUE_WORKER_LOCK_DURATION'],
	...['N8N_REINSTALL_MISSING_PACKAGES', 'N8N_UNVERIFIED_PACKAGES_ENABLED'],
];
const FOLDER = '/home/node/.n8n';

describe('the compose file of n8n in queue mode', () => {
	it('kills no process within n8n’s grace period', () => {
		for (const service of processes) {
			const { N8N_GRACEFUL_SHUTDOWN_TIMEOUT: grace } = environmentOf(service);
			expect(Number.parseInt(service.stop_grace_period ?? '0', 10)).toBeGreaterThan(Number(grace));
		}
	});

	it('gives each process its own folder, and all processes the same path for files', () => {
		const folders = processes.flatMap((service) => service.volumes.filter((volume) => volume.endsWith(`:${FOLDER}`)));
		expect(new Set(folders).size).toBe(processes.length);
		for (const service of processes) expect(service.volumes).toContain(`files:${environmentOf(service).N8N_STORAGE_PATH}`);
		const named = Object.values(services).flatMap((service) => (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? ''));
		expect(new Set(named)).toEqual(new Set(Object.keys(volumes)));
	});

	it('gives all processes the same key, queue, database and way to keep files', () => {
		const [shared, ...others] = processes.map((service) => {
			return Object.fromEntries(Object.entries(environmentOf(service)).filter(([name]) => ![...OF_MAIN, ...OF_WORKERS].includes(name)));
		});
		for (const settings of others) expect(settings).toEqual(shared);
		expect(shared).toMatchObject({ EXECUTIONS_MODE: 'queue', N8N_ENCRYPTION_KEY: expect.any(String) as string });
	});

	it('has a comment for every setting', () => {
		const text = readFileSync(join(projectRoot, 'docs/queue-mode.md'), 'utf8');
		const explained = ['N8N_ENCRYPTION_KEY', 'N8N_DEFAULT_BINARY_DATA_MODE', 'N8N_STORAGE_PATH', 'N8N_GRACEFUL_SHUTDOWN_TIMEOUT'];
		for (const setting of [...explained, ...OF_MAIN.slice(1), ...OF_WORKERS, 'stop_grace_period']) expect(text).toContain(setting);
	});

	it('runs the n8n that the tests run', () => {
		for (const { image } of processes) expect(image).toMatch(new RegExp(`/n8n:${dependencies.n8n.replaceAll('.', '\\.')}$`));
	});

	it('gives only main the list of packages, and starts workers when main has installed them', () => {
		const [main = {}, ...workers] = processes.map(environmentOf);
		expect(JSON.parse(main.N8N_COMMUNITY_PACKAGES ?? '')).toEqual([
			{ name: 'n8n-nodes-comfy', version: '${COMFY_VERSION:?}', checksum: '${COMFY_CHECKSUM:?}' },
		]);
		for (const worker of workers) expect(Object.keys(worker).filter((name) => OF_MAIN.includes(name))).toEqual([]);
		expect(services.main.healthcheck).toBeDefined();
		for (const name of ['worker-1', 'worker-2'] as const)
			expect(services[name].depends_on).toMatchObject({ main: { condition: 'service_healthy' }, redis: {}, postgres: {}, files: {} });
	});
});
