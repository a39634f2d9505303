import type { IExecuteFunctions } from 'n8n-workflow';

import { type Connection, outcomeOf } from '../../../client';
import type { CredentialName, ServiceCredential } from '../credentials';
import { noted } from '../debugLog';
import { sharedConnectionLine } from '../messages/logLines';
import type { Doors, Operation, Patience } from '../operation';
import { chosenInterface, chosenCredential } from './chosenCredential';
import { egressOf } from './egress';
import { openConnection } from './openConnection';

/** One connection for each distinct credential and interface of a run; keep-alive sockets are shared by all items. */
export class Connections implements Doors<Connection, ServiceCredential> {
	private readonly opened = new Map<string, Promise<Connection>>();

	constructor(private readonly execution: IExecuteFunctions) {}

	async credentialOf(itemIndex: number, operation: Pick<Operation<never>, 'needsControl'>): Promise<ServiceCredential> {
		const name = this.execution.getNodeParameter('authentication', itemIndex) as CredentialName;
		const data = await this.execution.getCredentials(name, itemIndex);
		return chosenCredential(name, data, operation, () =>
			chosenInterface(name, this.execution.getNodeParameter('options.interface', itemIndex, 'automatic')),
		);
	}

	/** @throws ConnectionError; ApiError `unauthorized` for a key that cannot be sent; then it is tried anew for the next item. */
	async open(credential: ServiceCredential, patience: Patience): Promise<Connection> {
		const id = JSON.stringify(credential);
		if (this.opened.has(id)) noted(sharedConnectionLine);
		const opening = this.opened.get(id) ?? openConnection(credential, egressOf(this.execution), patience);
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
