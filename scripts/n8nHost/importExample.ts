import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CredentialDocument, SavedCredential, SavedWorkflow, WorkflowDocument } from './documents';
import { projectRoot } from './paths';
import type { N8nRest } from './rest';

/** Reads `examples/<name>.json`, as a user would import it. */
export async function readExample(name: string): Promise<WorkflowDocument> {
	return JSON.parse(await readFile(join(projectRoot, 'examples', `${name}.json`), 'utf8')) as WorkflowDocument;
}

/** The document with its nodes on these credentials, matched by type: ids differ in every n8n. */
export function withCredentials(document: WorkflowDocument, saved: SavedCredential[]): WorkflowDocument {
	const byType = new Map(saved.map(({ type, id, name }) => [type, { id, name }]));
	const nodes = document.nodes.map((node) => ({
		...node,
		...(node.credentials && {
			credentials: Object.fromEntries(Object.entries(node.credentials).map(([type, named]) => [type, byType.get(type) ?? named])),
		}),
	}));
	return { ...document, nodes };
}

export async function importCredentials(rest: N8nRest, documents: CredentialDocument[]): Promise<SavedCredential[]> {
	return await Promise.all(documents.map((document) => rest.createCredential(document)));
}

export async function importWorkflow(rest: N8nRest, document: WorkflowDocument, saved: SavedCredential[]): Promise<SavedWorkflow> {
	return await rest.createWorkflow(withCredentials(document, saved));
}
