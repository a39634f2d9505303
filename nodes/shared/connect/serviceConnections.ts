import type { IExecuteFunctions } from 'n8n-workflow';

import { type Connection, outcomeOf, ServerContact } from '../../../client';
import type { CredentialName, ServiceCredential } from '../credentials';
import { logDecision } from '../debugLog';
import { sharedConnectionLine } from '../messages/logLines';
import type { ConnectionProvider, OpenLimits, Operation } from '../operation';
import { chosenInterface, outboundNetworkOf, openConnection, readChosenCredential } from './openConnection';

/** Items with the same credential and limits share a connection. */
export const toConnectionId = (credential: object, { waitForServerMs, lostAfterMs }: Omit<OpenLimits, 'signal'>): string =>
	JSON.stringify([credential, waitForServerMs, String(lostAfterMs)]);

/** Remembers for one run of a node which servers did not answer, so that only the first item waits for such a server. */
export class ServerContacts {
	private readonly contacts = new Map<string, ServerContact>();

	/**
	 * @param mayBeBusy as for `ServerContact`.
	 * @throws ConnectionError if an earlier item of this run has just waited for this server without an answer.
	 */
	get(id: string, { waitForServerMs, lostAfterMs }: Omit<OpenLimits, 'signal'>, mayBeBusy = false): ServerContact {
		const contact = this.contacts.get(id) ?? new ServerContact(waitForServerMs, { lostAfterMs, mayBeBusy });
		this.contacts.set(id, contact);
		const failure = contact.takeFailure();
		if (failure !== undefined) throw failure;
		return contact;
	}
}

/** One connection for each distinct credential and interface of a run. All items share its keep-alive sockets. */
export class ServiceConnections implements ConnectionProvider<Connection, ServiceCredential> {
	private readonly connections = new Map<string, Promise<Connection>>();
	private readonly contacts = new ServerContacts();

	constructor(private readonly execution: IExecuteFunctions) {}

	async readCredential(itemIndex: number, operation: Pick<Operation<never>, 'needsControl'>): Promise<ServiceCredential> {
		const name = this.execution.getNodeParameter('authentication', itemIndex) as CredentialName;
		const data = await this.execution.getCredentials(name, itemIndex);
		return readChosenCredential(name, data, operation, () =>
			chosenInterface(name, this.execution.getNodeParameter('options.interface', itemIndex, 'automatic')),
		);
	}

	/**
	 * Opens a connection, or returns the open one. If opening fails, the next item tries again.
	 * @throws ConnectionError; ApiError `unauthorized` for a key that cannot be sent.
	 */
	async open(credential: ServiceCredential, { signal, ...limits }: OpenLimits): Promise<Connection> {
		const id = toConnectionId(credential, limits);
		const contact = this.contacts.get(id, limits, credential.isOwnServer);
		if (this.connections.has(id)) logDecision(sharedConnectionLine);
		const opening = this.connections.get(id) ?? openConnection(credential, outboundNetworkOf(this.execution), { signal, contact });
		this.connections.set(id, opening);
		const opened = await outcomeOf(opening);
		if (!opened.ok && this.connections.get(id) === opening) this.connections.delete(id);
		return await opening;
	}

	async close(): Promise<void> {
		const opened = await Promise.allSettled(this.connections.values());
		await Promise.all(opened.map(async (connection) => connection.status === 'fulfilled' && (await connection.value.close())));
	}
}
