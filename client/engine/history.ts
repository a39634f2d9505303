import { numberOr, recordOf, textOr } from '../fields';
import { decodeExecutionError } from '../frames';
import type { Job } from '../job';
import { bareJob } from '../progress/bareJob';
import type { OutputDecoder } from '../progress/gathered';
import { isRecord, type JsonRecord } from '../records';

/** An engine's own word → v2's. What was interrupted stands as an error with a message of its own. */
const STATUS_OF: Record<string, string> = { success: 'succeeded', error: 'failed' };

/** `[["execution_start", {prompt_id, timestamp}], …]` → by name; times are in milliseconds. */
function messagesOf(status: JsonRecord): Map<string, JsonRecord> {
	const messages = Array.isArray(status.messages) ? status.messages : [];
	return new Map(
		messages.flatMap((message): Array<[string, JsonRecord]> => {
			if (!Array.isArray(message) || typeof message[0] !== 'string') return [];
			return [[message[0], isRecord(message[1]) ? message[1] : {}]];
		}),
	);
}

const timeOf = (message: JsonRecord | undefined): string | null => {
	const time = numberOr(message?.timestamp, null);
	return time === null ? null : new Date(time).toISOString();
};

/** One entry of an engine's history: a job that has ended. */
export function decodeHistoryEntry(jobId: string, value: unknown, decodeOutputs: OutputDecoder): Job {
	const entry = recordOf(value, 'history entry');
	const status = isRecord(entry.status) ? entry.status : {};
	const messages = messagesOf(status);
	const word = textOr(status.status_str, 'success');
	const results = isRecord(entry.outputs) ? entry.outputs : {};
	const failure = messages.get('execution_error');
	const end = ['execution_success', 'execution_error', 'execution_interrupted'].find((name) => messages.has(name));
	return {
		...bareJob(jobId, 'engine', messages.has('execution_interrupted') ? 'canceled' : (STATUS_OF[word] ?? 'failed'), word),
		started_at: timeOf(messages.get('execution_start')),
		completed_at: end === undefined ? null : timeOf(messages.get(end)),
		outputs: Object.entries(results).flatMap(([nodeId, output]) => (isRecord(output) ? decodeOutputs(nodeId, output, jobId) : [])),
		job_error: failure === undefined ? null : decodeExecutionError(failure),
		node_outputs: results,
	};
}

export interface EngineQueue {
	running: string[];
	pending: string[];
}

/** Entries are `[number, job id, graph, …]`. */
export function decodeQueue(value: unknown): EngineQueue {
	const queue = recordOf(value, 'queue');
	const ids = (entries: unknown) =>
		Array.isArray(entries) ? entries.flatMap((entry) => (Array.isArray(entry) && typeof entry[1] === 'string' ? [entry[1]] : [])) : [];
	return { running: ids(queue.queue_running), pending: ids(queue.queue_pending) };
}

/** Job id → its entry. */
export function decodeHistory(value: unknown, decodeOutputs: OutputDecoder): Job[] {
	return Object.entries(recordOf(value, 'history')).map(([jobId, entry]) => decodeHistoryEntry(jobId, entry, decodeOutputs));
}
