/** What a job did not deliver, for the item of a success and for the model of an agent. */
import type { IDataObject } from 'n8n-workflow';

import {
	type ApiGraph,
	clock,
	findNodeTitle,
	isRecord,
	isTerminal,
	type Job,
	type JobError,
	type JobOutput,
	listOutputNodes,
	outcomeOf,
} from '../../../client';
import type { ServiceCredential } from '../credentials';
import { addHint } from '../hints';
import type { ItemFault } from '../itemFault';
import { messages } from '../messages/catalogue';
import { notDelivered as words } from '../messages/topics/files';
import { fieldOf, inOneText } from '../messages/words';
import type { ItemRun } from '../operation';
import { secretMask } from '../withoutSecrets';

export type NotDeliveredReason =
	| 'nothing_reported'
	| 'not_returned'
	| 'only_previews'
	| 'filtered'
	| 'node_failed'
	| 'not_finished'
	| 'empty_file'
	| 'wrong_type'
	| 'truncated'
	| 'file_missing'
	| 'name_rejected'
	| 'text_missing';

export interface NotDelivered {
	/** Null if it is not known which node. */
	node_id: string | null;
	/** Its title, or else its class. */
	node: string | null;
	reason: NotDeliveredReason;
	message: string;
}

/** An output that cannot be saved, or whose file is not what it should be. */
export interface LostOutput {
	output: JobOutput;
	fault: ItemFault;
}

/** What a job was to deliver, as far as the node knows it. */
export interface ExpectedDelivery {
	job: Job;
	/** The outputs that the item has. */
	outputs: JobOutput[];
	lost?: LostOutput[];
	/** Undefined if the workflow of the job was not read. */
	graph?: ApiGraph;
	/** The nodes whose outputs are wanted; empty for all. */
	chosen?: string[];
	/** Whether the node left out previews, and not a filter other outputs. */
	leavesOutPreviews?: boolean;
	/** Whether the item contains the files, so that a preview is delivered like any file. */
	hasFiles?: boolean;
}

/**
 * Returns a test for previews, which ComfyUI does not keep. If the server does not report the folder of a file, the class of
 * its node decides. A text is never a preview.
 */
export function createPreviewTest(graph: ApiGraph = {}): (output: JobOutput) => boolean {
	const temporary = new Set(listOutputNodes(graph).flatMap(({ nodeId, isTemporary }) => (isTemporary ? [nodeId] : [])));
	return ({ type, node_id: nodeId, file_reference: file }) =>
		type !== 'text' && (isRecord(file) ? file.type === 'temp' : temporary.has(nodeId));
}

const nodeOf = (graph: ApiGraph | undefined, id: string | null): Pick<NotDelivered, 'node_id' | 'node'> => ({
	node_id: id,
	node: id === null || graph === undefined ? null : (findNodeTitle(graph, id) ?? graph[id]?.class_type ?? null),
});

const nodeIdsOf = (outputs: JobOutput[]): string[] => [...new Set(outputs.map(({ node_id: id }) => id))];

const SAVER_CLASS = /save/i;

/** In a loop, ComfyUI runs copies of a node, whose IDs end with its ID. */
const hasReported = (job: Job, id: string): boolean =>
	job.outputs.some(({ node_id: reported }) => reported === id || reported.endsWith(`.${id}`));

/** The nodes that reported nothing: chosen ones and savers, or every output node if the job has no outputs. */
function findSilentNodes({ job, graph = {}, chosen = [] }: ExpectedDelivery): Array<string | null> {
	if (chosen.length > 0) return chosen.filter((id) => !hasReported(job, id));
	const nodes = listOutputNodes(graph);
	if (job.outputs.length > 0)
		return nodes.flatMap(({ nodeId, className }) => (SAVER_CLASS.test(className) && !hasReported(job, nodeId) ? [nodeId] : []));
	return nodes.length === 0 ? [null] : nodes.map(({ nodeId }) => nodeId);
}

