/** What the router stores for an Idempotency-Key, for 24 hours from its first use. */
import { writeJson } from '../json';
import { digest } from '../ledger';
import type { AccountName } from '../vocabulary';
import type { Clock } from './routerParts';
import type { Generation } from './generations';

const RETENTION_MS = 24 * 60 * 60 * 1000;

export interface KeyRecord {
	/** A hash of the request: kind of call, model, query and body. */
	readonly fingerprint: string;
	readonly at: number;
	generation?: Generation;
	/** Whether a connection waits for its result. */
	isHeld: boolean;
	/** Whether its answer was sent. Later answers are replays. */
	isDelivered?: true;
	/** The queued request it made. */
	requestId?: string;
}

/** Accounts do not share keys. */
export class KeyRecords {
	readonly #records = new Map<string, KeyRecord>();

	constructor(private readonly clock: Clock) {}

	find(account: AccountName, key: string): KeyRecord | undefined {
		const record = this.#records.get(`${account} ${key}`);
		return record !== undefined && this.clock.now() - record.at < RETENTION_MS ? record : undefined;
	}

	claim(account: AccountName, key: string, fingerprint: string): KeyRecord {
		const record: KeyRecord = { fingerprint, at: this.clock.now(), isHeld: true };
		this.#records.set(`${account} ${key}`, record);
		return record;
	}

	/** Frees the key, because nothing was sent to a provider. */
	release(account: AccountName, key: string): void {
		this.#records.delete(`${account} ${key}`);
	}
}

interface KeyedRequest {
	kind: 'run' | 'queued';
	model: string;
	query: Record<string, string>;
	body: unknown;
}

export const fingerprintOf = ({ kind, model, query, body }: KeyedRequest): string =>
	digest(writeJson([kind, model, Object.entries(query).sort(([left], [right]) => (left < right ? -1 : 1)), body]));
