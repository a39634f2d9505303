import { setTimeout as delay } from 'node:timers/promises';
import type {
	CredentialDocument,
	Execution,
	ExecutionData,
	Item,
	SavedCredential,
	SavedWorkflow,
	WorkflowDocument,
	WorkflowNode,
} from './documents';
import { hasEnded } from './documents';

/** The owner of every n8n started here: it lives on the loopback, in a folder that is thrown away. */
export const OWNER = { email: 'owner@example.com', password: 'Passw0rd123', firstName: 'Own', lastName: 'Er' };

/** n8n binds a session to this header. The editor reads it from the storage of the browser. */
export const BROWSER_ID = 'n8n-nodes-comfy';
const POLL_INTERVAL_MS = 200;
const LOOKS_FOR_RETRY_EVERY_MS = 5_000;

interface CredentialTestResult {
	status: 'OK' | 'Error';
	message: string;
}

/** What the editor sends to n8n to show a list or a form of a node. */
export interface EditedNode {
	/** The parameter's own name. */
	parameter: string;
	methodName: string;
	node: WorkflowNode;
}

interface ListPage {
	results: Array<{ name: string; value: string }>;
	paginationToken?: string;
}

interface MapperFields {
	fields: Array<{
		id: string;
		displayName: string;
		type?: string;
		required: boolean;
		defaultValue?: unknown;
		options?: Array<{ name: string; value: unknown }>;
	}>;
	emptyFieldsNotice?: string;
}

interface PublicationStatus {
	status: 'in_progress' | 'not_published' | 'published' | 'partial' | 'failed';
	triggers: Array<{ nodeId: string; status: string; errorMessage: string | null }>;
}

/** A package that a user has installed. */
interface CommunityPackage {
	packageName: string;
	installedVersion: string;
	installedNodes: Array<{ type: string }>;
	/** A newer version, if the registry has one. */
	updateAvailable?: string;
}

const dynamicRequest = ({ parameter, methodName, node: { type, typeVersion, parameters, credentials } }: EditedNode) => ({
	path: `parameters.${parameter}`,
	methodName,
	nodeTypeAndVersion: { name: type, version: typeVersion },
	currentNodeParameters: parameters,
	credentials,
});

/** The part of n8n's editor interface that the demo and the tests use. Every method throws for an answer that is no 2xx. */
export class N8nRest {
	/** @param cookie the session of another client of the same n8n: signing in again is then not needed. */
	constructor(
		readonly url: string,
		private cookie = '',
	) {}

	get session(): string {
		return this.cookie;
	}

	/** Signs in as the owner, who is made on the first start. */
	async signIn(): Promise<void> {
		const settings = await this.send<{ userManagement: { showSetupOnFirstLoad?: boolean } }>('GET', '/settings');
		if (settings.userManagement.showSetupOnFirstLoad) await this.send('POST', '/owner/setup', OWNER);
		else await this.send('POST', '/login', { emailOrLdapLoginId: OWNER.email, password: OWNER.password });
	}

	createWorkflow(document: WorkflowDocument): Promise<SavedWorkflow> {
		return this.send('POST', '/workflows', { ...document, settings: { executionOrder: 'v1', ...document.settings } });
	}

	activate({ id, versionId }: SavedWorkflow): Promise<unknown> {
		return this.send('POST', `/workflows/${id}/activate`, { versionId });
	}

	deactivate({ id }: SavedWorkflow): Promise<unknown> {
		return this.send('POST', `/workflows/${id}/deactivate`, {});
	}

	/** Whether its triggers run: activating succeeds also when they do not. */
	publicationStatus({ id }: SavedWorkflow): Promise<PublicationStatus> {
		return this.send('GET', `/workflows/${id}/publication-status`);
	}

	/** Starts a saved workflow from one of its triggers, as the editor does. @param items the output of the trigger, for example of a chat. @returns the id of the execution. */
	async run(workflow: SavedWorkflow, triggerName: string, items?: Item[]): Promise<string> {
		const data = items && {
			startTime: Date.now(),
			executionIndex: 0,
			executionTime: 0,
			executionStatus: 'success',
			source: [],
			data: { main: [items] },
		};
		const body = { workflowData: workflow, triggerToStartFrom: { name: triggerName, ...(data && { data }) } };
		return (await this.send<{ executionId: string }>('POST', `/workflows/${workflow.id}/run`, body)).executionId;
	}

	async execution(id: string): Promise<Execution> {
		const answer = await this.send<Omit<Execution, 'data'> & { data: string }>('GET', `/executions/${id}`);
		const { parse } = await import('flatted');
		return { ...answer, data: parse(answer.data) as ExecutionData };
	}

