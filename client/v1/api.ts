import type { ServiceAddress } from '../address';
import { type ApiLimits, ServiceApi } from '../api';
import type { ApiError } from '../errors';
import type { HttpClient } from '../transport/http';
import type { HttpResponse } from '../transport/response';
import { v1Refusal } from './refusal';

/** The deprecated v1 interface of the hosted surface. Its answers hold no links: addresses are built. */
export class V1Api extends ServiceApi {
	constructor(http: HttpClient, address: ServiceAddress, limits: ApiLimits) {
		super(http, address, limits, '/api');
	}

	protected override async ownRefusal(response: HttpResponse): Promise<ApiError> {
		return await v1Refusal(response);
	}

	override resolve(link: string, { url }: HttpResponse): string {
		return URL.canParse(link, url.origin) ? new URL(link, url.origin).href : link;
	}
}
