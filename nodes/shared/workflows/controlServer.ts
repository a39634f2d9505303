import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';

import { type Connection, outcomeOf, ServerContact, untilStopped } from '../../../client';
import { outboundNetworkOf, openConnection } from '../connect/openConnection';
import { type CredentialName, isDeployment, readControlCredential, type ServiceCredential } from '../credentials';
import { ItemFault } from '../itemFault';
import { wordsFor } from '../explain/wordsFor';
import type { ItemRun } from '../operation';

/** A server that has node definitions and saved workflows: an engine, or v1. v2 only runs jobs. */
export interface ControlServer {
	credential: ServiceCredential;
	/** Passes a connection to `work`. It is closed afterwards, unless jobs use it too. */
	use<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
}

/** What reading and converting a workflow needs, while an item runs or in the editor. */
export interface ConversionContext {
	/** Returns undefined for a deployment, which has no such server. */
	findControlServer(): Promise<ControlServer | undefined>;
	/** Fires when the workflow is no longer needed. */
	signal: AbortSignal;
	/** The date for file names. Each retry of an execution has the same one, so that a job can be recovered by its workflow. */
	startedAt?: Date;
}

/** Returns when the execution started, or the one that it retries. n8n before 1.120 does not report it. */
function readStart(execution: IExecuteFunctions): { startedAt?: Date } {
	const establishedAt = execution.getExecutionContext?.()?.establishedAt;
	return establishedAt === undefined ? {} : { startedAt: new Date(establishedAt) };
}

/** Returns the credential for the control server of a service whose jobs use v2. */
export const controlCredential = (name: CredentialName, data: ICredentialDataDecryptedObject): ServiceCredential | undefined =>
	isDeployment(name, data) ? undefined : readControlCredential(name, data);

/** Uses the connection of the jobs if it has control, and else opens one of its own for each use. @param signal limits it. */
export function conversionContext(
	{ execution, itemIndex, connection, credential, shutdownSignal }: ItemRun,
	signal = shutdownSignal,
): ConversionContext {
	const waitMs = connection.jobs.contactOf()?.waitMs;
	const findOtherServer = async (): Promise<ControlServer | undefined> => {
		const name = execution.getNodeParameter('authentication', itemIndex) as CredentialName;
		const other = controlCredential(name, await execution.getCredentials(name, itemIndex));
		if (other === undefined) return undefined;
		const use: ControlServer['use'] = async (work) => {
			const contact = waitMs === undefined ? undefined : new ServerContact(waitMs);
			const opened = await openConnection(other, outboundNetworkOf(execution), { signal, contact });
			try {
				return await untilStopped(work(opened), signal);
			} finally {
				await opened.close();
			}
		};
		return { credential: other, use };
	};
	const findControlServer = async (): Promise<ControlServer | undefined> =>
		connection.control === undefined
			? await findOtherServer()
			: { credential, use: async (work) => await untilStopped(work(connection), signal) };
	return { findControlServer, signal, ...readStart(execution) };
}

/**
 * Does work for an item on its control server.
 * @throws ItemFault for an error of that server, if another one runs the jobs: the message names the address of the control server.
 */
export async function useControlServer<T>(item: ItemRun, server: ControlServer, work: (connection: Connection) => Promise<T>): Promise<T> {
	const done = await outcomeOf(server.use(work));
	if (done.ok) return done.value;
	if (item.shutdownSignal.aborted || server.credential === item.credential) throw done.error;
	throw new ItemFault(wordsFor(done.error, server.credential));
}