/** Returns what a job that has ended did not deliver. */
function listNotDelivered(
	{ isOwnServer, displayName }: Pick<ServiceCredential, 'isOwnServer' | 'displayName'>,
	delivery: ExpectedDelivery,
): NotDelivered[] {
	const { job, outputs, lost = [], graph, leavesOutPreviews = false, hasFiles = false } = delivery;
	const entry = (id: string | null, reason: NotDeliveredReason, message: (node: ReturnType<typeof nodeOf>) => string): NotDelivered => {
		const node = nodeOf(graph, id);
		return { ...node, reason, message: message(node) };
	};
	const failedNode = ({ node_id: id, message }: JobError): NotDelivered =>
		entry(id, 'node_failed', (node) => words.failedNode(node, message));
	const notFinished = ({ status }: Job): NotDelivered => entry(null, 'not_finished', () => words.notFinished(status));
	const lostFiles = lost.map(({ output, fault }) =>
		entry(output.node_id, (fault.facts.code ?? 'file_missing') as NotDeliveredReason, () => inOneText(fault.words)),
	);
	if (!isTerminal(job.status) || job.outputs_unavailable) return lostFiles;
	if (job.status !== 'succeeded') return [...lostFiles, job.job_error === null ? notFinished(job) : failedNode(job.job_error)];
	const isBehindProxy = job.interface === 'v2' && isOwnServer === true;
	const silent = findSilentNodes(delivery).map((id) =>
		isBehindProxy
			? entry(id, 'not_returned', (node) => words.behindProxy(node, fieldOf('ComfyUI Address', displayName)))
			: entry(id, 'nothing_reported', words.nothing),
	);
	const others = job.outputs.length > 0 && outputs.length === 0 ? job.outputs : outputs;
	if (others.length > 0 && others.every(createPreviewTest(graph)) && !(hasFiles && outputs.length > 0)) {
		const say = leavesOutPreviews && outputs.length === 0 ? words.leftOutPreview : words.preview;
		return [...lostFiles, ...silent, ...nodeIdsOf(others).map((id) => entry(id, 'only_previews', say))];
	}
	const isFiltered = outputs.length === 0 && job.outputs.length > 0 && silent.length === 0 && !leavesOutPreviews;
	return [...lostFiles, ...silent, ...(isFiltered ? [entry(null, 'filtered', () => words.filtered(job.outputs.length))] : [])];
}

/** The workflow only names the nodes, so it is read once and within a short time. */
const READ_WORKFLOW_MS = 5_000;

/** Returns what a job did not deliver. It reads the workflow of the job, which names the nodes, only if there is something to report. */
export async function findNotDelivered(
	{ connection, credential, signal }: Pick<ItemRun, 'connection' | 'credential' | 'signal'>,
	delivery: ExpectedDelivery,
): Promise<NotDelivered[]> {
	const found = listNotDelivered(credential, delivery);
	if (found.length === 0 || delivery.graph !== undefined) return found;
	const limit = AbortSignal.any([signal, clock.signalAfter(READ_WORKFLOW_MS)]);
	const read = await outcomeOf(connection.jobs.workflow(delivery.job.job_id, { signal: limit }));
	const graph = read.ok ? toGraph(read.value.workflow) : undefined;
	return graph === undefined ? found : listNotDelivered(credential, { ...delivery, graph });
}

const toGraph = (workflow: Record<string, unknown>): ApiGraph | undefined =>
	Object.values(workflow).every((node) => isRecord(node) && typeof node.class_type === 'string' && isRecord(node.inputs))
		? (workflow as ApiGraph)
		: undefined;

/** Returns the field `not_delivered`, if there is something to report. */
export const toNotDeliveredField = (found: NotDelivered[]): IDataObject =>
	found.length === 0 ? {} : { not_delivered: found.map((one) => ({ ...one })) };

/** Returns the field `not_delivered` like `toNotDeliveredField`, and repeats its first entry in a hint for people. */
export async function reportNotDelivered(item: ItemRun, delivery: ExpectedDelivery): Promise<IDataObject> {
	const { execution, credential } = item;
	const found = await findNotDelivered(item, delivery);
	const [first] = found;
	if (first !== undefined) {
		const message = secretMask(credential)(first.message);
		addHint(execution, messages.JOB_DELIVERED_LESS(delivery.job.job_id, message, found.length - 1), 'warning');
	}
	return toNotDeliveredField(found);
}
