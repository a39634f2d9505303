/** Jobs, outputs and assets as v2 answers them, with their links. */
import type { FastifyRequest } from 'fastify';
import type { AssetRecord } from '../service/assets';
import type { Job, JobOutput, JobProgress } from '../service/job';
import type { Service } from '../service/service';
import { iso } from '../json';
import type { JobStatus } from '../vocabulary';
import { faultOf } from '../faults';

/** What reads of the self-hosted proxy, and the first event of its streams, have while a job runs; live numbers come later in the stream. */
const BLIND_PROGRESS: JobProgress = {
	value: 0,
	nodes_done: 0,
	nodes_total: 0,
	current_node: null,
	current_node_class: null,
	step: null,
	steps: null,
	message: null,
};

/** The proxy drops every other key of a node's results, texts as well. */
const SELF_HOSTED_OUTPUT_KINDS: ReadonlySet<string> = new Set(['image', 'video', 'audio', 'latent']);

/** A job as lists of deployments have it: under other names than the job itself has, without its outputs and links. */
export const presentListItem = (job: Job): Record<string, unknown> => ({
	id: job.id,
	status: job.status,
	create_time: iso(job.createdAt),
	update_time: iso(job.completedAt ?? job.startedAt ?? job.createdAt),
	deployment_id: 'sandbox-deployment',
	metadata: job.metadata ?? {},
});

/** As reads and the first event of a stream have it. */
export function presentProgress({ status, progress }: Job, selfHosted: boolean): JobProgress | null {
	if (!selfHosted) return progress;
	return status === 'running' ? BLIND_PROGRESS : null;
}

function presentFacts(job: Job, { traits, runner }: Service): Record<string, unknown> {
	const { selfHosted } = traits;
	return {
		id: job.id,
		status: job.status,
		created_at: iso(job.createdAt),
		started_at: selfHosted ? null : isoOrNull(job.startedAt),
		completed_at: selfHosted ? null : isoOrNull(job.completedAt),
		expires_at: iso(job.expiresAt),
		queue_position: runner.positionOf(job),
		progress: presentProgress(job, selfHosted),
		error: presentError(job, selfHosted),
		...(selfHosted ? { outputs_reused: false, metadata: job.metadata, priority: job.priority } : { metrics: metricsOf(job) }),
		...(traits.metadata === 'labels' && { metadata: job.metadata ?? {} }),
	};
}

/** @param status what to say in place of the job's own. */
export function presentJob(job: Job, service: Service, links: Links, status: JobStatus = job.status): Record<string, unknown> {
	// The proxy reads outputs from the engine's history, which has an entry only once the job has ended.
	const outputs = service.traits.selfHosted && (!job.terminal || status === 'expired') ? [] : shownOutputs(job, service);
	return {
		...presentFacts(job, service),
		status,
		outputs: outputs.map((output) => presentOutput(output, job, service, links)),
		urls: links.job(job.id),
	};
}

/** What a surface tells of all that its engine has made. */
export const shownOutputs = ({ outputs }: Job, { traits }: Service): JobOutput[] =>
	traits.selfHosted ? outputs.filter(({ kind }) => SELF_HOSTED_OUTPUT_KINDS.has(kind)) : outputs;

export function presentOutput(output: JobOutput, job: Job, service: Service, links: Links): Record<string, unknown> {
	const { selfHosted } = service.traits;
	return {
		node_id: output.nodeId,
		name: output.name,
		// The engine's own video nodes report under `images`, and the proxy goes by that key.
		type: selfHosted && output.kind === 'video' ? 'image' : output.kind,
		content_type: output.asset.contentType,
		size_bytes: shownSize(output.asset, selfHosted),
		id: output.asset.id,
		hash: shownHash(output.asset, service),
		...links.content(output.asset),
		job_id: job.id,
	};
}

/** @param createdNew given by the operations that create. */
export function presentAsset(asset: AssetRecord, service: Service, links: Links, createdNew?: boolean): Record<string, unknown> {
	return {
		id: asset.id,
		hash: shownHash(asset, service),
		size_bytes: shownSize(asset, service.traits.selfHosted),
		content_type: asset.contentType,
		file_path: asset.filePath,
		...(createdNew !== undefined && { created_new: createdNew }),
		created_at: iso(asset.createdAt),
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

const isoOrNull = (time: number | null): string | null => (time === null ? null : iso(time));

interface JobLinks {
	self: string;
	events: string;
	cancel: string;
	logs?: string;
}

export interface Links {
	job(id: string): JobLinks;
	content(asset: AssetRecord): { url: string; url_expires_at: string };
	signed(asset: AssetRecord): { url: string; expiresAt: string };
}

export function linksFor(service: Service, request: FastifyRequest): Links {
	const { behaviour, traits, signer } = service;
	const lifetimeSeconds = faultOf(request, 'expired_link') === undefined ? behaviour.linkLifetimeSeconds : 0;
	// The proxy takes the Host header at its word, and the scheme of its own socket.
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
			...(traits.logs === 'text' && { logs: `${jobBase}/jobs/${id}/logs` }),
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
