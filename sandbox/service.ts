/** Puts one surface of the service together. */
import { createGraphEngine } from './graphEngine';
import type { LinkSigner } from './storage/links';
import type { BlobStore } from './store/blobs';
import type { AccountName, Ledger, SandboxKeys, ServiceSurface } from './types';
import { AssetRecords } from './v2/assets/records';
import { IdempotencyKeys } from './v2/idempotency';
import { JobRunner } from './v2/jobs/runner';
import type { Controls, Service } from './v2/service';
import { traitsOf } from './v2/traits';

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
		mountPrefix,
		address,
	};
}
