import { listOf, recordOf, textOr } from '../fields';
import { decodeExecutionError } from '../frames';
import type { Job, JobError } from '../job';
import { bareJob } from '../progress/bareJob';
import type { OutputDecoder } from '../progress/gathered';
import { isRecord, type JsonRecord } from '../records';
import { momentOf } from '../v1/moments';
import { extraDataOf, promptOf } from './promptEntry';

/** An engine's own word → v2's. What was interrupted stands as an error with a message of its own. */
const STATUS_OF: Record<string, string> = { success: 'succeeded', error: 'failed' };

/** `[["execution_start", {prompt_id, timestamp}], …]` → by name; times are in milliseconds. */
function messagesOf(status: JsonRecord): Map<string, JsonRecord> {
	return new Map(
		listOf(status.messages).flatMap((message): Array<[string, JsonRecord]> => {
			if (!Array.isArray(message) || typeof message[0] !== 'string') return [];
			return [[message[0], isRecord(message[1]) ? message[1] : {}]];
		}),
	);
}

const timeOf = (message: JsonRecord | undefined): string | null => momentOf(message?.timestamp);

/** A failed job has an error even where nothing is known of it. */
export const unexplained = (status: string): JobError | null =>
	status === 'failed' ? { code: 'execution_error', message: 'The job failed; the engine does not say why', node_id: null, class_type: null, traceback: null } : null;

/** One entry of an engine's history: a job that has ended. */
export function decodeHistoryEntry(jobId: string, value: unknown, decodeOutputs: OutputDecoder): Job {
	const entry = recordOf(value, 'history entry');
	const status = isRecord(entry.status) ? entry.status : {};
	const messages = messagesOf(status);
	const word = textOr(status.status_str, 'success');
	const results = isRecord(entry.outputs) ? entry.outputs : {};
	const failure = messages.get('execution_error');
	const end = ['execution_success', 'execution_error', 'execution_interrupted'].find((name) => messages.has(name));
	const jobStatus = messages.has('execution_interrupted') ? 'canceled' : (STATUS_OF[word] ?? 'failed');
	return {
		...bareJob(jobId, 'engine', jobStatus, word),
		created_at: momentOf(extraDataOf(promptOf(entry))?.create_time),
		started_at: timeOf(messages.get('execution_start')),
		completed_at: end === undefined ? null : timeOf(messages.get(end)),
		outputs: Object.entries(results).flatMap(([nodeId, output]) => (isRecord(output) ? decodeOutputs(nodeId, output, jobId) : [])),
		job_error: failure === undefined ? unexplained(jobStatus) : decodeExecutionError(failure),
		node_outputs: results,
	};
}

/** Job id → its entry. */
export function decodeHistory(value: unknown, decodeOutputs: OutputDecoder): Job[] {
	return Object.entries(recordOf(value, 'history')).map(([jobId, entry]) => decodeHistoryEntry(jobId, entry, decodeOutputs));
}

/** The same of a newer engine's record of one job. */
export const historyEntryOf = ({ outputs, execution_status: status, workflow }: JsonRecord): JsonRecord => {
	const { prompt, extra_data: extraData } = isRecord(workflow) ? workflow : {};
	return { outputs, status, prompt: [null, null, prompt, extraData] };
};
