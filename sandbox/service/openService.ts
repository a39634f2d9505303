/** Puts one surface of the service together. */
import { createGraphEngine } from '../graphEngine';
import type { LinkSigner } from '../storage/linkSigner';
import type { BlobStore } from '../store/blobs';
import { UserFiles } from '../store/userFiles';
import type { Ledger } from '../ledger';
import type { SandboxKeys } from '../types';
import type { AccountName, ServiceSurface } from '../vocabulary';
import { AssetRecords } from './assetRecords';
import { IdempotencyKeys } from './idempotencyKeys';
import { JobRunner } from './jobRunner';
import type { Controls, Service } from './service';
import { traitsOf } from './traits';

export interface SharedParts {
	blobs: BlobStore;
	signer: LinkSigner;
	ledger: Ledger;
	keys: SandboxKeys;
	/** Signs links and output ids. */
	secret: string;
	controls: Controls;
	mountPrefix: string;
}

/** Each surface has its own records, queue and engine; blobs, links, ledger and controls are common. */
export function openService(surface: ServiceSurface, address: () => string, shared: SharedParts): Service {
	const { blobs, signer, ledger, keys, secret, controls, mountPrefix } = shared;
	const accounts = new Map<string, AccountName>([
		[keys.apiKey, 'main'],
		[keys.otherApiKey, 'other'],
	]);
	const traits = traitsOf(surface, accounts, keys.bearer);
	const { selfHosted } = traits;
	const { behaviour } = controls;
	const engine = createGraphEngine({ samplerStepMs: () => behaviour.samplerStepMs });
	const workers = (): number => (surface === 'self_hosted' ? Math.min(behaviour.workers, behaviour.engineConcurrency) : behaviour.workers);
	const userFiles: Record<AccountName, UserFiles> = { main: new UserFiles(), other: new UserFiles(), local: new UserFiles() };
	const assets = new AssetRecords({ selfHosted, secret });
	return {
		surface,
		traits,
		controls,
		behaviour,
		ledger,
		engine,
		blobs,
		signer,
		assets,
		jobs: new Map(),
		runner: new JobRunner({ engine, blobs, assets, ledger, behaviour, selfHosted, workers }),
		jobKeys: new IdempotencyKeys(),
		uploadKeys: new IdempotencyKeys(),
		userFiles: (account) => userFiles[account],
		mountPrefix,
		address,
	};
}
