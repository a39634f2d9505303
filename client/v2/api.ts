import type { ServiceAddress } from '../address';
import { type ApiLimits, ServiceApi } from '../api';
import type { ApiError } from '../errors';
import type { HttpClient } from '../transport/http';
import type { HttpResponse } from '../transport/response';
import { resolveLink } from './links';
import { v2Refusal } from './refusal';

/** The v2 interface: links are followed, and refusals come in its envelope. */
export class V2Api extends ServiceApi {
	constructor(
		http: HttpClient,
		address: ServiceAddress,
		limits: ApiLimits,
		private readonly keepLinksOnBaseOrigin: boolean,
	) {
		super(http, address, limits, '/api/v2');
	}

	protected override async ownRefusal(response: HttpResponse): Promise<ApiError> {
		return await v2Refusal(response);
	}

	override resolve(link: string, { url }: HttpResponse): string {
		return resolveLink(link, url, this.keepLinksOnBaseOrigin ? this.address : undefined);
	}
}
