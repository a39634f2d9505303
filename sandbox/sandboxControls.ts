/** The controls of a running sandbox, for tests. */
import { setTimeout as delay } from 'node:timers/promises';
import type { LocalEngine } from './engine/localEngine';
import type { EngineUsers } from './engine/userdataRoutes';
import type { FaultRules } from './faults';
import type { Origin } from './openOrigin';
import type { Recorder } from './http/recorder';
import type { RouterService } from './router/routerService';
import { SEEDS } from './service/seededJobs';
import type { OpenSockets } from './socket/connections';
import type { Ledger } from './ledger';
import type { Sandbox, SandboxJob, SandboxKeys, SandboxUrls } from './types';
import type { ServiceSurface } from './vocabulary';
import type { Job } from './service/job';
import type { Controls, Service } from './service/service';

const NOTICE_MS = 20;

interface SandboxParts {
	urls: SandboxUrls;
	keys: SandboxKeys;
	ledger: Ledger;
	recorder: Recorder;
	faults: FaultRules;
	controls: Controls;
	services: readonly Service[];
	sockets: OpenSockets;
	engine: LocalEngine;
	users: EngineUsers;
	engineOrigin: Origin;
	router: RouterService;
	close(): Promise<void>;
}

export function createControls(parts: SandboxParts): Sandbox {
	const { urls, keys, ledger, recorder, faults, controls, services, sockets, engine, users, engineOrigin, router, close } = parts;
	const serviceOf = (surface: ServiceSurface): Service => {
		const found = services.find((service) => service.surface === surface);
		if (found === undefined) throw new Error(`No such surface: ${surface}`);
		return found;
	};
	const jobOf = (jobId: string): Job => {
		const found = services.map((service) => service.jobs.get(jobId)).find((job) => job !== undefined);
		if (found === undefined) throw new Error(`No such job: ${jobId}`);
		return found;
	};
	const jobs = (surface?: ServiceSurface): SandboxJob[] =>
		(surface === undefined ? services : [serviceOf(surface)]).flatMap((service) => [...service.jobs.values()]);

	return {
		urls,
		keys,
		seeds: SEEDS,
		ledger,
		inject: (rule) => faults.inject(rule),
		clearFaults: () => faults.clear(),
		requests: (on, surface) => recorder.requests(on, surface),
		peak: (on, surface) => recorder.peak(on, surface),
		peakJobs: (surface) => serviceOf(surface).runner.peak,
		resetRecords: () => {
			recorder.reset();
			for (const { runner } of services) runner.resetPeak();
		},
		configure: (behaviour) => {
			Object.assign(controls.behaviour, behaviour);
			for (const { runner } of services) runner.startNext();
		},
		setQueueLimit: (limit) => {
			controls.queueLimit = limit;
		},
		setV1Status: (jobId, word) => {
			if (word === null) controls.v1Statuses.delete(jobId);
			else controls.v1Statuses.set(jobId, word);
		},
		...routerControls(router),
		sockets: (surface) => sockets.on(surface),
		dropSockets: (surface) => sockets.drop(surface),
		sendFrame: (frame, surface) => sockets.send(frame, surface),
		ageJob: (jobId, ms) => {
			const job = jobOf(jobId);
			job.createdAt -= ms;
			if (job.startedAt !== null) job.startedAt -= ms;
			if (job.completedAt !== null) job.completedAt -= ms;
		},
		forgetJobs: (surface) => {
			const service = serviceOf(surface);
			service.jobs.clear();
			service.jobKeys.clear();
		},
		saveWorkflow: (path, workflow, { surface = 'engine', user, modifiedAt } = {}) => {
			const files = surface === 'engine' ? users.of(user) : serviceOf('hosted').userFiles('main');
			files.write(`workflows/${path}`, typeof workflow === 'string' ? workflow : JSON.stringify(workflow), modifiedAt);
		},
		deleteWorkflow: (path, { surface = 'engine', user } = {}) => {
			(surface === 'engine' ? users.of(user) : serviceOf('hosted').userFiles('main')).remove(`workflows/${path}`);
		},
		restartEngine: () => {
			sockets.drop('engine');
			engine.restart();
		},
		stopEngine: async () => {
			controls.engineIsUp = false;
			const stopped = engineOrigin.setListening(false);
			sockets.drop('engine');
			await stopped;
			// Callers in this process notice a little later that their idle connections are gone.
			await delay(NOTICE_MS);
		},
		startEngine: async () => {
			controls.engineIsUp = true;
			await engineOrigin.setListening(true);
		},
		job: (jobId) => jobs().find(({ id }) => id === jobId),
		jobs,
		close,
	};
}

type RouterControls = Pick<Sandbox, 'jwt' | 'advanceClock' | 'setSpendLimit' | 'setRouterConcurrency' | 'setRouterEnabled'>;

const routerControls = ({ tokens, clock, limits, queue }: RouterService): RouterControls => ({
	jwt: (options) => tokens.mint(options),
	advanceClock: (ms) => {
		clock.advance(ms);
		queue.advance();
	},
	setSpendLimit: (account, cents) => {
		if (cents === null) limits.spend.delete(account);
		else limits.spend.set(account, cents);
		queue.advance();
	},
	setRouterConcurrency: (calls) => {
		limits.concurrency = calls;
		queue.advance();
	},
	setRouterEnabled: (enabled) => {
		limits.enabled = enabled;
	},
});
