import type { IDataObject } from 'n8n-workflow';

import { ComfyError, outcomeOf, type ServerConnection, StoppedError, toPoolError, withScheme } from '../../client';
import { plainAddress } from '../shared/credentials';
import { warnOnce } from '../shared/hints';
import { wordsFor } from '../shared/explain/wordsFor';
import { ItemFault } from '../shared/itemFault';
import { messages } from '../shared/messages/catalogue';
import { inOneText } from '../shared/messages/words';
import type { ItemRun, ItemResult } from '../shared/operation';
import { option, readOptions } from '../shared/options';
import type { ReadParameter } from '../shared/parameters';

/** Operations on one server, or on each server of a credential with *Several ComfyUIs*. */

export interface ServerChoice {
	/** The entered address. Empty for all servers. */
	server: string;
}

export const serverField = option(
	{
		displayName: 'Server',
		name: 'server',
		type: 'string',
		default: '',
		placeholder: 'e.g. http://gpu2:8188',
		description: 'Address of the server to use, if the credential contains several ComfyUIs. If it is empty, all of them are used.',
	},
	(entered = '') => String(entered).trim(),
);

export const readServer = (read: ReadParameter): ServerChoice => readOptions({ server: serverField }, read);

/** A server that an operation uses. `address` is absent if the credential has only one server. */
interface ChosenServer {
	address?: string;
	open(): Promise<ServerConnection>;
}

/** @throws ItemFault if the entered address is not one of the credential. */
function chooseServers({ connection, credential, signal }: ItemRun, entered: string): ChosenServer[] {
	const { isOwnServer = false, baseUrl, engineUrl } = credential;
	const wanted = plainAddress(withScheme(entered, isOwnServer ? 'http' : 'https'));
	const isWanted = (address: string): boolean => entered === '' || (wanted !== undefined && wanted === plainAddress(address));
	if (!('members' in connection)) {
		const addresses = [baseUrl, engineUrl].filter((address) => address !== '');
		if (!addresses.some(isWanted)) throw new ItemFault(messages.SERVER_NOT_THE_ONLY_ONE(entered, addresses));
		return [{ open: () => Promise.resolve(connection) }];
	}
	const { members } = connection;
	const chosen = members.filter(({ address }) => isWanted(address));
	const known = members.map(({ address }) => address);
	if (chosen.length === 0) throw new ItemFault(messages.SERVER_NOT_IN_CREDENTIAL(entered, known));
	return chosen.map((member) => ({ address: member.address, open: async () => await member.open({ signal }) }));
}

/** Returns the same error with the server that it comes from. */
function nameServer(error: unknown, address: string | undefined): unknown {
	if (error instanceof ComfyError) error.server ??= address;
	return error;
}

interface ServerResults<T> {
	/** In the order of the credential. `address` is absent if the credential has only one server. */
	results: Array<{ address?: string; value: T }>;
	/** For an agent, which sees no hints: an item for each server that failed. */
	notes: IDataObject[];
}

/**
 * Runs `work` on the chosen servers at the same time. If some of them fail, a hint reports each one.
 * @throws ItemFault if the entered address is not one of the credential. If all servers fail, one error for all of them.
 */
export async function runOnServers<T>(
	item: ItemRun,
	{ server: entered }: ServerChoice,
	work: (connection: ServerConnection) => Promise<T>,
): Promise<ServerResults<T>> {
	const { credential, execution, isTool } = item;
	const outcomes = await Promise.all(
		chooseServers(item, entered).map(async ({ address, open }) => ({ address, outcome: await outcomeOf(open().then(work)) })),
	);
	const failures = outcomes.flatMap(({ address, outcome }) =>
		outcome.ok ? [] : [{ address: address ?? '', error: nameServer(outcome.error, address) }],
	);
	const stopped = failures.find(({ error }) => error instanceof StoppedError);
	if (stopped !== undefined) throw stopped.error;
	if (failures.length === outcomes.length) throw toPoolError(failures.map(({ error }) => error));
	const hints = failures.map(({ address, error }) => ({
		address,
		hint: messages.RESULTS_WITHOUT_SERVER(address, wordsFor(error, credential)),
	}));
	for (const { hint } of hints) warnOnce(execution, hint);
	return {
		results: outcomes.flatMap(({ address, outcome }) => (outcome.ok ? [{ address, value: outcome.value }] : [])),
		notes: isTool ? hints.map(({ address: server, hint }) => ({ server, note: inOneText(hint) })) : [],
	};
}

/** Returns the item with its server, after the id of the job if it has one. */
const addServer = (json: IDataObject, server: string): IDataObject => ({
	...('job_id' in json && { job_id: json.job_id }),
	server,
	...json,
});

/**
 * Runs work like `runOnServers`, and collects the items that it returns.
 * @param limit the largest number of items, without those for servers that failed.
 * @returns the items of all servers, with the field `server` if the credential has several.
 */
export async function collectFromServers(
	item: ItemRun,
	choice: ServerChoice,
	work: (connection: ServerConnection) => Promise<IDataObject | IDataObject[]>,
	limit = Infinity,
): Promise<ItemResult[]> {
	const { results, notes } = await runOnServers(item, choice, work);
	const items = results.flatMap(({ address, value }) =>
		[value].flat().map((json) => (address === undefined ? json : addServer(json, address))),
	);
	return [...notes, ...items.slice(0, limit)].map((json) => ({ json }));
}
