/** Creating, reading and deleting assets. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendBlob } from '../storage/blobs';
import type { AccountName } from '../vocabulary';
import { keyReuse, malformed, Refusal, unreadable } from '../service/traits';
import { notFound, requireEngineForFiles, type Service } from '../service/service';
import type { AssetRecord } from '../service/assets';
import { readKey } from '../http/routes';
import { linksFor, presentAsset } from './present';
import { readExpiresIn, receiveUpload, type Upload } from './receiveUpload';

interface AssetRoute {
	Params: { id: string };
}

export function assetRoutes(app: FastifyInstance, service: Service): void {
	const { assets, behaviour, blobs, traits } = service;
	createAssetRoutes(app, service);

	app.head<{ Params: { hash: string } }>('/assets/by-hash/:hash', (request, reply) => {
		const known = behaviour.hashes === 'given' && assets.findBytes(request.account, request.params.hash) !== undefined;
		return reply.code(known ? 200 : 404).send();
	});

	app.get<AssetRoute>('/assets/:id', (request) =>
		presentAsset(findAsset(service, request.account, request.params.id), service, linksFor(service, request)),
	);

	app.delete<AssetRoute>('/assets/:id', (request, reply) => {
		const asset = findAsset(service, request.account, request.params.id);
		if (traits.selfHosted && asset.jobId !== null) throw notFound(service, 'asset');
		assets.delete(asset.id);
		return reply.code(204).send();
	});

	app.get<AssetRoute>('/assets/:id/content', (request, reply) => {
		const asset = findAsset(service, request.account, request.params.id);
		requireEngineForFiles(service);
		if (!traits.selfHosted) return reply.redirect(linksFor(service, request).signed(asset).url, 302);
		if (!sendBlob(request, reply, blobs, asset.blob, asset.contentType)) {
			throw new Refusal({ status: 416, code: 'range_not_satisfiable', message: 'The requested range is beyond the end' });
		}
		return reply;
	});
}

function findAsset(service: Service, account: AccountName, id: string): AssetRecord {
	const asset = service.assets.get(account, id);
	if (asset === undefined) throw notFound(service, 'asset');
	return asset;
}

interface Created {
	asset: AssetRecord;
	status: 200 | 201;
}

function createAssetRoutes(app: FastifyInstance, service: Service): void {
	app.post('/assets', async (request, reply) => {
		// The self-hosted proxy ignores the key here.
		const key = service.traits.selfHosted ? undefined : readKey(request, (message) => unreadable(service.traits, message));
		const claim = key === undefined ? undefined : service.uploadKeys.claim(request.account, key);
		if (claim !== undefined && 'taken' in claim) throw keyReuse();
		try {
			return send(request, reply, service, keep(request, service, await receiveUpload(request.raw, service)));
		} catch (error) {
			if (error instanceof Refusal) claim?.release();
			throw error;
		}
	});

	app.post('/assets/from-hash', (request, reply) => send(request, reply, service, mintFromHash(request, service)));
}

const send = (request: FastifyRequest, reply: FastifyReply, service: Service, { asset, status }: Created): FastifyReply =>
	reply.code(status).send(presentAsset(asset, service, linksFor(service, request), status === 201));

function keep({ account }: FastifyRequest, service: Service, upload: Upload): Created {
	const { assets, behaviour, traits } = service;
	const { blob, expectedHash, ...rest } = upload;
	if (expectedHash !== undefined && expectedHash !== blob.hash) {
		throw new Refusal({
			status: 409,
			code: 'hash_mismatch',
			message: `The bytes have hash ${blob.hash ?? 'unknown'}, not ${expectedHash}`,
		});
	}
	const known = blob.hash === null || behaviour.hashes === 'null' ? undefined : assets.findBytes(account, blob.hash);
	if (blob.hash === null || known === undefined) return { asset: assets.mint({ account, blob, ...rest }), status: 201 };

	// The self-hosted proxy compares only the bytes. It returns the first record, with its own name.
	const existing = assets.findUpload(account, blob.hash, traits.selfHosted ? undefined : upload.filePath);
	return { asset: existing ?? assets.mint({ account, blob: known.blob, ...rest }), status: 200 };
}

function mintFromHash({ account, body }: FastifyRequest, service: Service): Created {
	const { assets, behaviour, traits } = service;
	const { hash, file_path: filePath = null, expires_in: expiresIn } = readFields(body);
	if (typeof hash !== 'string') throw malformed(traits, 'hash is required');
	if (filePath !== null && typeof filePath !== 'string') throw malformed(traits, 'file_path must be a string');
	const expiresAt = readExpiresIn(expiresIn, traits);
	const known = behaviour.hashes === 'null' ? undefined : assets.findBytes(account, hash);
	const existing = known && assets.findUpload(account, hash, traits.selfHosted ? undefined : filePath);
	if (existing !== undefined) return { asset: existing, status: 200 };
	if (known === undefined || traits.selfHosted) {
		throw new Refusal({ status: 404, code: 'blob_not_found', message: 'No such bytes' });
	}
	return { asset: assets.mint({ account, ...known, filePath, expiresAt }), status: 201 };
}

const readFields = (body: unknown): Record<string, unknown> => (typeof body === 'object' && body !== null ? { ...body } : {});
