/** The follow-up links that answers carry, as seen by one request. */
import type { FastifyRequest } from 'fastify';
import { faultOf } from '../faults/applyFault';
import type { AssetRecord } from '../service/assetRecords';
import type { Service } from '../service/service';

export interface JobLinks {
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
