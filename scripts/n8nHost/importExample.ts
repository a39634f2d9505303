import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CredentialDocument, SavedCredential, SavedWorkflow, WorkflowDocument, WorkflowNode } from './documents';
import { projectRoot } from './paths';
import type { N8nRest } from './rest';

/** Reads `examples/<name>.json`, as a user would import it. */
export async function readExample(name: string): Promise<WorkflowDocument> {
	return JSON.parse(await readFile(join(projectRoot, 'examples', `${name}.json`), 'utf8')) as WorkflowDocument;
}

/** The types of credential that a node asks for: ours say so by *Authentication*. */
function typesOf({ credentials, parameters }: WorkflowNode): string[] {
	if (credentials !== undefined) return Object.keys(credentials);
	return typeof parameters.authentication === 'string' ? [parameters.authentication] : [];
}

/**
 * The document with its nodes on these credentials, matched by type: ids differ in every n8n. Examples name none: where a
 * node has one already, n8n takes another as a change, loads its lists anew, and drops what it does not find there.
 */
export function withCredentials(document: WorkflowDocument, saved: SavedCredential[]): WorkflowDocument {
	const byType = new Map(saved.map(({ type, id, name }) => [type, { id, name }]));
	const nodes = document.nodes.map((node) => {
		const chosen = typesOf(node).flatMap((type) => {
			const credential = byType.get(type) ?? node.credentials?.[type];
			return credential === undefined ? [] : [[type, credential]];
		});
		return { ...node, ...(chosen.length > 0 && { credentials: Object.fromEntries(chosen) as WorkflowNode['credentials'] }) };
	});
	return { ...document, nodes };
}

export async function importCredentials(rest: N8nRest, documents: CredentialDocument[]): Promise<SavedCredential[]> {
	return await Promise.all(documents.map((document) => rest.createCredential(document)));
}

export async function importWorkflow(rest: N8nRest, document: WorkflowDocument, saved: SavedCredential[]): Promise<SavedWorkflow> {
	return await rest.createWorkflow(withCredentials(document, saved));
}
