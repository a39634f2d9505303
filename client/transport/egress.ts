import type { LookupFunction } from 'node:net';

import type { Carrier } from './carrier';
import { connectionError, lookupTrouble } from './trouble';

/** Where calls may go, and by what. */
export interface Egress {
	/** For http, in place of connections of our own. */
	carrier?: Carrier;
	lookup?: LookupFunction;
	/** Rejects addresses that must not be called; asked before every hop. */
	validateUrl?: (url: URL) => Promise<void>;
}

/** @throws ConnectionError `invalid_address` or `blocked`. */
export async function checkAddress(url: URL, { validateUrl }: Egress): Promise<void> {
	if (url.protocol !== 'http:' && url.protocol !== 'https:') throw connectionError('invalid_address', { origin: url.protocol });
	try {
		// Without the query: a signed link's, or a key, would end up in the filter's own error.
		await validateUrl?.(new URL(url.origin + url.pathname));
	} catch (cause) {
		throw connectionError('blocked', { origin: url.origin, cause });
	}
}

/** The look-up as an option of a connection, its refusals told from those of DNS. */
export function guardedLookup({ lookup }: Egress): { lookup?: LookupFunction } {
	if (!lookup) return {};
	return {
		lookup: (hostname, options, callback) =>
			lookup(hostname, options, (error, ...found) => callback(error && lookupTrouble(error, hostname), ...found)),
	};
}
