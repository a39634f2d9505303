import { startSandbox, type Sandbox } from '../../../sandbox';
import {
	importCredentials,
	importWorkflow,
	N8nRest,
	type Execution,
	type SavedCredential,
	type WorkflowDocument,
} from '../../../scripts/n8nHost';
import { freePorts } from '../../../scripts/n8nHost/processes';
import { sandboxCredentials } from '../../../scripts/sandboxCredentials';
import { type HostState, sharedHostState } from './hostState';
import { TRIGGER } from './workflows';

/** A suite's view of the one running n8n: its own sandbox, and credentials for it. */
export interface Session {
	rest: N8nRest;
	/** The one that is up; the latest while none is. */
	readonly sandbox: Sandbox;
	credentials: SavedCredential[];
	/** Imports the workflow, runs it from its manual trigger and waits for its end. */
	execute(document: WorkflowDocument, trigger?: string): Promise<Execution>;
	/** The same, but returns the execution's id as soon as it runs. */
	start(document: WorkflowDocument, trigger?: string, credentials?: SavedCredential[]): Promise<string>;
	/** Nothing answers at the sandbox's addresses any more. */
	takeDown(): Promise<void>;
	/** A new sandbox, without any jobs, at the same addresses and with the same keys. */
	bringUp(): Promise<void>;
	close(): Promise<void>;
}

const SANDBOX_PORTS = 7;

/** @param host the shared n8n, unless a suite has one of its own. */
export async function openSession({ url, session }: Pick<HostState, 'url' | 'session'> = sharedHostState()): Promise<Session> {
	const rest = new N8nRest(url, session);
	const port = await freePorts(SANDBOX_PORTS);
	let sandbox = await startSandbox({ port });
	const credentials = await importCredentials(rest, sandboxCredentials(sandbox));

	const start: Session['start'] = async (document, trigger = TRIGGER, used = credentials) =>
		await rest.run(await importWorkflow(rest, document, used), trigger);
	const takeDown = async (): Promise<void> => await sandbox.close();
	return {
		rest,
		get sandbox() {
			return sandbox;
		},
		credentials,
		start,
		execute: async (document, trigger) => await rest.waitFor(await start(document, trigger)),
		takeDown,
		bringUp: async () => {
			sandbox = await startSandbox({ port, keys: sandbox.keys });
		},
		close: takeDown,
	};
}
