import { numberOr, recordOf, recordsOf, requiredText, ShapeError, textOr } from '../fields';
import { isTerminal, type Job } from '../job';
import type { Gathered, OutputDecoder } from '../progress/gathered';
import { isRecord, type JsonRecord } from '../records';
import type { JobPage } from '../services';
import { failureOf } from './jobError';
import { firstMoment, momentOf } from './moments';
import { nodeOutputsOf } from './outputs';
import { statusOf } from './statuses';
import { without } from './without';

/** What is known of one job, from every source that was asked. */
export interface JobFacts {
	jobId: string;
	/** The service's own status word. */
	word: string;
	/** The status read's answer. */
	state?: JsonRecord;
	/** The job read's answer, or the job's entry in a list. */
	details?: JsonRecord;
	/** What the frames told. */
	heard?: Partial<Pick<Gathered, 'node_outputs' | 'job_error'>>;
}

/** The workflow may be large, and is asked for by itself. */
const FIELDS_OF_OUR_OWN = ['id', 'status', 'outputs', 'execution_error', 'workflow'];

/** v2's other fields are null: v1 knows nothing of them. */
export function jobOf({ jobId, word, state = {}, details = {}, heard }: JobFacts, decodeOutputs: OutputDecoder): Job {
	const status = statusOf(word);
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
		created_at: firstMoment(state.created_at, details.create_time),
		started_at: momentOf(details.execution_start_time),
		completed_at: isTerminal(status) ? firstMoment(...ends) : null,
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
	state: JsonRecord;
}

/** @throws ShapeError when this is no status. */
export function decodeStatus(value: unknown): StatusAnswer {
	const state = recordOf(value, 'status answer');
	return { word: requiredText(state.status, 'status'), state };
}

/** An entry of a list, with its id and its status word. */
export type EntryDecoder = (entry: JsonRecord, jobId: string, word: string) => Job;

export const entryDecoder =
	(decodeOutputs: OutputDecoder): EntryDecoder =>
	(entry, jobId, word) =>
		jobOf({ jobId, word, details: entry }, decodeOutputs);

/** A page of `/api/jobs`, which engines have as well. @throws ShapeError when this is no list. */
export const pageDecoder =
	(decodeEntry: EntryDecoder, offset: number) =>
	(value: unknown): JobPage => {
		const { jobs, pagination } = recordOf(value, 'page');
		if (!Array.isArray(jobs)) throw new ShapeError('page holds no list');
		const page = recordsOf(jobs).flatMap((entry) => {
			const jobId = textOr(entry.id, undefined);
			return jobId === undefined ? [] : [decodeEntry(entry, jobId, textOr(entry.status, ''))];
		});
		const end = offset + jobs.length;
		const { has_more: hasMore, total } = isRecord(pagination) ? pagination : {};
		const goesOn = jobs.length > 0 && (hasMore === true || (hasMore === undefined && numberOr(total, 0) > end));
		return { jobs: page, ...(goesOn && { nextCursor: String(end) }) };
	};
