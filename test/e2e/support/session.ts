import { type Sandbox, startSandbox } from '../../../sandbox';
import {
	type Execution,
	importCredentials,
	importWorkflow,
	type SavedCredential,
	type WorkflowDocument,
} from '../../../scripts/n8nHost/documents';
import { N8nRest } from '../../../scripts/n8nHost/rest';
import { sandboxCredentials } from '../../../scripts/sandboxCredentials';
import { type HostState, sharedHostState } from './host';
import { TRIGGER } from './workflows';

/** A suite's view of the one running n8n: its own sandbox, and credentials for it. */
export interface Session {
	rest: N8nRest;
	sandbox: Sandbox;
	credentials: SavedCredential[];
	/** Imports the workflow, runs it from its manual trigger and waits for its end. */
	execute(document: WorkflowDocument, trigger?: string): Promise<Execution>;
	/** The same, but returns the execution's id as soon as it runs. */
	start(document: WorkflowDocument, trigger?: string, credentials?: SavedCredential[]): Promise<string>;
	close(): Promise<void>;
}

/** @param host the shared n8n by default. */
export async function openSession({ url, session }: Pick<HostState, 'url' | 'session'> = sharedHostState()): Promise<Session> {
	const rest = new N8nRest(url, session);
	const sandbox = await startSandbox();
	const credentials = await importCredentials(rest, sandboxCredentials(sandbox));
	const start: Session['start'] = async (document, trigger = TRIGGER, used = credentials) =>
		await rest.run(await importWorkflow(rest, document, used), trigger);
	return {
		rest,
		sandbox,
		credentials,
		start,
		execute: async (document, trigger) => await rest.waitFor(await start(document, trigger)),
		close: async () => await sandbox.close(),
	};
}

/** Submits a job as another client of the account. @returns its id. */
export async function submitJob({ urls, keys }: Sandbox, workflow: object, surface: 'hosted' | 'deployment' = 'hosted'): Promise<string> {
	const answer = await fetch(`${urls[surface]}/api/v2/jobs`, {
		method: 'POST',
		headers: { authorization: `Bearer ${keys.apiKey}`, 'content-type': 'application/json' },
		body: JSON.stringify({ workflow }),
	});
	if (!answer.ok) throw new Error(`The sandbox refused a job: ${answer.status} ${await answer.text()}`);
	return ((await answer.json()) as { id: string }).id;
}
