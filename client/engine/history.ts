import { minimalJob } from '../comfyui/jobRecords';
import { decodeExecutionError } from '../comfyui/frames/textFrame';
import { timestampOf, timeOf } from '../comfyui/timestamps';
import type { OutputDecoder } from '../comfyui/outputs';
import { isRecord, type JsonRecord, listOf, requireRecord, textOr, type Told } from '../decode';
import type { Engine } from '../generated/engine';
import type { Job, JobError } from '../job';
import { madeByIn } from '../madeBy';
import { extraDataOf, promptOf } from './promptEntry';

/** An engine's own word → v2's. What was interrupted stands as an error with a message of its own. */
const STATUS_OF: Record<string, string> = { success: 'succeeded', error: 'failed' };

/** `[["execution_start", {prompt_id, timestamp}], …]` → by name; times are in milliseconds. */
function messagesOf(status: Told<Engine['RunStatus']>): Map<string, JsonRecord> {
	return new Map(
		listOf(status.messages).flatMap((message): Array<[string, JsonRecord]> => {
			if (!Array.isArray(message) || typeof message[0] !== 'string') return [];
			return [[message[0], isRecord(message[1]) ? message[1] : {}]];
		}),
	);
}

const momentIn = (message: JsonRecord | undefined): string | null => timestampOf(message?.timestamp);

/** A failed job has an error even where nothing is known of it. */
export const unexplained = (status: string): JobError | null =>
	status === 'failed'
		? { code: 'execution_error', message: 'The job failed; the engine does not say why', node_id: null, class_type: null, traceback: null }
		: null;

/** One entry of an engine's history: a job that has ended. */
export function decodeHistoryEntry(jobId: string, value: unknown, decodeOutputs: OutputDecoder): Job {
	const entry = requireRecord<Engine['HistoryEntry']>(value, 'history entry');
	const status: Told<Engine['RunStatus']> = isRecord(entry.status) ? entry.status : {};
	const messages = messagesOf(status);
	const word = textOr(status.status_str, 'success');
	const results = isRecord(entry.outputs) ? entry.outputs : {};
	const failure = messages.get('execution_error');
	const end = ['execution_success', 'execution_error', 'execution_interrupted'].find((name) => messages.has(name));
	const extraData = extraDataOf(promptOf(entry));
	const jobStatus = messages.has('execution_interrupted') ? 'canceled' : (STATUS_OF[word] ?? 'failed');
	return {
		...minimalJob(jobId, 'engine', jobStatus, word),
		created_at: timestampOf(extraData?.create_time),
		started_at: momentIn(messages.get('execution_start')),
		completed_at: end === undefined ? null : momentIn(messages.get(end)),
		outputs: Object.entries(results).flatMap(([nodeId, output]) => (isRecord(output) ? decodeOutputs(nodeId, output, jobId) : [])),
		job_error: failure === undefined ? unexplained(jobStatus) : decodeExecutionError(failure),
		node_outputs: results,
		...madeByIn(extraData),
	};
}

/** When an entry's run began (epoch milliseconds); undefined where it does not tell. */
export function begunAt({ status }: JsonRecord): number | undefined {
	return timeOf((isRecord(status) ? messagesOf(status) : undefined)?.get('execution_start')?.timestamp);
}

/** Job id → its entry. What tells of no job is no entry: it must not hide the others. */
export const entriesIn = (history: unknown): Array<[jobId: string, entry: JsonRecord]> =>
	Object.entries(requireRecord(history, 'history')).filter((one): one is [string, JsonRecord] => isRecord(one[1]));

/** The jobs of a whole history. */
export const decodeHistory = (value: unknown, decodeOutputs: OutputDecoder): Job[] =>
	entriesIn(value).map(([jobId, entry]) => decodeHistoryEntry(jobId, entry, decodeOutputs));

/** The same of a newer engine's record of one job. */
export const historyEntryOf = ({ outputs, execution_status: status, workflow }: Told<Engine['Job']>): Told<Engine['HistoryEntry']> => {
	const { prompt, extra_data: extraData }: Told<Engine['JobWorkflow']> = isRecord(workflow) ? workflow : {};
	return { outputs, status, prompt: [null, null, prompt, extraData] };
};
