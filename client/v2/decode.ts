import type { Decoder, LinkResolver } from '../api';
import { isRecord, numberOr, requireRecord, recordsOf, requireText, textOr, type Told } from '../decode';
import { ShapeError } from '../errors';
import type { V2 } from '../generated/v2';
import type { Asset, Job, JobError, JobOutput, JobProgress, JobUrls, JobWorkflow } from '../job';
import { madeByIn } from '../madeBy';
import type { JobPage } from '../ports';
import { outputReference } from './outputReference';

/** @throws ShapeError when this is no job. */
export function decodeJob(value: unknown, resolve: LinkResolver): Job {
	const { id, error, ...rest } = requireRecord<V2['Job'] & V2['JobListItem']>(value, 'job');
	const status = requireText(rest.status, 'job.status');
	return {
		...rest,
		job_id: requireText(id, 'job.id'),
		interface: 'v2',
		status,
		service_status: status,
		// Lists of deployments have their own name for it.
		created_at: textOr(rest.created_at, textOr(rest.create_time, null)),
		started_at: textOr(rest.started_at, null),
		completed_at: textOr(rest.completed_at, null),
		expires_at: textOr(rest.expires_at, null),
		queue_position: numberOr(rest.queue_position, null),
		progress: isRecord(rest.progress) ? decodeProgress(rest.progress) : null,
		outputs: recordsOf(rest.outputs).map((output) => decodeOutput(output, resolve)),
		job_error: isRecord(error) ? decodeJobError(error) : null,
		urls: decodeUrls(isRecord(rest.urls) ? rest.urls : {}, resolve),
		...madeByIn(rest.metadata),
	};
}

export function decodeProgress(progress: Told<V2['Progress']>): JobProgress {
	return {
		...(progress as object),
		value: numberOr(progress.value, 0),
		nodes_done: numberOr(progress.nodes_done, 0),
		nodes_total: numberOr(progress.nodes_total, 0),
	};
}

export function decodeOutput(output: Told<V2['Output']>, resolve: LinkResolver): JobOutput {
	const [id, hash] = [textOr(output.id, ''), textOr(output.hash, null)];
	return {
		...(output as object),
		node_id: textOr(output.node_id, ''),
		name: textOr(output.name, ''),
		type: textOr(output.type, 'file'),
		content_type: textOr(output.content_type, 'application/octet-stream'),
		size_bytes: numberOr(output.size_bytes, 0),
		id,
		hash,
		url: typeof output.url === 'string' ? resolve(output.url) : '',
		url_expires_at: textOr(output.url_expires_at, null),
		reference: outputReference({ id, hash }),
	};
}

function decodeJobError(error: Told<V2['JobError']>): JobError {
	return {
		...error,
		code: textOr(error.code, 'unknown'),
		message: textOr(error.message, ''),
		node_id: textOr(error.node_id, null),
		class_type: textOr(error.class_type, null),
		traceback: textOr(error.traceback, null),
	};
}

function decodeUrls(urls: Told<V2['Job']['urls']>, resolve: LinkResolver): JobUrls {
	const link = (name: keyof typeof urls) => (typeof urls[name] === 'string' ? resolve(urls[name]) : null);
	return {
		...(urls as object),
		self: link('self'),
		events: link('events'),
		cancel: link('cancel'),
		...(urls.logs !== undefined && { logs: link('logs') }),
	};
}

/** @throws ShapeError when this is no asset. */
export function decodeAsset(value: unknown, resolve: LinkResolver): Asset {
	const asset = requireRecord<V2['Asset']>(value, 'asset');
	return {
		...(asset as object),
		id: requireText(asset.id, 'asset.id'),
		hash: textOr(asset.hash, null),
		size_bytes: numberOr(asset.size_bytes, 0),
		content_type: textOr(asset.content_type, 'application/octet-stream'),
		created_at: textOr(asset.created_at, null),
		url: typeof asset.url === 'string' ? resolve(asset.url) : '',
		url_expires_at: textOr(asset.url_expires_at, null),
	};
}

/** @throws ShapeError when this is no workflow answer. */
export function decodeWorkflow(value: unknown): JobWorkflow {
	const answer = requireRecord<V2['JobWorkflow']>(value, 'answer');
	return { ...answer, workflow: requireRecord(answer.workflow, 'workflow'), format: requireText(answer.format, 'format') };
}

/**
 * A list that knows no cursors says how far it looked; where it is full, more may be behind it all the same.
 * @param limit how many were asked for.
 * @throws ShapeError when this is no page. An empty list may be absent, as the last page's cursor may be.
 */
export const pageDecoder =
	(limit: number): Decoder<JobPage> =>
	(value, resolve) => {
		const { jobs = null, next_cursor, truncated } = requireRecord<V2['JobPage']>(value, 'page');
		if (jobs !== null && !Array.isArray(jobs)) throw new ShapeError('page holds no list');
		const nextCursor = textOr(next_cursor, undefined);
		const decoded = recordsOf(jobs).map((job) => decodeJob(job, resolve));
		const isCut = typeof truncated === 'boolean' && nextCursor === undefined && (truncated || decoded.length >= limit);
		return { jobs: decoded, ...(nextCursor !== undefined && { nextCursor }), ...(isCut && { isTruncated: true }) };
	};
