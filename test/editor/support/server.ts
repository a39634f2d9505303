import { join } from 'node:path';
import { projectRoot } from '../../../scripts/n8nHost/environment';
import type { SavedCredential } from '../../../scripts/n8nHost/documents';
import { engineRequests, saveServer } from '../../e2e/support/engine';
import type { Session } from '../../e2e/support/session';
import type { Editor } from './pages/editor';

export const example = (name: string): string => join(projectRoot, 'examples', `${name}.json`);

/** The suite's own credential of this type. */
export function onlyOf({ credentials }: Session, type: string): SavedCredential {
	const found = credentials.find((credential) => credential.type === type);
	if (!found) throw new Error(`No credential of type ${type}`);
	return found;
}

/** The editor of an empty workflow, in an n8n whose only credential is one for ComfyUI itself. The editor knows those that were there when it was opened. */
export async function beginWithServer(session: Session, editor: Editor): Promise<SavedCredential> {
	for (const credential of await session.rest.credentials()) await session.rest.deleteCredential(credential);
	const [server] = await saveServer(session);
	await editor.newWorkflow();
	return server!;
}

/** What *Save* does in the ComfyUI at this address. */
export async function saveInComfy(address: string, path: string, workflow: object): Promise<void> {
	const answer = await fetch(`${address}/api/userdata/${encodeURIComponent(`workflows/${path}`)}?overwrite=true`, {
		method: 'POST',
		body: JSON.stringify(workflow),
	});
	if (!answer.ok) throw new Error(`ComfyUI did not save ${path}: ${answer.status} ${await answer.text()}`);
}

type Graph = Record<string, { inputs: Record<string, unknown> }>;

/** What ComfyUI was asked to run, the last first. */
export const submittedTo = (session: Session): Graph[] =>
	engineRequests(session, 'POST', '/prompt')
		.map(({ bodyText }) => (JSON.parse(bodyText) as { prompt: Graph }).prompt)
		.reverse();
