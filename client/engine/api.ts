import type { ServiceAddress } from '../address';
import { type ApiLimits, ServiceApi } from '../api';
import type { ApiError } from '../errors';
import type { HttpClient } from '../transport/http';
import type { HttpResponse } from '../transport/response';
import { refusalOf } from './refusal';

/** A bare ComfyUI. Each of its routes also answers under `/api`, where reverse proxies expect them. */
export class EngineApi extends ServiceApi {
	constructor(http: HttpClient, address: ServiceAddress, limits: ApiLimits) {
		super(http, address, limits, '/api');
	}

	override async refusalOf(response: HttpResponse): Promise<ApiError> {
		return await refusalOf(response);
	}

	/** Its answers hold no links. */
	override resolve(link: string): string {
		return link;
	}
}
