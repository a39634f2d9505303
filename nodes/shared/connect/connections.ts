import type { IExecuteFunctions } from 'n8n-workflow';

import { type Connection, outcomeOf, ServerContact } from '../../../client';
import type { CredentialName, ServiceCredential } from '../credentials';
import { noted } from '../debugLog';
import { sharedConnectionLine } from '../messages/logLines';
import type { Doors, Operation, Patience } from '../operation';
import { chosenInterface, chosenCredential } from './chosenCredential';
import { egressOf } from './egress';
import { openConnection } from './openConnection';

/** What the items of a run know of each server. */
export class ContactsOfRun {
	private readonly contacts = new Map<string, ServerContact>();

	/** @throws ConnectionError if the server has just not answered an earlier item of this run for the whole time. */
	get(id: string, waitForServerMs: number): ServerContact {
		const contact = this.contacts.get(id) ?? new ServerContact(waitForServerMs);
		this.contacts.set(id, contact);
		const failure = contact.takeFailure();
		if (failure !== undefined) throw failure;
		return contact;
	}
}

/** One connection for each distinct credential and interface of a run; keep-alive sockets are shared by all items. */
export class Connections implements Doors<Connection, ServiceCredential> {
	private readonly opened = new Map<string, Promise<Connection>>();
	private readonly contacts = new ContactsOfRun();

	constructor(private readonly execution: IExecuteFunctions) {}

	async credentialOf(itemIndex: number, operation: Pick<Operation<never>, 'needsControl'>): Promise<ServiceCredential> {
		const name = this.execution.getNodeParameter('authentication', itemIndex) as CredentialName;
		const data = await this.execution.getCredentials(name, itemIndex);
		return chosenCredential(name, data, operation, () =>
			chosenInterface(name, this.execution.getNodeParameter('options.interface', itemIndex, 'automatic')),
		);
	}

	/** @throws ConnectionError; ApiError `unauthorized` for a key that cannot be sent; then it is tried anew for the next item. */
	async open(credential: ServiceCredential, { signal, waitForServerMs }: Patience): Promise<Connection> {
		const id = JSON.stringify([credential, waitForServerMs]);
		const contact = this.contacts.get(id, waitForServerMs);
		if (this.opened.has(id)) noted(sharedConnectionLine);
		const opening = this.opened.get(id) ?? openConnection(credential, egressOf(this.execution), { signal, contact });
		this.opened.set(id, opening);
		const opened = await outcomeOf(opening);
		if (!opened.ok && this.opened.get(id) === opening) this.opened.delete(id);
		return await opening;
	}

	async close(): Promise<void> {
		const opened = await Promise.allSettled(this.opened.values());
		await Promise.all(opened.map(async (connection) => connection.status === 'fulfilled' && (await connection.value.close())));
	}
}
