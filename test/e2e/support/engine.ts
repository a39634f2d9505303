import { type CredentialDocument, importCredentials, type SavedCredential, type WorkflowNode } from '../../../scripts/n8nHost/documents';
import { sandboxCredentials } from '../../../scripts/sandboxCredentials';
import type { Session } from './session';
import { comfy } from './workflows';

const SELF_HOSTED = 'comfySelfHostedApi';

/** A self-hosted credential with the address of the sandbox's engine as Address, and these changes. */
export function serverDocument({ sandbox }: Session, changes: CredentialDocument['data'] = {}): CredentialDocument {
	const [document] = sandboxCredentials(sandbox).filter(({ type }) => type === SELF_HOSTED);
	if (document === undefined) throw new Error(`No credential of type ${SELF_HOSTED}`);
	return { ...document, data: { ...document.data, baseUrl: sandbox.urls.engine, engineUrl: '', token: '', ...changes } };
}

export const saveServer = async (session: Session, changes: CredentialDocument['data'] = {}): Promise<SavedCredential[]> =>
	await importCredentials(session.rest, [serverDocument(session, changes)]);

/** One of our nodes on a self-hosted credential, Automatic unless said otherwise. */
export const onServer = (
	type: Parameters<typeof comfy>[0],
	parameters: WorkflowNode['parameters'] = {},
	settings: Partial<WorkflowNode> = {},
): WorkflowNode =>
	comfy(type, { authentication: SELF_HOSTED, ...parameters }, { credentials: { [SELF_HOSTED]: { id: null, name: '' } }, ...settings });

/** Submits a job directly to the engine, as another client. @returns its id. */
export async function submitToEngine({ sandbox }: Session, prompt: object): Promise<string> {
	const answer = await fetch(`${sandbox.urls.engine}/prompt`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ prompt, client_id: 'somebody-else' }),
	});
	if (!answer.ok) throw new Error(`The engine refused a job: ${answer.status} ${await answer.text()}`);
	return ((await answer.json()) as { prompt_id: string }).prompt_id;
}

/** Requests to the engine, by the end of their path: its routes are there twice. */
export const engineRequests = ({ sandbox }: Session, method: string, path: string) =>
	sandbox.requests(undefined, 'engine').filter((request) => request.method === method && request.path.endsWith(path));
