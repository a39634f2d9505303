/** What is kept under an Idempotency-Key, for 24 hours from its first use. */
import { writeJson } from '../json';
import { digest } from '../ledger';
import type { AccountName } from '../vocabulary';
import type { Clock } from './routerParts';
import type { Generation } from './generations';

const RETENTION_MS = 24 * 60 * 60 * 1000;

export interface KeyRecord {
	/** Of what was asked with the key: kind of call, model, query and body. */
	readonly fingerprint: string;
	readonly at: number;
	generation?: Generation;
	/** A connection is held open for it. */
	attended: boolean;
	/** When its answer was first sent, so that sending it again is a replay. */
	deliveredAt?: number;
	/** Why its answer cannot be told again. */
	unreplayable?: string;
	/** The queued request it made. */
	requestId?: string;
}

/** Keys are those of a workspace: another account's are others. */
export class Records {
	readonly #records = new Map<string, KeyRecord>();

	constructor(private readonly clock: Clock) {}

	find(account: AccountName, key: string): KeyRecord | undefined {
		const record = this.#records.get(`${account} ${key}`);
		return record !== undefined && this.clock.now() - record.at < RETENTION_MS ? record : undefined;
	}

	claim(account: AccountName, key: string, fingerprint: string): KeyRecord {
		const record: KeyRecord = { fingerprint, at: this.clock.now(), attended: true };
		this.#records.set(`${account} ${key}`, record);
		return record;
	}

	/** Frees the key: nothing was sent to a provider. */
	release(account: AccountName, key: string): void {
		this.#records.delete(`${account} ${key}`);
	}
}

interface Asked {
	kind: 'run' | 'queued';
	model: string;
	query: Record<string, string>;
	body: unknown;
}

export const fingerprintOf = ({ kind, model, query, body }: Asked): string =>
	digest(writeJson([kind, model, Object.entries(query).sort(([left], [right]) => (left < right ? -1 : 1)), body]));
