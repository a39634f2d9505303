import { ItemFault } from '../itemFault';
import type { Words } from './words';

/** A server of a pool, as messages name it. */
export interface NamedServer {
	address: string;
	/** The field in which it is entered. */
	field: string;
}

const CREDENTIAL = 'the Comfy Self-Hosted API credential';

const named = ({ address, field }: NamedServer): string => `${address} (${field})`;

export const enteredTwice = ({ address, field }: NamedServer, again: NamedServer): ItemFault =>
	new ItemFault(
		`${address} is entered twice: in ${field} and in ${again.field}`,
		`Remove one of them in ${CREDENTIAL}. Enter each ComfyUI only once.`,
	);

export const sameServer = (one: NamedServer, other: NamedServer): ItemFault =>
	new ItemFault(
		`${named(one)} and ${named(other)} are the same ComfyUI`,
		`Remove one of them in ${CREDENTIAL}. Both addresses report the same version, devices and latest jobs.`,
	);

/** A server that responds. The version is null if it does not report one. */
export type RespondingServer = NamedServer & { version: string | null };

const describe = ({ address, version }: RespondingServer): string => `${address} (${version === null ? 'ComfyUI' : `ComfyUI ${version}`})`;

const listServers = (servers: readonly RespondingServer[]): string => servers.map(describe).join(', ');

/** @param failed the servers that cannot be used, and the words for their errors. */
export function serversFailed(failed: ReadonlyArray<NamedServer & Words>, responding: readonly RespondingServer[]): ItemFault {
	const reasons = failed.map((server) => `${named(server)}: ${[server.message, server.advice].filter(Boolean).join('. ')}`);
	const others = responding.length === 0 ? 'No server responds.' : `These servers respond: ${listServers(responding)}.`;
	return new ItemFault(
		`${failed.length} of ${failed.length + responding.length} servers cannot be used`,
		[...reasons.map((reason) => reason.replace(/\.?$/, '.')), others].join(' '),
	);
}

/** Returns the result of a test in which all servers respond. */
export function allRespond(servers: readonly RespondingServer[]): string {
	const versions = new Set(servers.map(({ version }) => version));
	const list = `${servers.length} servers respond: ${listServers(servers)}`;
	return versions.size === 1
		? list
		: `${list}. Their versions differ, so the same workflow can give different results. Use the same version on all servers`;
}
