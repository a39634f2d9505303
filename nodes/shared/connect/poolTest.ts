import { findServer, type OutboundNetwork, outcomeOf, parseBaseUrl } from '../../../client';
import { serversOf, type ServiceCredential } from '../credentials';
import { wordsFor } from '../explain/wordsFor';
import { ItemFault } from '../itemFault';
import { messages } from '../messages/catalogue';
import { allRespond, type NamedServer, type RespondingServer } from '../messages/topics/credentials';
import { inOneText } from '../messages/words';
import { isSameServer, type ServerFacts } from './isSameServer';
import { requireEngine, serverSettings } from './openConnection';
import { ServerRecognition } from './recognizeServer';

/** So many jobs are compared to find out whether two addresses lead to the same server. */
const COMPARED_JOBS = 3;

/** @throws ConnectionError `invalid_address`. */
function nameOf({ baseUrl, addressLabel }: ServiceCredential): NamedServer {
	const { origin, prefix } = parseBaseUrl(baseUrl);
	return { address: origin + prefix, field: addressLabel };
}

/** Calls `compare` with each two of the values. */
function forEachPair<T>(values: readonly T[], compare: (one: T, other: T) => void): void {
	for (const [index, other] of values.entries()) {
		for (const one of values.slice(0, index)) compare(one, other);
	}
}

function rejectSameAddress(servers: readonly ServiceCredential[]): void {
	forEachPair(servers.map(nameOf), (one, other) => {
		if (one.address === other.address) throw new ItemFault(messages.POOL_ADDRESS_TWICE(one, other));
	});
}

/** @throws the errors of `findServer` and of its reads. A server may hide its history. */
async function readFacts(server: ServiceCredential, outboundNetwork: OutboundNetwork, patienceMs: number): Promise<ServerFacts> {
	const found = await findServer(serverSettings({ ...server, needsEngine: true }, outboundNetwork), { patienceMs });
	try {
		const { maintenance, records } = requireEngine(found.connection, 'report its versions and memory');
		const [info, history] = await Promise.all([maintenance.info(), outcomeOf(records.recent(COMPARED_JOBS))]);
		return { info, newestJobIds: history.ok ? history.value.map(({ job }) => job.job_id) : [] };
	} finally {
		await found.connection.close();
	}
}

/**
 * Tests all servers of a pool at the same time.
 * @param patienceMs how long to look for a server that does not respond, in milliseconds.
 * @returns the words for servers that all respond.
 * @throws ItemFault if a server fails, or is entered twice by its address or by another name; ConnectionError `invalid_address`
 *   for the address of the first server.
 */
export async function testPool(credential: ServiceCredential, outboundNetwork: OutboundNetwork, patienceMs: number): Promise<string> {
	const servers = serversOf(credential);
	rejectSameAddress(servers);
	const recognition = new ServerRecognition(outboundNetwork);
	const results = await Promise.all(
		servers.map(async (server) => {
			const facts = await outcomeOf(readFacts(server, outboundNetwork, patienceMs));
			if (facts.ok) return { ...nameOf(server), version: facts.value.info.comfyui_version, facts: facts.value };
			return { ...nameOf(server), reason: inOneText(wordsFor(await recognition.addProduct(facts.error, server), server)) };
		}),
	);
	const responding = results.filter((result): result is RespondingServer & { facts: ServerFacts } => 'facts' in result);
	const failed = results.filter((result) => 'reason' in result);
	if (failed.length > 0) throw new ItemFault(messages.POOL_SERVERS_FAILED(failed, responding));
	forEachPair(responding, (one, other) => {
		if (isSameServer(one.facts, other.facts)) throw new ItemFault(messages.POOL_SERVER_TWICE(one, other));
	});
	return allRespond(responding);
}
