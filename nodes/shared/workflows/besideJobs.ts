import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';

import { type Connection, ServerContact, untilStopped } from '../../../client';
import { openConnection } from '../connect/openConnection';
import { egressOf } from '../connect/egress';
import { type CredentialName, isDeployment, readControlCredential, type ServiceCredential } from '../credentials';
import type { ItemContext } from '../operation';

/** What tells of nodes and keeps workflows: an engine, or v1. v2 only runs jobs. */
export interface Beside {
	credential: ServiceCredential;
	/** Hangs up afterwards where it is not what the jobs are sent to. */
	ask<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
}

/** Whoever wants a workflow: an item that runs, or a node that is being set up. */
export interface Asker {
	/** Undefined where there is nothing but jobs: beside a deployment. */
	beside(): Promise<Beside | undefined>;
	/** Nobody waits any more. */
	signal: AbortSignal;
	/** What dates in names of files are of: the same in every retry of an execution, or its job would not be found by its workflow. */
	began?: Date;
}

/** When the execution began, or the one that it is a retry of. n8n before 1.120 does not say. */
function beganAt(execution: IExecuteFunctions): { began?: Date } {
	const establishedAt = execution.getExecutionContext?.()?.establishedAt;
	return establishedAt === undefined ? {} : { began: new Date(establishedAt) };
}

/** The credential to ask with, beside one whose jobs go over v2. */
export const besideCredential = (name: CredentialName, data: ICredentialDataDecryptedObject): ServiceCredential | undefined =>
	isDeployment(name, data) ? undefined : readControlCredential(name, data);

export type Asking = Pick<ItemContext<unknown>, 'execution' | 'itemIndex' | 'connection' | 'credential' | 'leaving'>;

export function askerAtRun({ execution, itemIndex, connection, credential, leaving: signal }: Asking): Asker {
	const waitMs = connection.jobs.contact?.waitMs;
	const openOther = async (): Promise<Beside | undefined> => {
		const name = execution.getNodeParameter('authentication', itemIndex) as CredentialName;
		const other = besideCredential(name, await execution.getCredentials(name, itemIndex));
		if (other === undefined) return undefined;
		const ask: Beside['ask'] = async (work) => {
			const contact = waitMs === undefined ? undefined : new ServerContact(waitMs);
			const opened = await openConnection(other, egressOf(execution), { signal, contact });
			try {
				return await untilStopped(work(opened), signal);
			} finally {
				await opened.close();
			}
		};
		return { credential: other, ask };
	};
	const beside = async () =>
		connection.control === undefined
			? await openOther()
			: { credential, ask: async <T>(work: (connection: Connection) => Promise<T>) => await untilStopped(work(connection), signal) };
	return { beside, signal, ...beganAt(execution) };
}
