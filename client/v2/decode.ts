import type { Decoder, LinkResolver } from '../requests/serviceApi';
import { decodeTraceback } from '../comfyui/traceback';
import { isRecord, numberOr, parseIfJson, recordOf, recordsOf, requireRecord, requireText, textOr, type Unchecked } from '../json/decode';
import { ShapeError } from '../errors/errors';
import { toAnnotatedName } from '../files/fileNames';
import type { V2 } from '../generated/v2';
import type { Asset, AssetReference, FileReference, Job, JobError, JobOutput, JobProgress, JobUrls, JobWorkflow } from '../ports/job';
import { readMadeBy } from '../ports/madeBy';
import type { JobPage } from '../ports/jobService';

/**
 * Decodes a job, also an entry of a list.
 * @throws ShapeError if it is not a job.
 */
export function decodeJob(value: unknown, resolve: LinkResolver): Job {
	const { id, error, ...rest } = requireRecord<V2['Job'] & V2['JobListItem']>(value, 'job');
	const status = requireText(rest.status, 'job.status');
	return {
		...rest,
		job_id: requireText(id, 'job.id'),
		interface: 'v2',
		status,
		service_status: status,
		// The lists of deployments use `create_time`.
		created_at: textOr(rest.created_at, textOr(rest.create_time, null)),
		started_at: textOr(rest.started_at, null),
		completed_at: textOr(rest.completed_at, null),
		expires_at: textOr(rest.expires_at, null),
		queue_position: numberOr(rest.queue_position, null),
		progress: isRecord(rest.progress) ? decodeProgress(rest.progress) : null,
		outputs: recordsOf(rest.outputs).map((output) => decodeOutput(output, resolve)),
		job_error: isRecord(error) ? decodeJobError(error) : null,
		urls: decodeUrls(recordOf(rest.urls), resolve),
		...readMadeBy(rest.metadata),
	};
}

export function decodeProgress(progress: Unchecked<V2['Progress']>): JobProgress {
	return {
		...(progress as object),
		value: numberOr(progress.value, 0),
		nodes_done: numberOr(progress.nodes_done, 0),
		nodes_total: numberOr(progress.nodes_total, 0),
	};
}

export function decodeOutput(output: Unchecked<V2['Output']>, resolve: LinkResolver): JobOutput {
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
		url: linkOrNull(output.url, resolve),
		url_expires_at: textOr(output.url_expires_at, null),
		reference: toOutputReference({ id, hash }),
	};
}

function decodeJobError(error: Unchecked<V2['JobError']>): JobError {
	return {
		...error,
		code: textOr(error.code, 'unknown'),
		message: textOr(error.message, ''),
		node_id: textOr(error.node_id, null),
		class_type: textOr(error.class_type, null),
		traceback: decodeTraceback(error.traceback),
	};
}

/** Returns null if the service sent no link. */
const linkOrNull = (link: unknown, resolve: LinkResolver): string | null =>
	typeof link === 'string' && link !== '' ? resolve(link) : null;

function decodeUrls(urls: Unchecked<V2['Job']['urls']>, resolve: LinkResolver): JobUrls {
	return {
		...(urls as object),
		self: linkOrNull(urls.self, resolve),
		events: linkOrNull(urls.events, resolve),
		cancel: linkOrNull(urls.cancel, resolve),
		...(urls.logs !== undefined && { logs: linkOrNull(urls.logs, resolve) }),
	};
}

/**
 * Decodes an asset.
 * @throws ShapeError if it is not an asset.
 */
export function decodeAsset(value: unknown, resolve: LinkResolver): Asset {
	const asset = requireRecord<V2['Asset']>(value, 'asset');
	return {
		...(asset as object),
		id: requireText(asset.id, 'asset.id'),
		hash: textOr(asset.hash, null),
		size_bytes: numberOr(asset.size_bytes, 0),
		content_type: textOr(asset.content_type, 'application/octet-stream'),
		created_at: textOr(asset.created_at, null),
		url: linkOrNull(asset.url, resolve),
		url_expires_at: textOr(asset.url_expires_at, null),
	};
}

/**
 * Decodes the workflow of a job.
 * @throws ShapeError if it is not one.
 */
export function decodeWorkflow(value: unknown): JobWorkflow {
	const answer = requireRecord<V2['JobWorkflow']>(value, 'answer');
	return { ...answer, workflow: requireRecord(answer.workflow, 'workflow'), format: requireText(answer.format, 'format') };
}

/**
 * Returns a decoder for a page of jobs. A list without cursors reports whether it is truncated; if it is full, more
 * jobs may follow anyway. An empty list may be absent, and so may the cursor of the last page.
 * @param limit the requested page size.
 * @throws ShapeError if it is not a page.
 */
export const pageDecoder =
	(limit: number): Decoder<JobPage> =>
	(value, resolve) => {
		const { jobs = null, next_cursor, truncated } = requireRecord<V2['JobPage']>(value, 'page');
		if (jobs !== null && !Array.isArray(jobs)) throw new ShapeError('page has no list');
		const nextCursor = textOr(next_cursor, undefined);
		const decoded = recordsOf(jobs).map((job) => decodeJob(job, resolve));
		const isCut = typeof truncated === 'boolean' && nextCursor === undefined && (truncated || decoded.length >= limit);
		return { jobs: decoded, ...(nextCursor !== undefined && { nextCursor }), ...(isCut && { isTruncated: true }) };
	};

/** Returns the value for a graph that uses an asset. The id identifies it, and the rest are hints. */
export const toAssetReference = ({ id, hash, file_path }: Pick<Asset, 'id' | 'hash' | 'file_path'>): AssetReference => ({
	__type: 'core/ASSET',
	info: { id: id ?? '', ...(hash && { hash }), ...(file_path && { file_path }) },
});

/**
 * Returns the value for a graph that uses a job's output. On the service an output is an asset. On the API proxy it is
 * not: the proxy (0.1.6) would pass only the name to its engine, which looks for it among the inputs. A text reaches
 * the engine unchanged.
 * @returns null if the output has no id.
 */
function toOutputReference({ id, hash }: { id: string; hash: string | null }): AssetReference | null {
	if (id === '') return null;
	const file = parseProxyId(id);
	return file === undefined ? toAssetReference({ id, hash }) : toAnnotatedName(file);
}

/** The ids of the API proxy are signed JSON, `<payload>.<signature>`. Returns the engine's file in the payload. */
function parseProxyId(id: string): FileReference | undefined {
	const payload = /^(?:asset_)?([\w-]{8,})(?:\.[\w-]+)?$/.exec(id)?.[1];
	if (payload === undefined) return undefined;
	const json = parseIfJson(Buffer.from(payload, 'base64url').toString('utf8'));
	const { f: filename, s: subfolder, t: type } = recordOf(json);
	if (typeof filename !== 'string' || filename === '' || typeof subfolder !== 'string' || typeof type !== 'string') return undefined;
	return { filename, subfolder, type };
}
