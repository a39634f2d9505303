/** Everything the routes of one surface share. */
import type { GraphEngine } from '../graphEngine/types';
import type { LinkSigner } from '../storage/linkSigner';
import type { BlobStore } from '../store/blobs';
import type { UserFiles } from '../store/userFiles';
import type { Behaviour } from '../behaviour';
import type { Ledger } from '../ledger';
import type { AccountName, DeploymentState, ServiceSurface } from '../vocabulary';
import type { AssetRecords } from './assetRecords';
import type { IdempotencyKeys } from './idempotencyKeys';
import type { Job } from './job';
import type { JobRunner } from './jobRunner';
import { Refusal } from './refusal';
import type { Traits } from './traits';

/** Nobody knows whether a submission that got this answer made a job. */
export const UPSTREAM_UNREACHABLE = 'upstream_unreachable';

/** What a test turns while the sandbox runs; shared by all surfaces. */
export interface Controls {
	behaviour: Behaviour;
	/** An account that is not in it has no end of credits. */
	credits: Map<AccountName, number>;
	queueLimit: number;
	deploymentState: DeploymentState;
	/** Whether the proxy reaches its engine. */
	engineIsUp: boolean;
	/** Accounts whose subscription has ended. */
	unsubscribed: Set<AccountName>;
	/** Job id → the word that v1 says in place of its own. */
	v1Statuses: Map<string, string>;
}

export interface Service {
	surface: ServiceSurface;
	traits: Traits;
	controls: Controls;
	behaviour: Behaviour;
	ledger: Ledger;
	engine: GraphEngine;
	blobs: BlobStore;
	signer: LinkSigner;
	assets: AssetRecords;
	/** Oldest first. */
	jobs: Map<string, Job>;
	runner: JobRunner;
	jobKeys: IdempotencyKeys;
	uploadKeys: IdempotencyKeys;
	/** What an account keeps for the editor. */
	userFiles(account: AccountName): UserFiles;
	mountPrefix: string;
	/** Scheme, host and port. */
	address(): string;
}

/** @throws Refusal when the job is unknown, another account's, or past its retention: all alike. */
export function findJob(service: Service, account: AccountName, id: string): Job {
	const job = service.jobs.get(id);
	if (job === undefined || job.account !== account || job.expiresAt <= Date.now()) throw notFound(service, 'job');
	return job;
}

const isCutOff = ({ surface, controls }: Service): boolean => surface === 'self_hosted' && !controls.engineIsUp;

/** For what the proxy asks its engine about jobs. @throws Refusal while that does not answer. */
export function requireEngine(service: Service): void {
	if (isCutOff(service)) throw new Refusal({ status: 503, code: UPSTREAM_UNREACHABLE, message: 'ComfyUI does not answer' });
}

/** The same of files: there the proxy has no word of its own for it. */
export function requireEngineForFiles(service: Service): void {
	if (isCutOff(service)) throw new Refusal({ status: 500, code: 'upstream_error', message: 'Something went wrong' });
}

export function notFound({ behaviour, traits }: Service, what: 'job' | 'asset'): Refusal {
	const named = behaviour.notFoundCodes === 'service' && !traits.selfHosted;
	return new Refusal({ status: 404, code: named ? `${what}_not_found` : 'not_found', message: `No such ${what}` });
}
