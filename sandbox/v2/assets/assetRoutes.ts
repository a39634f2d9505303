/** Reads of one asset, its bytes, and its end. */
import type { FastifyInstance } from 'fastify';
import { sendBlob } from '../../http/sendBlob';
import type { AccountName } from '../../vocabulary';
import { linksFor } from '../links';
import { presentAsset } from '../present';
import { Refusal } from '../../service/refusal';
import { notFound, requireEngineForFiles, type Service } from '../../service/service';
import { createAssetRoutes } from './createAssetRoutes';
import type { AssetRecord } from '../../service/assetRecords';

interface AssetRoute {
	Params: { id: string };
}

export function assetRoutes(app: FastifyInstance, service: Service): void {
	const { assets, behaviour, blobs, traits } = service;
	createAssetRoutes(app, service);

	app.head<{ Params: { hash: string } }>('/assets/by-hash/:hash', (request, reply) => {
		const known = behaviour.hashes === 'given' && assets.known(request.account, request.params.hash) !== undefined;
		return reply.code(known ? 200 : 404).send();
	});

	app.get<AssetRoute>('/assets/:id', (request) =>
		presentAsset(findAsset(service, request.account, request.params.id), service, linksFor(service, request)),
	);

	app.delete<AssetRoute>('/assets/:id', (request, reply) => {
		const asset = findAsset(service, request.account, request.params.id);
		if (traits.selfHosted && asset.jobId !== null) throw notFound(service, 'asset');
		if (!traits.selfHosted && isInUse(asset, service)) {
			throw new Refusal({ status: 409, code: 'asset_in_use', message: 'The asset is in use' });
		}
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

const isInUse = ({ id }: AssetRecord, { jobs }: Service): boolean =>
	[...jobs.values()].some((job) => !job.terminal && job.inputIds.has(id));
