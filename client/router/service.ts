import type { JsonRecord } from '../records';
import type { CallOptions } from '../services';
import type { RouterApi } from './api';
import { type PageOptions, readModel, readPage, walkModels } from './catalog';
import { InputSchemas } from './inputSchemas';
import { isPassingTrouble, linksOf, readResult, readStatus, readStored, sendCancel } from './requests';
import { runModel } from './run';
import { collect, type CollectOptions, type QueuedOptions, runQueued } from './runQueued';
import type {
	ModelRouter,
	RouterFacts,
	RouterInputSchema,
	RouterModel,
	RouterModelId,
	RouterModelPage,
	RouterRequest,
	RouterRequestAddress,
	RouterRun,
	RouterRunOptions,
} from './types';

export class RouterService implements ModelRouter {
	private readonly schemas: InputSchemas;

	constructor(private readonly api: RouterApi) {
		this.schemas = new InputSchemas(api);
	}

	async page(options?: PageOptions): Promise<RouterModelPage> {
		return await readPage(this.api, options);
	}

	models(options?: CallOptions): AsyncGenerator<RouterModel, void, undefined> {
		return walkModels(this.api, options);
	}

	async model(id: RouterModelId, options?: CallOptions): Promise<RouterModel & RouterFacts> {
		return await readModel(this.api, id, options);
	}

	async inputSchema(id: RouterModelId, options?: CallOptions): Promise<RouterInputSchema> {
		return await this.schemas.read(id, options);
	}

	async run(id: RouterModelId, input: JsonRecord, options: RouterRunOptions): Promise<RouterRun> {
		return await runModel(this.api, id, input, options);
	}

	async runQueued(id: RouterModelId, input: JsonRecord, options: QueuedOptions): Promise<RouterRun> {
		return await runQueued(this.api, id, input, options);
	}

	async collect(address: RouterRequestAddress, options: CollectOptions): Promise<RouterRun> {
		return await collect(this.api, address, options);
	}

	async requestStatus(address: RouterRequestAddress, options: CallOptions = {}): Promise<RouterRequest> {
		return await this.api.repeat(async () => await readStatus(this.api, (await linksOf(this.api, address, {}, options)).status, options), options);
	}

	async requestResult(address: RouterRequestAddress, { request, ...options }: CallOptions & { request?: RouterRequest } = {}): Promise<RouterRun | undefined> {
		if (request !== undefined && request.error_type !== null) {
			return await readStored(this.api, (await linksOf(this.api, address, {}, options)).result, null, request, options);
		}
		const attempt = async () => await readResult(this.api, (await linksOf(this.api, address, {}, options)).result, null, options);
		return await this.api.repeat(attempt, options, { isWorthRetrying: isPassingTrouble });
	}

	async cancelRequest(address: RouterRequestAddress, options: CallOptions = {}): Promise<{ status: string } & RouterFacts> {
		return await this.api.repeat(async () => await sendCancel(this.api, (await linksOf(this.api, address, {}, options)).cancel, options), options);
	}
}