	/** The workflow's latest executions, a hundred at most, newest first, without their data. */
	async executions(workflowId: string): Promise<Array<Pick<Execution, 'id' | 'status' | 'mode' | 'retryOf'>>> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		return (await this.send<{ results: Execution[] }>('GET', `/executions?limit=100&filter=${filter}`)).results;
	}

	/** Resolves once the execution is over, or as soon as `until` says so. */
	async waitFor(id: string, { timeoutMs = 120_000, until = hasEnded } = {}): Promise<Execution> {
		const deadline = Date.now() + timeoutMs;
		for (;;) {
			const execution = await this.execution(id);
			if (until(execution)) return execution;
			if (Date.now() > deadline) throw new Error(`Execution ${id} is still ${execution.status} after ${timeoutMs} ms`);
			await delay(POLL_INTERVAL_MS);
		}
	}

	stop(executionId: string): Promise<unknown> {
		return this.send('POST', `/executions/${executionId}/stop`, {});
	}

	/** As *Retry with original workflow* in the list of executions. Resolves when the new one has ended, or waits; returns its id. */
	async retry(executionId: string): Promise<string> {
		const { workflowId } = await this.execution(executionId);
		const retries = async () => (await this.executions(workflowId)).filter(({ retryOf }) => retryOf === executionId);
		const known = (await retries()).map(({ id }) => id);
		const answered = this.send<{ id: string }>('POST', `/executions/${executionId}/retry`, { loadWorkflow: false });
		for (;;) {
			const answer = await Promise.race([answered, delay(LOOKS_FOR_RETRY_EVERY_MS, undefined, { ref: false })]);
			if (answer !== undefined) return answer.id;
			// In queue mode n8n 2.40 never answers where a worker has ended it before main began to listen for that.
			const missed = (await retries()).find(
				(execution) => !known.includes(execution.id) && (hasEnded(execution) || execution.status === 'waiting'),
			);
			if (missed !== undefined) return missed.id;
		}
	}

	createCredential(document: CredentialDocument): Promise<SavedCredential> {
		return this.send('POST', '/credentials', document);
	}

	credentials(): Promise<SavedCredential[]> {
		return this.send('GET', '/credentials');
	}

	deleteCredential({ id }: SavedCredential): Promise<unknown> {
		return this.send('DELETE', `/credentials/${id}`);
	}

	testCredential(credentials: SavedCredential & { data: CredentialDocument['data'] }): Promise<CredentialTestResult> {
		return this.send('POST', '/credentials/test', { credentials });
	}

	/** A page of what a resource locator lists. */
	listResults(edited: EditedNode, more: { filter?: string; paginationToken?: string } = {}): Promise<ListPage> {
		return this.send('POST', '/dynamic-node-parameters/resource-locator-results', { ...dynamicRequest(edited), ...more });
	}

	/** The fields of a resource mapper. */
	mapperFields(edited: EditedNode): Promise<MapperFields> {
		return this.send('POST', '/dynamic-node-parameters/resource-mapper-fields', dynamicRequest(edited));
	}

	/** A file that a node has put into n8n's store, by the `id` of the item's binary field. */
	async binary(id: string): Promise<Buffer> {
		const answer = await this.fetch('GET', `/binary-data?id=${encodeURIComponent(id)}&action=download`);
		return Buffer.from(await answer.arrayBuffer());
	}

	/** As *Settings > Community nodes > Install*: the latest version. */
	installPackage(name: string): Promise<CommunityPackage> {
		return this.send('POST', '/community-packages', { name });
	}

	/** As *Update* next to a package. */
	updatePackage(name: string): Promise<CommunityPackage> {
		return this.send('PATCH', '/community-packages', { name });
	}

	/** As *Uninstall package* in the menu next to a package. */
	uninstallPackage(name: string): Promise<unknown> {
		return this.send('DELETE', `/community-packages?name=${encodeURIComponent(name)}`);
	}

	/** Whether n8n can show and run this type of node. */
	async hasNodeType(type: string): Promise<boolean> {
		const answer = await fetch(`${this.url}/types/nodes.json`, { headers: { 'browser-id': BROWSER_ID, cookie: this.cookie } });
		if (!answer.ok) throw new Error(`n8n answered ${answer.status} to GET /types/nodes.json`);
		return ((await answer.json()) as Array<{ name: string }>).some(({ name }) => name === type);
	}

	communityPackages(): Promise<CommunityPackage[]> {
		return this.send('GET', '/community-packages');
	}

	/** For routes without a method of this class. @returns `data` of the answer. */
	async send<T>(method: string, path: string, body?: unknown): Promise<T> {
		return ((await (await this.fetch(method, path, body)).json()) as { data: T }).data;
	}

	/** For routes whose answer has no `data`. */
	async fetch(method: string, path: string, body?: unknown): Promise<Response> {
		const answer = await fetch(`${this.url}/rest${path}`, {
			method,
			headers: { 'content-type': 'application/json', 'browser-id': BROWSER_ID, cookie: this.cookie },
			body: body === undefined ? undefined : JSON.stringify(body),
		});
		if (!answer.ok) throw new Error(`n8n answered ${answer.status} to ${method} ${path}: ${(await answer.text()).slice(0, 500)}`);
		const session = answer.headers.getSetCookie().find((cookie) => cookie.startsWith('n8n-auth='));
		if (session) this.cookie = session.split(';')[0] ?? '';
		return answer;
	}
}
