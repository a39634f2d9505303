/** How records of jobs look in v1 and in engines: statuses, lists and workflows. */
import { isRecord, type JsonRecord, numberOr, recordOf, recordsOf, requireRecord, textOr } from '../json/decode';
import { ShapeError } from '../errors/errors';
import type { V1 } from '../generated/v1';
import { isEditorFormat } from '../graph/parseGraph';
import type { InterfaceName, Job, JobStatus, JobWorkflow } from '../ports/job';
import type { JobPage } from '../ports/jobService';

/** v1's status values, of three vocabularies, in v2's words. */
const STATUS_OF_SERVICE_STATUS: ReadonlyMap<string, JobStatus> = new Map([
	['success', 'succeeded'],
	['completed', 'succeeded'],
	['error', 'failed'],
	['failed', 'failed'],
	['non_retryable_error', 'failed'],
	['lost', 'failed'],
	['cancelled', 'canceled'],
	['cancel_requested', 'canceling'],
	['preparing', 'running'],
	['executing', 'running'],
	['in_progress', 'running'],
]);

/** Status values that describe a failure better than its error does. */
const FAILURE_CODES: ReadonlySet<string> = new Set(['non_retryable_error', 'lost']);

/** Returns v2's word for a status of the service. An unknown status counts as a job that has not begun. */
export const jobStatusOf = (serviceStatus: string): JobStatus => STATUS_OF_SERVICE_STATUS.get(serviceStatus) ?? 'queued';

/** Returns the error code that a status of the service stands for; undefined if it stands for none. */
export const failureCodeOf = (serviceStatus: string): string | undefined => (FAILURE_CODES.has(serviceStatus) ? serviceStatus : undefined);

/** The status of a job by the part of the queue that it is in. The service status is the one that the job's own read returns. */
export const QUEUE_STATUSES = {
	running: { status: 'running', service_status: 'in_progress' },
	pending: { status: 'queued', service_status: 'pending' },
} as const;

/** Returns a job of which only the status is known. */
export const minimalJob = (jobId: string, name: InterfaceName, status: JobStatus, serviceStatus = 'unknown'): Job => ({
	job_id: jobId,
	interface: name,
	status,
	service_status: serviceStatus,
	created_at: null,
	started_at: null,
	completed_at: null,
	expires_at: null,
	queue_position: null,
	progress: null,
	metrics: null,
	outputs: [],
	job_error: null,
	urls: { self: null, events: null, cancel: null },
});

/** Decodes an entry of a job list, whose id and status are decoded already. */
export type EntryDecoder = (entry: JsonRecord, jobId: string, serviceStatus: string) => Job;

/** Returns a decoder of a page of `/api/jobs`, which engines have as well. It throws a ShapeError if the answer is not a list. */
export const jobPageDecoder =
	(decodeEntry: EntryDecoder, offset: number) =>
	(value: unknown): JobPage => {
		const { jobs, pagination } = requireRecord<V1['JobPage']>(value, 'page');
		if (!Array.isArray(jobs)) throw new ShapeError('page has no list');
		const page = recordsOf(jobs).flatMap((entry) => {
			const jobId = textOr(entry.id, undefined);
			return jobId === undefined ? [] : [decodeEntry(entry, jobId, textOr(entry.status, ''))];
		});
		const end = offset + jobs.length;
		const { has_more: hasMore, total } = recordOf<V1['JobPage']['pagination']>(pagination);
		const hasNext = jobs.length > 0 && (hasMore === true || (hasMore === undefined && numberOr(total, 0) > end));
		return { jobs: page, ...(hasNext && { nextCursor: String(end) }) };
	};

/**
 * Decodes the workflow in a job's record: the graph itself, `{workflow}`, or `{prompt}` with the submission's extra data,
 * which is dropped.
 * @returns undefined if the value is not an object.
 */
export function decodeJobWorkflow(value: unknown): JobWorkflow | undefined {
	if (!isRecord(value)) return undefined;
	const workflow = [value.prompt, value.workflow].find(isGraph) ?? value;
	return { format: isEditorFormat(workflow) ? 'save' : 'api', workflow };
}

/** A graph may have a node with the id `prompt`. That node has a class, a graph does not. */
const isGraph = (value: unknown): value is JsonRecord => isRecord(value) && typeof value.class_type !== 'string';
