/** What the routes of one surface share. */
import type { ApiGraph } from '../graphEngine/types';
import type { LinkSigner } from '../storage/signedLinks';
import type { BlobStore } from '../storage/blobs';
import { UserFiles } from '../storage/userFiles';
import type { Behaviour } from '../behaviour';
import { digest, type Ledger } from '../ledger';
import type { AccountName, RunSurface, ServiceSurface } from '../vocabulary';
import type { SandboxKeys } from '../types';
import { AssetRecords } from './assets';
import { IdempotencyKeys } from './idempotencyKeys';
import { Job, type NewJob } from './job';
import { JobRunner } from './jobRunner';
import { getTraits, type PartnerKey, Refusal } from './traits';

/** After this answer, a submission may or may not have made a job. */
export const UPSTREAM_UNREACHABLE = 'upstream_unreachable';

/** What tests change while the sandbox runs; shared by all surfaces. */
export interface Controls {
	behaviour: Behaviour;
	queueLimit: number;
	/** Whether the proxy reaches its engine. */
	engineIsUp: boolean;
	/** Job id → the status that v1 reports instead of its own. */
	v1Statuses: Map<string, string>;
}

export type Service = ReturnType<typeof openService>;

/** @throws the same Refusal if the job is unknown, belongs to another account, or is past its retention. */
export function findJob(service: Service, account: AccountName, id: string): Job {
	const job = service.jobs.get(id);
	if (job === undefined || job.account !== account || job.expiresAt <= Date.now()) throw notFound(service, 'job');
	return job;
}

const isCutOff = ({ surface, controls }: Service): boolean => surface === 'self_hosted' && !controls.engineIsUp;

/** For requests about jobs, for which the proxy asks its engine. @throws Refusal while the engine does not answer. */
export function requireEngine(service: Service): void {
	if (isCutOff(service)) throw new Refusal({ status: 503, code: UPSTREAM_UNREACHABLE, message: 'ComfyUI does not answer' });
}

/** The same for files, for which the proxy has no specific error code. */
export function requireEngineForFiles(service: Service): void {
	if (isCutOff(service)) throw new Refusal({ status: 500, code: 'upstream_error', message: 'Something went wrong' });
}

export function notFound({ behaviour, traits }: Service, what: 'job' | 'asset'): Refusal {
	const named = behaviour.notFoundCodes === 'service' && !traits.selfHosted;
	return new Refusal({ status: 404, code: named ? `${what}_not_found` : 'not_found', message: `No such ${what}` });
}

interface SharedParts {
	blobs: BlobStore;
	signer: LinkSigner;
	ledger: Ledger;
	keys: SandboxKeys;
	controls: Controls;
	mountPrefix: string;
}

/**
 * Each surface has its own records, queue and engine. All share blobs, links, ledger and controls.
 * @param address returns scheme, host and port.
 */
export function openService(surface: ServiceSurface, address: () => string, shared: SharedParts) {
	const { blobs, ledger, keys, controls } = shared;
	const { behaviour } = controls;
	const accounts = new Map<string, AccountName>([
		[keys.apiKey, 'main'],
		[keys.otherApiKey, 'other'],
	]);
	const traits = getTraits(surface, accounts, keys.bearer);
	const { selfHosted } = traits;
	const workers = (): number => (surface === 'self_hosted' ? Math.min(behaviour.workers, behaviour.engineConcurrency) : behaviour.workers);
	const assets = new AssetRecords({ selfHosted });
	return {
		...shared,
		surface,
		traits,
		behaviour,
		assets,
		/** Oldest first. */
		jobs: new Map<string, Job>(),
		runner: new JobRunner({ blobs, assets, ledger, behaviour, selfHosted, workers }),
		jobKeys: new IdempotencyKeys(),
		uploadKeys: new IdempotencyKeys(),
		/** Files that each account stores for the editor. */
		userFiles: { main: new UserFiles(), other: new UserFiles(), local: new UserFiles() },
		address,
	};
}

const BUSY_RETRY_AFTER_SECONDS = 1;

export interface JobOrder extends Pick<NewJob, 'id' | 'idempotencyKey' | 'metadata' | 'targets' | 'atFront' | 'editorFile'> {
	/** Valid. */
	graph: ApiGraph;
	partnerKey: PartnerKey | undefined;
	/** The surface in the ledger; the service's own by default. */
	orderedFrom?: RunSurface;
	/** How many jobs may be in flight already; any number by default. */
	queueLimit?: number;
}

/** Writes the ledger and queues a job. @throws Refusal, and then makes no job. */
export function startJob(service: Service, account: AccountName, order: JobOrder): Job {
	const { surface, ledger, runner, jobs } = service;
	const { graph, partnerKey, queueLimit = Infinity, orderedFrom = surface, ...rest } = order;
	if (runner.inFlight >= queueLimit) {
		throw new Refusal({ status: 429, code: 'queue_full', message: 'Too many jobs in flight', retryAfter: BUSY_RETRY_AFTER_SECONDS });
	}
	const job = new Job({ surface, account, graph, ...rest });
	jobs.set(job.id, job);
	if (partnerKey !== undefined) ledger.partnerKeys.push(digest(partnerKey.value));
	ledger.runs.push({
		jobId: job.id,
		surface: orderedFrom,
		account,
		idempotencyKey: job.idempotencyKey,
		partnerKeyField: partnerKey?.field,
		at: job.createdAt,
	});
	runner.enqueue(job);
	return job;
}
