import { setTimeout as delay } from 'node:timers/promises';
import { SEEDS } from './service/seededJobs';
import { openParts } from './sandboxParts';
import type { Sandbox, SandboxJob, SandboxOptions } from './types';
import type { ServiceSurface } from './vocabulary';
import type { Job } from './service/job';
import type { Service } from './service/service';

const NOTICE_MS = 20;

/** A local mock service in this process, for tests, the demo and development. @throws the socket's error if a port is not available. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const parts = await openParts(options);
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
		jwt: (jwtOptions) => router.tokens.mint(jwtOptions),
		advanceClock: (ms) => {
			router.clock.advance(ms);
			router.queue.advance();
		},
		setSpendLimit: (account, cents) => {
			if (cents === null) router.limits.spend.delete(account);
			else router.limits.spend.set(account, cents);
		},
		setRouterConcurrency: (calls) => {
			router.limits.concurrency = calls;
			router.queue.advance();
		},
		setRouterEnabled: (enabled) => {
			router.limits.enabled = enabled;
		},
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
		saveWorkflow: (path, workflow, { surface = 'engine', user, folder = 'workflows', modifiedAt } = {}) => {
			const files = surface === 'engine' ? users.of(user) : serviceOf('hosted').userFiles.main;
			files.write(`${folder}/${path}`, typeof workflow === 'string' ? workflow : JSON.stringify(workflow), modifiedAt);
		},
		deleteWorkflow: (path, { surface = 'engine', user, folder = 'workflows' } = {}) => {
			(surface === 'engine' ? users.of(user) : serviceOf('hosted').userFiles.main).remove(`${folder}/${path}`);
		},
		print: (text) => engine.print(text),
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
