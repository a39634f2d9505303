/** Everything that a sandbox consists of: seven origins in this process, and what they share. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { DEFAULT_BEHAVIOUR } from './behaviour';
import { LocalEngine } from './engine/localEngine';
import { engineRoutes } from './engine/engineRoutes';
import { EngineUsers } from './engine/userdataRoutes';
import { FaultRules } from './faults';
import { openOrigin, type Origin } from './openOrigin';
import { Recorder } from './http/recorder';
import { newLedger } from './ledger';
import { routerRoutes } from './router/routerRoutes';
import { openRouter } from './router/routerService';
import { Tokens } from './router/authentication';
import { seededJobs } from './service/seededJobs';
import { type Controls, openService, type Service } from './service/service';
import { LinkSigner, storageRoutes } from './storage/signedLinks';
import { BlobStore } from './storage/blobs';
import { OpenSockets } from './socket/connections';
import type { SandboxKeys, SandboxOptions, SandboxUrls } from './types';
import type { ServiceSurface, Surface } from './vocabulary';
import { v1Routes } from './v1/v1Routes';
import { v2Routes } from './v2/v2Routes';

const SERVICE_SURFACES: readonly ServiceSurface[] = ['self_hosted', 'self_hosted_token', 'hosted', 'deployment'];

/**
 * Starts all origins on 127.0.0.1. If `port` is given, they use consecutive ports in the order of `SandboxOptions.port`.
 * @throws the socket's error if a port is not available. Nothing stays open then.
 */
export async function openParts({ port, keys, mountPrefix = '', engineMount = '', ...ownBehaviour }: SandboxOptions) {
	const folder = await mkdtemp(path.join(tmpdir(), 'comfy-sandbox-'));
	const tokens = new Tokens();
	const controls: Controls = {
		behaviour: { ...DEFAULT_BEHAVIOUR, ...ownBehaviour },
		queueLimit: Infinity,
		engineIsUp: true,
		v1Statuses: new Map(),
	};
	const shared = {
		blobs: new BlobStore(folder),
		signer: new LinkSigner(randomBytes(16).toString('hex')),
		ledger: newLedger(),
		keys: keys ?? newKeys(tokens),
		controls,
		mountPrefix,
	};
	tokens.accept(shared.keys.jwt, 'main');
	const recorder = new Recorder();
	const faults = new FaultRules();
	const sockets = new OpenSockets();
	const { behaviour } = controls;
	const origins = new Map<Surface, Origin>();
	const addressOf = (surface: Surface): string => origins.get(surface)?.address ?? '';
	const services = SERVICE_SURFACES.map((surface) => openService(surface, () => addressOf(surface), shared));
	const [selfHosted, , hosted] = services as [Service, Service, Service, Service];
	const engine = new LocalEngine(selfHosted);
	const users = new EngineUsers(behaviour);
	const router = openRouter({ ...shared, behaviour, tokens, address: () => addressOf('router') });
	for (const job of seededJobs()) hosted.jobs.set(job.id, job);

	const open = async (surface: Surface, mount: string, addRoutes: (app: FastifyInstance) => void): Promise<Origin> => {
		const ownPort = port === undefined ? 0 : port + origins.size;
		const origin = await openOrigin({ surface, port: ownPort, mountPrefix: mount, recorder, faults, behaviour }, addRoutes);
		origins.set(surface, origin);
		return origin;
	};
	const close = async (): Promise<void> => {
		await Promise.all([
			...services.map(({ runner }) => runner.close()),
			router.generations.close(),
			...[...origins.values()].map((origin) => origin.close()),
		]);
		await rm(folder, { recursive: true, force: true });
	};

	try {
		for (const service of services) {
			await open(service.surface, mountPrefix, (app) => {
				v2Routes(app, service);
				if (service.surface === 'hosted') v1Routes(app, service, sockets);
			});
		}
		const storage = await open('storage', '', (app) => storageRoutes(app, { ...shared, behaviour }));
		shared.signer.origin = storage.address;
		const engineOrigin = await open('engine', engineMount, (app) =>
			engineRoutes(app, { engine, service: selfHosted, sockets, users, mount: engineMount }),
		);
		await open('router', '', (app) => routerRoutes(app, router));
		const urls: SandboxUrls = {
			self_hosted: addressOf('self_hosted') + mountPrefix,
			self_hosted_token_url: addressOf('self_hosted_token') + mountPrefix,
			hosted: addressOf('hosted') + mountPrefix,
			deployment: addressOf('deployment') + mountPrefix,
			storage: storage.address,
			engine: engineOrigin.address + engineMount,
			router: addressOf('router'),
		};
		return { ...shared, urls, recorder, faults, services, sockets, engine, users, engineOrigin, router, close };
	} catch (error) {
		await close();
		throw error;
	}
}

const JWT_LIFETIME_SECONDS = 30 * 24 * 60 * 60;

function newKeys(tokens: Tokens): SandboxKeys {
	const secret = (): string => randomBytes(16).toString('hex');
	return {
		apiKey: `comfyui-main-${secret()}`,
		otherApiKey: `comfyui-other-${secret()}`,
		bearer: `bearer-${secret()}`,
		partnerKey: `comfyui-partner-${secret()}`,
		jwt: tokens.mint({ expiresInSeconds: JWT_LIFETIME_SECONDS }),
	};
}
