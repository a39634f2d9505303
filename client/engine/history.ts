import { decodeExecutionError } from '../comfyui/frames/textFrame';
import { minimalJob } from '../comfyui/jobRecords';
import { type OutputDecoder, withoutIntermediate } from '../comfyui/outputs';
import { timeOf, timestampOf } from '../comfyui/timestamps';
import { isRecord, type JsonRecord, listOf, recordOf, requireRecord, textOr, type Unchecked } from '../json/decode';
import type { Engine } from '../generated/engine';
import type { ApiGraph, ApiGraphNode, Job, JobError } from '../ports/job';
import { readMadeBy } from '../ports/madeBy';

/** A prompt in the queue or the history: number, id, graph, extra data, and more. */
export type PromptEntry = readonly unknown[];

const isEntry = (value: unknown): value is PromptEntry => Array.isArray(value);

/**
 * Returns all prompts of the queue.
 * @throws ShapeError if it is not a queue.
 */
export function decodeQueueEntries(value: unknown): PromptEntry[] {
	const { queue_running: running, queue_pending: pending } = requireRecord<Engine['Queue']>(value, 'queue');
	return [...listOf(running), ...listOf(pending)].filter(isEntry);
}

/** Returns the prompt of a history entry; empty if it has none. */
export const promptIn = (historyEntry: unknown): PromptEntry => (isRecord(historyEntry) ? listOf(historyEntry.prompt) : []);

export const promptId = ([, id]: PromptEntry): string | undefined => (typeof id === 'string' ? id : undefined);

export const graphIn = ([, , graph]: PromptEntry): unknown => graph;

/**
 * Returns the graph of a prompt; undefined if it has none. An engine does not check the nodes that no output needs. Those
 * without inputs are left out.
 */
export function decodeGraph(prompt: PromptEntry): ApiGraph | undefined {
	const graph = graphIn(prompt);
	if (!isRecord(graph)) return undefined;
	const isNode = (node: unknown): node is ApiGraphNode => isRecord(node) && isRecord(node.inputs) && typeof node.class_type === 'string';
	return Object.fromEntries(Object.entries(graph).filter((entry): entry is [string, ApiGraphNode] => isNode(entry[1])));
}

export const extraDataIn = (entry: PromptEntry): Record<string, unknown> | undefined => entry.slice(3).find(isRecord);

/** The engine's status and v2's. An interrupted job has the status `error` and a message of its own. */
const STATUS_OF: Record<string, string> = { success: 'succeeded', error: 'failed' };

/** Returns the messages by name from `[["execution_start", {prompt_id, timestamp}], …]`. Times are in milliseconds. */
function decodeMessages(status: Unchecked<Engine['RunStatus']>): Map<string, JsonRecord> {
	const messages = new Map<string, JsonRecord>();
	for (const message of listOf(status.messages)) {
		if (!Array.isArray(message) || typeof message[0] !== 'string') continue;
		messages.set(message[0], isRecord(message[1]) ? message[1] : {});
	}
	return messages;
}

const messageTime = (message: JsonRecord | undefined): string | null => timestampOf(message?.timestamp);

/** The error of a failed job about which nothing else is known; null for other statuses. */
export function unexplainedError(status: string): JobError | null {
	if (status !== 'failed') return null;
	return {
		code: 'execution_error',
		message: 'The job failed, and ComfyUI reports no reason',
		node_id: null,
		class_type: null,
		traceback: null,
	};
}

/** Decodes a history entry, which is a finished job. */
export function decodeHistoryEntry(jobId: string, value: unknown, decodeOutputs: OutputDecoder): Job {
	const entry = requireRecord<Engine['HistoryEntry']>(value, 'history entry');
	const status = recordOf<Engine['RunStatus']>(entry.status);
	const messages = decodeMessages(status);
	const serviceStatus = textOr(status.status_str, 'success');
	const results = recordOf(entry.outputs);
	const failure = messages.get('execution_error');
	const end = ['execution_success', 'execution_error', 'execution_interrupted'].find((name) => messages.has(name));
	const prompt = promptIn(entry);
	const extraData = extraDataIn(prompt);
	const outputs = Object.entries(results).flatMap(([nodeId, output]) => (isRecord(output) ? decodeOutputs(nodeId, output, jobId) : []));
	const outputNodeIds = listOf(prompt[4]);
	const jobStatus = messages.has('execution_interrupted') ? 'canceled' : (STATUS_OF[serviceStatus] ?? 'failed');
	return {
		...minimalJob(jobId, 'engine', jobStatus, serviceStatus),
		created_at: timestampOf(extraData?.create_time),
		started_at: messageTime(messages.get('execution_start')),
		completed_at: end === undefined ? null : messageTime(messages.get(end)),
		outputs: withoutIntermediate(outputs, decodeGraph(prompt) ?? {}, outputNodeIds.length > 0 ? outputNodeIds : undefined),
		job_error: failure === undefined ? unexplainedError(jobStatus) : decodeExecutionError(failure),
		node_outputs: results,
		...readMadeBy(extraData),
	};
}

/** When the run of a history entry started (epoch milliseconds); undefined if it does not say. */
export function startedAt({ status }: JsonRecord): number | undefined {
	return timeOf((isRecord(status) ? decodeMessages(status) : undefined)?.get('execution_start')?.timestamp);
}

/** Returns the valid entries of a history by job id. An invalid entry must not hide the others. */
export const decodeHistory = (history: unknown): Array<[jobId: string, entry: JsonRecord]> =>
	Object.entries(requireRecord(history, 'history')).filter((one): one is [string, JsonRecord] => isRecord(one[1]));

/** Converts a newer engine's record of a job to a history entry. */
export const toHistoryEntry = ({
	outputs,
	execution_status: status,
	workflow,
}: Unchecked<Engine['Job']>): Unchecked<Engine['HistoryEntry']> => {
	const { prompt, extra_data: extraData } = recordOf<Engine['JobWorkflow']>(workflow);
	return { outputs, status, prompt: [null, null, prompt, extraData] };
};
