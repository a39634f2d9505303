import type { LookupFunction } from 'node:net';

import type { Carrier } from './carrier';
import { isLinkLocal, withoutLinkLocal } from './linkLocal';
import { connectionError, lookupTrouble } from './trouble';

/** Where calls may go, and by what. */
export interface Egress {
	/** For http, in place of connections of our own. */
	carrier?: Carrier;
	lookup?: LookupFunction;
	/** Rejects addresses that must not be called; asked before every hop. */
	validateUrl?: (url: URL) => Promise<void>;
}

/**
 * @param enteredHost the host that the user entered, which may be link-local.
 * @throws ConnectionError `invalid_address`, `blocked` or `link_local`.
 */
export async function checkAddress(url: URL, { validateUrl }: Egress, enteredHost?: string): Promise<void> {
	if (url.protocol !== 'http:' && url.protocol !== 'https:') throw connectionError('invalid_address', { origin: url.protocol });
	try {
		// Without the query: a signed link's, or a key, would end up in the filter's own error.
		await validateUrl?.(new URL(url.origin + url.pathname));
	} catch (cause) {
		throw connectionError('blocked', { origin: url.origin, cause });
	}
	if (url.hostname !== enteredHost && isLinkLocal(url.hostname)) throw connectionError('link_local', { origin: url.origin });
}

/** The lookup of every connection. Refusals of the given lookup are told from those of DNS. */
export function guardedLookup({ lookup }: Egress, enteredHost: string | undefined): LookupFunction {
	if (!lookup) return withoutLinkLocal(undefined, enteredHost);
	const reported: LookupFunction = (hostname, options, callback) =>
		lookup(hostname, options, (error, ...found) => callback(error && lookupTrouble(error, hostname), ...found));
	return withoutLinkLocal(reported, enteredHost);
}
