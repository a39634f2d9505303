import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from './environment';

/** What n8n's editor interface takes and gives, as far as it is used here. */

export interface CredentialDocument {
	name: string;
	type: string;
	/** An object is the value of a field with rows. */
	data: Record<string, string | boolean | object>;
}

export interface SavedCredential {
	id: string;
	name: string;
	type: string;
}

export interface WorkflowNode {
	id: string;
	name: string;
	type: string;
	typeVersion: number;
	position: [number, number];
	parameters: Record<string, unknown>;
	/** Of nodes that are called from outside. */
	webhookId?: string;
	credentials?: Record<string, { id: string | null; name: string }>;
	retryOnFail?: boolean;
	maxTries?: number;
	waitBetweenTries?: number;
	onError?: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
}

export interface WorkflowDocument {
	name: string;
	nodes: WorkflowNode[];
	connections: Record<string, Record<string, Array<Array<{ node: string; type: string; index: number }> | null>>>;
	settings?: Record<string, unknown>;
}

export interface SavedWorkflow extends WorkflowDocument {
	id: string;
	versionId: string;
}

interface BinaryField {
	/** Absent in memory mode: `data` then holds base64. */
	id?: string;
	data: string;
	fileName?: string;
	mimeType: string;
}

export interface Item {
	json: Record<string, unknown>;
	binary?: Record<string, BinaryField>;
	pairedItem?: unknown;
}

export interface ExecutionError {
	message: string;
	description?: string | null;
	name?: string;
	node?: { name: string };
	[field: string]: unknown;
}

/** One run of one node. */
interface NodeRun {
	/** Epoch milliseconds. */
	startTime: number;
	/** Milliseconds. */
	executionTime: number;
	executionStatus: string;
	/** One list of items for each output. */
	data?: { main: Array<Item[] | null> };
	error?: ExecutionError;
}

export interface ExecutionData {
	resultData: { runData: Record<string, NodeRun[]>; error?: ExecutionError; lastNodeExecuted?: string };
}

export interface Execution {
	id: string;
	workflowId: string;
	/** Of which it is a retry. */
	retryOf?: string | null;
	status: string;
	mode: string;
	data: ExecutionData;
}

/** Whether nothing more will happen to the execution. */
export const hasEnded = ({ status }: Pick<Execution, 'status'>): boolean => !['new', 'running', 'waiting'].includes(status);

/** The items a node put on one output in its last run. */
export function itemsOf(execution: Execution, nodeName: string, output = 0): Item[] {
	return execution.data.resultData.runData[nodeName]?.at(-1)?.data?.main[output] ?? [];
}

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
 * Sets these credentials in the nodes of a document, matched by type, because ids differ in every n8n. Examples contain no
 * credentials: if a node has one already, n8n reloads its lists and removes selections that they do not contain.
 */
function withCredentials(document: WorkflowDocument, saved: SavedCredential[]): WorkflowDocument {
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

/** The part of n8n's API that stores documents. */
interface DocumentStore {
	createCredential(document: CredentialDocument): Promise<SavedCredential>;
	createWorkflow(document: WorkflowDocument): Promise<SavedWorkflow>;
}

export async function importCredentials(rest: DocumentStore, documents: CredentialDocument[]): Promise<SavedCredential[]> {
	return await Promise.all(documents.map((document) => rest.createCredential(document)));
}

export async function importWorkflow(rest: DocumentStore, document: WorkflowDocument, saved: SavedCredential[]): Promise<SavedWorkflow> {
	return await rest.createWorkflow(withCredentials(document, saved));
}
