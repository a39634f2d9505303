import { decodeExecutionError } from '../comfyui/frames/textFrame';
import { type EntryDecoder, failureCodeOf, jobStatusOf, minimalJob } from '../comfyui/jobRecords';
import { nodeOutputsOf, type OutputDecoder } from '../comfyui/outputs';
import { type JobFromEvents } from '../comfyui/progress/jobProgressTracker';
import { firstTimestamp, timestampOf } from '../comfyui/timestamps';
import { isRecord, requireRecord, requireText, textOr, type Unchecked, without } from '../json/decode';
import type { V1 } from '../generated/v1';
import { isTerminal, type Job, type JobError } from '../ports/job';

/** What is known about one job, from every source that was read. */
export interface V1JobFacts {
	jobId: string;
	/** The service's own status. */
	serviceStatus: string;
	/** The response of the status route. */
	state?: Unchecked<V1['JobState']>;
	/** The response of the job route, or the job's entry in a list. */
	details?: Unchecked<V1['Job']>;
	/** The content of the live frames. */
	liveFacts?: Partial<Pick<JobFromEvents, 'node_outputs' | 'job_error'>>;
}

/** Left out: fields that are set below, and the workflow, which may be large and has its own operation. */
const EXCLUDED_FIELDS = ['id', 'status', 'outputs', 'execution_error', 'workflow'];

/** Returns a job in the form of v2. Fields that v1 does not have are null. */
export function toV1Job(facts: V1JobFacts, decodeOutputs: OutputDecoder): Job {
	const { jobId, serviceStatus, state = {}, details = {}, liveFacts } = facts;
	const status = jobStatusOf(serviceStatus);
	const nodeOutputs = isRecord(details.outputs) ? nodeOutputsOf(details.outputs) : liveFacts?.node_outputs;
	const files = Object.entries(nodeOutputs ?? {}).flatMap(([nodeId, results]) => decodeOutputs(nodeId, results, jobId));
	const ends = [details.execution_end_time, details.update_time, state.last_state_update, state.updated_at];
	return {
		...without(state, ...EXCLUDED_FIELDS),
		...without(details, ...EXCLUDED_FIELDS),
		...minimalJob(jobId, 'v1', status, serviceStatus),
		created_at: firstTimestamp(state.created_at, details.create_time),
		started_at: timestampOf(details.execution_start_time),
		completed_at: isTerminal(status) ? firstTimestamp(...ends) : null,
		outputs: files,
		...(nodeOutputs && { node_outputs: nodeOutputs }),
		job_error: status === 'failed' ? toV1JobError(facts) : null,
	};
}

export interface V1Status {
	serviceStatus: string;
	state: Unchecked<V1['JobState']>;
}

/**
 * Decodes the response of the status route.
 * @throws ShapeError if it is not a status.
 */
export function decodeStatus(value: unknown): V1Status {
	const state = requireRecord<V1['JobState']>(value, 'status answer');
	return { serviceStatus: requireText(state.status, 'status'), state };
}

/** Returns a decoder for the entries of the job list. */
export const entryDecoder =
	(decodeOutputs: OutputDecoder): EntryDecoder =>
	(entry, jobId, serviceStatus) =>
		toV1Job({ jobId, serviceStatus, details: entry }, decodeOutputs);

const STATUS_MESSAGES: Readonly<Record<string, string>> = {
	lost: 'The service lost the job before it ended',
	non_retryable_error: 'The job failed, and would fail again',
};

/**
 * Returns why a job failed. A failed job always has an error. The statuses `lost` and `non_retryable_error` say more than the
 * error itself, so they become its code.
 */
function toV1JobError({ serviceStatus, state, details, liveFacts }: V1JobFacts): JobError {
	const executionError = details?.execution_error;
	const reported = isRecord(executionError) ? decodeExecutionError(executionError) : (liveFacts?.job_error ?? undefined);
	const type = findExceptionType(executionError, liveFacts?.job_error);
	return {
		...reported,
		code: failureCodeOf(serviceStatus) ?? type ?? 'execution_error',
		message: textOr(
			reported?.message,
			textOr(state?.error_message, STATUS_MESSAGES[serviceStatus] ?? 'The job failed; the service does not say why'),
		),
		node_id: reported?.node_id ?? null,
		class_type: reported?.class_type ?? null,
		traceback: reported?.traceback ?? null,
		...(type !== undefined && { exception_type: type }),
	};
}

function findExceptionType(executionError: unknown, liveFacts: JobError | null | undefined): string | undefined {
	if (isRecord(executionError)) return textOr(executionError.exception_type, undefined);
	return liveFacts?.code === 'unknown' ? undefined : liveFacts?.code;
}
