import { Cache } from '../cache/cache';

/** A rejection may have another cause, and servers are updated. So a service is asked again after this time. */
const TTL_MS = 60 * 60 * 1000;
const MOST_ENTRIES = 1_000;

/** What services are known to support or to lack, by name: optional routes, or the services that accept an optional field. */
export class SupportMemory<Name extends string = string> {
	private readonly known = new Cache<Name, boolean>({ mostEntries: MOST_ENTRIES, ttlMs: TTL_MS });

	/** @returns undefined if it is not known. */
	isSupported(name: Name): boolean | undefined {
		return this.known.get(name);
	}

	note(name: Name, isSupported: boolean): void {
		this.known.set(name, isSupported);
	}
}
