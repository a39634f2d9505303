/** Jobs, outputs and assets as v2 answers them, with their links. */
import { LINK_LIFETIME_SECONDS } from '../storage/signedLinks';
import type { FastifyRequest } from 'fastify';
import type { AssetRecord } from '../service/assets';
import { type Job, type JobOutput, type JobProgress, NO_PROGRESS } from '../service/job';
import type { Service } from '../service/service';
import { toIsoTime } from '../json';
import type { JobStatus } from '../vocabulary';
import { faultOf } from '../faults';

/** The proxy drops all other results of a node, texts too. */
const SELF_HOSTED_OUTPUT_KINDS: ReadonlySet<string> = new Set(['image', 'video', 'audio', 'latent']);

/** A job in a deployment's list: with other field names than a job, and without outputs and links. */
export const presentListItem = (job: Job): Record<string, unknown> => ({
	id: job.id,
	status: job.status,
	create_time: toIsoTime(job.createdAt),
	update_time: toIsoTime(job.completedAt ?? job.startedAt ?? job.createdAt),
	deployment_id: 'sandbox-deployment',
	metadata: job.metadata ?? {},
});

/** The progress in reads and in the first event of a stream. The self-hosted proxy sends numbers only in later events. */
export function presentProgress({ status, progress }: Job, selfHosted: boolean): JobProgress | null {
	if (!selfHosted) return progress;
	return status === 'running' ? NO_PROGRESS : null;
}

function presentFacts(job: Job, { traits, runner }: Service): Record<string, unknown> {
	const { selfHosted } = traits;
	return {
		id: job.id,
		status: job.status,
		created_at: toIsoTime(job.createdAt),
		started_at: selfHosted ? null : isoOrNull(job.startedAt),
		completed_at: selfHosted ? null : isoOrNull(job.completedAt),
		expires_at: toIsoTime(job.expiresAt),
		queue_position: runner.positionOf(job),
		progress: presentProgress(job, selfHosted),
		error: presentError(job, selfHosted),
		...(selfHosted ? { outputs_reused: false, metadata: job.metadata, priority: null } : { metrics: metricsOf(job) }),
		...(traits.metadata === 'labels' && { metadata: job.metadata ?? {} }),
	};
}

/** @param status reported instead of the job's own. */
export function presentJob(job: Job, service: Service, links: Links, status: JobStatus = job.status): Record<string, unknown> {
	// The proxy reads outputs from the engine's history, which has an entry only after the job has ended.
	const outputs = service.traits.selfHosted && (!job.isTerminal || status === 'expired') ? [] : visibleOutputs(job, service);
	return {
		...presentFacts(job, service),
		status,
		outputs: outputs.map((output) => presentOutput(output, job, service, links)),
		urls: links.job(job.id),
	};
}

/** The outputs that a surface reports. */
export const visibleOutputs = ({ outputs }: Job, { traits }: Service): JobOutput[] =>
	traits.selfHosted ? outputs.filter(({ kind }) => SELF_HOSTED_OUTPUT_KINDS.has(kind)) : outputs;

export function presentOutput(output: JobOutput, job: Job, service: Service, links: Links): Record<string, unknown> {
	const { selfHosted } = service.traits;
	return {
		node_id: output.nodeId,
		name: output.name,
		// The engine's video nodes report their files as `images`, and the proxy uses that key.
		type: selfHosted && output.kind === 'video' ? 'image' : output.kind,
		content_type: output.asset.contentType,
		size_bytes: shownSize(output.asset, selfHosted),
		id: output.asset.id,
		hash: shownHash(output.asset, service),
		...links.content(output.asset),
		job_id: job.id,
	};
}

/** @param createdNew only for operations that create assets. */
export function presentAsset(asset: AssetRecord, service: Service, links: Links, createdNew?: boolean): Record<string, unknown> {
	return {
		id: asset.id,
		hash: shownHash(asset, service),
		size_bytes: shownSize(asset, service.traits.selfHosted),
		content_type: asset.contentType,
		file_path: asset.filePath,
		...(createdNew !== undefined && { created_new: createdNew }),
		created_at: toIsoTime(asset.createdAt),
		...links.content(asset),
		expires_at: isoOrNull(asset.expiresAt),
		job_id: asset.jobId,
	};
}

/** The proxy neither weighs nor hashes what its engine made. */
const shownSize = (asset: AssetRecord, selfHosted: boolean): number => (selfHosted && asset.jobId !== null ? 0 : asset.blob.sizeBytes);

const shownHash = (asset: AssetRecord, { behaviour, traits }: Service): string | null =>
	behaviour.hashes === 'null' || (traits.selfHosted && asset.jobId !== null) ? null : asset.blob.hash;

function presentError(job: Job, selfHosted: boolean): Record<string, unknown> | null {
	if (job.error === null) return null;
	const { message, node_id: nodeId, class_type: classType, traceback } = job.error;
	return {
		code: 'node_execution_error',
		message,
		node_id: nodeId,
		class_type: classType,
		traceback: selfHosted ? null : traceback.join(''),
	};
}

function metricsOf({ createdAt, startedAt, completedAt }: Job): Record<string, number | null> {
	return {
		queue_ms: startedAt === null ? null : startedAt - createdAt,
		execution_ms: startedAt === null || completedAt === null ? null : completedAt - startedAt,
	};
}

const isoOrNull = (time: number | null): string | null => (time === null ? null : toIsoTime(time));

export interface Links {
	job(id: string): Record<string, string>;
	content(asset: AssetRecord): { url: string; url_expires_at: string };
	signed(asset: AssetRecord): { url: string; expiresAt: string };
}

export function linksFor(service: Service, request: FastifyRequest): Links {
	const { behaviour, traits, signer } = service;
	const lifetimeSeconds = faultOf(request, 'expired_link') === undefined ? LINK_LIFETIME_SECONDS : 0;
	// The proxy trusts the Host header, and uses the scheme of its own socket.
	const ownOrigin = traits.selfHosted ? `http://${request.headers.host ?? ''}` : service.address();
	const origin = behaviour.linkOrigin ?? ownOrigin;
	const base = `${service.mountPrefix}/api/v2`;
	const jobBase = !traits.selfHosted && behaviour.links === 'relative' ? base : origin + base;

	const signed: Links['signed'] = (asset) => signer.sign(asset.blob.id, asset.contentType, lifetimeSeconds);
	return {
		signed,
		job: (id) => ({
			self: `${jobBase}/jobs/${id}`,
			events: `${jobBase}/jobs/${id}/events`,
			cancel: `${jobBase}/jobs/${id}/cancel`,
			...(traits.list === 'pages' && { logs: `${jobBase}/jobs/${id}/logs` }),
		}),
		content: (asset) => {
			if (!traits.selfHosted && behaviour.assetUrls === 'signed') {
				const { url, expiresAt } = signed(asset);
				return { url, url_expires_at: expiresAt };
			}
			const expiresAt = new Date(Date.now() + lifetimeSeconds * 1000).toISOString();
			return { url: `${origin}${base}/assets/${asset.id}/content`, url_expires_at: expiresAt };
		},
	};
}
