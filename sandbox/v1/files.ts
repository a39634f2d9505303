/** Stored files by name, in one flat, content-addressed namespace for each account, and `GET /api/view`. */
import { LINK_LIFETIME_SECONDS } from '../storage/signedLinks';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { type Blob, sendBlob, type StoredFile } from '../storage/blobs';
import type { AccountName } from '../vocabulary';
import type { Job, JobOutput } from '../service/job';
import type { Service } from '../service/service';
import { resultKey } from '../graphEngine/nodeClasses';
import type { OutputFile } from '../socket/runFrames';
import { faultOf } from '../faults';
import { Refusal } from '../service/traits';
import { invalid, unknown } from './refusals';

/** @param extension with its dot, or empty. */
export const contentName = ({ hash, id }: Blob, extension: string): string => (hash?.replace('blake3:', '') ?? id) + extension;

/** The file of an output, as v1 reports it. */
export function fileOf({ name, temporary, asset }: JobOutput): OutputFile {
	const extension = /^\.[a-z0-9]{1,16}$/i.exec(path.posix.extname(name))?.[0] ?? '';
	return { filename: contentName(asset.blob, extension), subfolder: '', type: temporary ? 'temp' : 'output' };
}

export const outputKey = ({ kind, asset }: JobOutput): string => resultKey(kind, asset.contentType);

/** Node id → its outputs by key. */
export function outputsOf(job: Job): Record<string, Record<string, OutputFile[]>> {
	const nodes: Record<string, Record<string, OutputFile[]>> = {};
	for (const output of job.outputs) ((nodes[output.nodeId] ??= {})[outputKey(output)] ??= []).push(fileOf(output));
	return nodes;
}

/** An upload, or an output of a job within its retention. */
export function findFile({ assets, jobs }: Service, account: AccountName, filename: string): StoredFile | undefined {
	const upload = assets.findByName(account, filename);
	if (upload !== undefined) return upload;
	for (const job of jobs.values()) {
		if (job.account !== account || job.expiresAt <= Date.now()) continue;
		const output = job.outputs.find((one) => fileOf(one).filename === filename);
		if (output !== undefined) return output.asset;
	}
	return undefined;
}

export function v1ViewRoute(app: FastifyInstance, service: Service): void {
	const { behaviour, blobs, signer } = service;

	// `subfolder` and `type` have no effect.
	app.get<{ Querystring: Record<string, string> }>('/view', (request, reply) => {
		const { filename = '' } = request.query;
		if (filename === '') throw invalid('filename is required');
		const file = findFile(service, request.account, filename);
		if (file === undefined) throw unknown('file');
		if (behaviour.v1View === 'redirect') {
			const lifetimeSeconds = faultOf(request, 'expired_link') === undefined ? LINK_LIFETIME_SECONDS : 0;
			return reply.redirect(signer.sign(file.blob.id, file.contentType, lifetimeSeconds).url, 302);
		}
		if (!sendBlob(request, reply, blobs, file.blob, file.contentType)) {
			throw new Refusal({ status: 416, code: 'range_not_satisfiable', message: 'The requested range is beyond the end' });
		}
		return reply;
	});
}
