import { type EntryDecoder, jobStatusOf } from '../comfyui/jobRecords';
import { firstTimestamp, timestampOf } from '../comfyui/timestamps';
import { nodeOutputsOf, type OutputDecoder } from '../comfyui/outputs';
import type { JobFromEvents } from '../comfyui/progress/jobProgressTracker';
import { isRecord, requireRecord, requireText, type Told, without } from '../decode';
import type { V1 } from '../generated/v1';
import { isTerminal, type Job } from '../job';
import { failureOf } from './jobError';

/** What is known of one job, from every source that was asked. */
export interface ToldOfJob {
	jobId: string;
	/** The service's own status word. */
	word: string;
	/** The status read's answer. */
	state?: Told<V1['JobState']>;
	/** The job read's answer, or the job's entry in a list. */
	details?: Told<V1['Job']>;
	/** What the frames told. */
	heard?: Partial<Pick<JobFromEvents, 'node_outputs' | 'job_error'>>;
}

/** The workflow may be large, and is asked for by itself. */
const FIELDS_OF_OUR_OWN = ['id', 'status', 'outputs', 'execution_error', 'workflow'];

/** v2's other fields are null: v1 knows nothing of them. */
export function jobOf({ jobId, word, state = {}, details = {}, heard }: ToldOfJob, decodeOutputs: OutputDecoder): Job {
	const status = jobStatusOf(word);
	const nodeOutputs = isRecord(details.outputs) ? nodeOutputsOf(details.outputs) : heard?.node_outputs;
	const files = Object.entries(nodeOutputs ?? {}).flatMap(([nodeId, results]) => decodeOutputs(nodeId, results, jobId));
	const failure = { word, executionError: details.execution_error, heard: heard?.job_error, message: state.error_message };
	const ends = [details.execution_end_time, details.update_time, state.last_state_update, state.updated_at];
	return {
		...without(state, ...FIELDS_OF_OUR_OWN),
		...without(details, ...FIELDS_OF_OUR_OWN),
		job_id: jobId,
		interface: 'v1',
		status,
		service_status: word,
		created_at: firstTimestamp(state.created_at, details.create_time),
		started_at: timestampOf(details.execution_start_time),
		completed_at: isTerminal(status) ? firstTimestamp(...ends) : null,
		expires_at: null,
		queue_position: null,
		progress: null,
		metrics: null,
		outputs: files,
		...(nodeOutputs && { node_outputs: nodeOutputs }),
		job_error: status === 'failed' ? failureOf(failure) : null,
		urls: { self: null, events: null, cancel: null },
	};
}

export interface StatusAnswer {
	word: string;
	state: Told<V1['JobState']>;
}

/** @throws ShapeError when this is no status. */
export function decodeStatus(value: unknown): StatusAnswer {
	const state = requireRecord<V1['JobState']>(value, 'status answer');
	return { word: requireText(state.status, 'status'), state };
}

/** An entry of the list. */
export const entryDecoder =
	(decodeOutputs: OutputDecoder): EntryDecoder =>
	(entry, jobId, word) =>
		jobOf({ jobId, word, details: entry }, decodeOutputs);
