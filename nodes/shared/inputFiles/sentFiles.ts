import { type Connection, getOrLoad } from '../../../client';
import { noted } from '../debugLog';
import { sentBeforeLine } from '../messages/logLines';

/** What has been done for the items of a run; what is under way is waited for by all that need it. */
class SentFiles {
	private readonly doings = new Map<string, Promise<unknown>>();

	/** @param key must tell the kind of work too. What has failed is tried anew by the next who asks. */
	async once<T>(key: string, work: () => Promise<T>): Promise<T> {
		if (this.doings.has(key)) noted(sentBeforeLine);
		return await getOrLoad(this.doings as Map<string, Promise<T>>, key, work);
	}
}

const sent = new WeakMap<Connection, SentFiles>();

/** By connection: there is one for each credential of a run, and another try of the node has others. */
export function sentFiles(connection: Connection): SentFiles {
	const known = sent.get(connection) ?? new SentFiles();
	sent.set(connection, known);
	return known;
}
