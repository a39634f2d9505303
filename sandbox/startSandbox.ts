/** A local stand-in of the service: seven real origins in this process, for tests, the demo and people. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DEFAULT_BEHAVIOUR } from './behaviour';
import { sandboxControls } from './sandboxControls';
import { LocalEngine } from './engine/localEngine';
import { engineRoutes } from './engine/engineRoutes';
import { EngineUsers } from './engine/userdataRoutes';
import { FaultRules } from './faults';
import { openOrigin, type Origin } from './openOrigin';
import { Recorder } from './http/recorder';
import { newLedger } from './ledger';
import { routerRoutes } from './router/routerRoutes';
import { openRouter, type RouterService } from './router/routerService';
import { Tokens } from './router/authentication';
import { seededJobs } from './service/seededJobs';
import { type Controls, openService, type Service } from './service/service';
import { LinkSigner, storageRoutes } from './storage/signedLinks';
import { BlobStore } from './storage/blobs';
import { OpenSockets } from './socket/connections';
import type { Sandbox, SandboxKeys, SandboxOptions } from './types';
import type { ServiceSurface, Surface } from './vocabulary';
import { v1Routes } from './v1/v1Routes';
import { v2Routes } from './v2/v2Routes';

const SERVICE_SURFACES: readonly ServiceSurface[] = ['self_hosted', 'self_hosted_token', 'hosted', 'deployment'];

/** They stand beside the service, not behind its gateway. */
const UNMOUNTED: readonly Surface[] = ['storage', 'router'];

/**
 * Starts all origins on 127.0.0.1.
 * @throws the socket's error, with nothing left open, when a port cannot be had.
 */
export async function startSandbox({
	port,
	keys,
	mountPrefix = '',
	engineMount = '',
	...behaviour
}: SandboxOptions = {}): Promise<Sandbox> {
	const folder = await mkdtemp(path.join(tmpdir(), 'comfy-sandbox-'));
	const secret = randomBytes(16).toString('hex');
	const tokens = new Tokens(secret);
	const controls: Controls = {
		behaviour: { ...DEFAULT_BEHAVIOUR, ...behaviour },
		credits: new Map(),
		queueLimit: Infinity,
		deploymentState: 'ready',
		engineIsUp: true,
		unsubscribed: new Set(),
		v1Statuses: new Map(),
	};
	const shared = {
		blobs: new BlobStore(folder),
		signer: new LinkSigner(secret),
		ledger: newLedger(),
		keys: { ...newKeys(tokens), ...keys },
		secret,
		controls,
		mountPrefix,
	};
	const recorder = new Recorder();
	const faults = new FaultRules();
	const sockets = new OpenSockets();
	const services: Service[] = [];
	const routers: RouterService[] = [];
	const origins: Origin[] = [];
	const mountOf = (surface: Surface): string => (surface === 'engine' ? engineMount : UNMOUNTED.includes(surface) ? '' : mountPrefix);
	const open = async (surface: Surface, place: number, routes: Parameters<typeof openOrigin>[1]): Promise<Origin> => {
		const origin = await openOrigin(
			{
				surface,
				port: port === undefined ? 0 : port + place,
				mountPrefix: mountOf(surface),
				recorder,
				faults,
				behaviour: controls.behaviour,
			},
			routes,
		);
		origins.push(origin);
		return origin;
	};
	const close = async (): Promise<void> => {
		await Promise.all([
			...services.map(({ runner }) => runner.close()),
			...routers.map(({ generations }) => generations.close()),
			...origins.map((origin) => origin.close()),
		]);
		await rm(folder, { recursive: true, force: true });
	};

	try {
		const addresses: string[] = [];
		for (const [place, surface] of SERVICE_SURFACES.entries()) {
			const { address } = await open(surface, place, (app, ownAddress) => {
				const service = openService(surface, ownAddress, shared);
				services.push(service);
				v2Routes(app, service);
				if (surface === 'hosted') v1Routes(app, service, sockets);
			});
			addresses.push(address + mountPrefix);
		}
		const { address: storage } = await open('storage', SERVICE_SURFACES.length, (app) =>
			storageRoutes(app, { ...shared, behaviour: controls.behaviour }),
		);
		shared.signer.origin = storage;
		const [selfHosted, , hosted] = services;
		if (selfHosted === undefined) throw new Error('No self-hosted surface');
		const localEngine = new LocalEngine(selfHosted);
		const users = new EngineUsers(controls.behaviour);
		const engineOrigin = await open('engine', SERVICE_SURFACES.length + 1, (app) =>
			engineRoutes(app, { engine: localEngine, service: selfHosted, sockets, users, mount: engineMount }),
		);
		const { address: routerUrl } = await open('router', SERVICE_SURFACES.length + 2, (app, address) => {
			const opened = openRouter({ ...shared, behaviour: controls.behaviour, credits: controls.credits, tokens, address });
			routers.push(opened);
			routerRoutes(app, opened);
		});
		const [router] = routers;
		if (router === undefined) throw new Error('No router');
		for (const job of seededJobs(controls.behaviour.jobLifetimeMs)) hosted?.jobs.set(job.id, job);
		const [self_hosted = '', self_hosted_token_url = '', hostedUrl = '', deployment = ''] = addresses;
		const urls = {
			self_hosted,
			self_hosted_token_url,
			hosted: hostedUrl,
			deployment,
			storage,
			engine: engineOrigin.address + engineMount,
			router: routerUrl,
		};
		return sandboxControls({
			urls,
			keys: shared.keys,
			ledger: shared.ledger,
			recorder,
			faults,
			controls,
			services,
			sockets,
			engine: localEngine,
			users,
			engineOrigin,
			router,
			close,
		});
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
		otherJwt: tokens.mint({ expiresInSeconds: JWT_LIFETIME_SECONDS, account: 'other' }),
	};
}
