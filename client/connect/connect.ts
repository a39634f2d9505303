import { randomUUID } from 'node:crypto';

import { throwIfStopped } from '../async/stoppableWait';
import { ServerLibrary } from '../comfyui/library/serverLibrary';
import { nameInGraph, outputDecoder, toFileUrl } from '../comfyui/outputs';
import { QueueControl } from '../comfyui/queueControl';
import { openFeed } from '../comfyui/socketFeed';
import type { ConnectSettings, EngineConnection, ServerConnection } from '../connection/connection';
import { createConnectionParts } from '../connection/parts';
import { EngineApi, readEngineVersion } from '../engine/api';
import { EngineAssetStore } from '../engine/assets';
import { ClientId } from '../engine/clientId';
import { EngineControl } from '../engine/control';
import { EarlierPrompts } from '../engine/earlierPrompts';
import { EngineJobList } from '../engine/list';
import { EngineMaintenance } from '../engine/maintenance';
import { OptionalRoutes } from '../engine/optionalRoutes';
import { EngineReader } from '../engine/reader';
import { EngineJobService } from '../engine/service';
import { ApiError } from '../errors/errors';
import { toAnnotatedName } from '../files/fileNames';
import type { JobLister } from '../list/listJobs';
import type { JobPage, ListOptions } from '../ports/jobService';
import { V1Api, verifyV1Access } from '../v1/api';
import { V1AssetStore } from '../v1/assets';
import { V1JobService } from '../v1/service';
import { V2Api, verifyV2Access } from '../v2/api';
import { V2AssetStore } from '../v2/assets';
import { JobLabels } from '../v2/labels';
import { V2JobService } from '../v2/service';

/**
 * Creates a connection. It sends nothing yet.
 * @throws ConnectionError `invalid_address` for an unusable base URL; ApiError `unauthorized` for a key or an
 *   authorization that cannot be sent.
 */
export function connect(settings: ConnectSettings): ServerConnection {
	switch (settings.interface) {
		case 'v2':
			return connectV2(settings);
		case 'v1':
			return connectV1(settings);
		case 'engine':
			return connectEngine(settings);
	}
}

/** Connects to a v2 interface: the hosted service, a deployment, or the API proxy. */
function connectV2(settings: ConnectSettings): ServerConnection {
	const { http, address, limits, identity } = createConnectionParts(settings);
	const api = new V2Api(http, address, limits, settings.keepLinksOnBaseOrigin ?? false);
	const accountJobs = settings.hostedUrl === undefined ? undefined : new AccountJobLister(settings, settings.hostedUrl, http.closed);
	return {
		interface: 'v2',
		jobs: new V2JobService(api, identity, JobLabels.at(address, settings), accountJobs),
		assets: new V2AssetStore(api),
		verifyAccess: async (options) => {
			await verifyV2Access(api, options);
			return { interface: 'v2', version: null };
		},
		close: async () => void (await Promise.all([http.close(), accountJobs?.close()])),
	};
}

/** Lists the account's jobs over v1, for v2 services without a list. It is rarely needed, so it connects on the first call. */
class AccountJobLister implements JobLister {
	private connection?: ServerConnection;

	constructor(
		private readonly settings: ConnectSettings,
		private readonly hostedUrl: string,
		private readonly closed: AbortSignal,
	) {}

	async list(options?: ListOptions): Promise<JobPage> {
		throwIfStopped(this.closed);
		this.connection ??= connectV1({ ...this.settings, contact: undefined, interface: 'v1', baseUrl: this.hostedUrl });
		return await this.connection.jobs.list(options);
	}

	async close(): Promise<void> {
		await this.connection?.close();
	}
}

/** Connects to the v1 interface of the hosted service. */
function connectV1(settings: ConnectSettings): ServerConnection {
	const parts = createConnectionParts(settings);
	const { http } = parts;
	const api = new V1Api(http, parts.address, parts.limits);
	const decodeOutputs = outputDecoder((file) => toFileUrl(api, file), nameInGraph);
	const feed = openFeed(settings, parts, api, decodeOutputs, { take: randomUUID });
	return {
		interface: 'v1',
		jobs: new V1JobService(api, parts.identity, feed, decodeOutputs),
		assets: new V1AssetStore(api),
		control: new QueueControl(api),
		feed,
		library: new ServerLibrary(api, 'v1'),
		verifyAccess: async (options) => {
			await verifyV1Access(api, options);
			return { interface: 'v1', version: null };
		},
		close: async () => void (await Promise.all([http.close(), feed.close()])),
	};
}

/**
 * Connects to a bare ComfyUI at `baseUrl`. It has no accounts, so no key is sent.
 * @throws also ApiError `unauthorized` for an authorization that a header cannot contain.
 */
function connectEngine(entered: ConnectSettings): EngineConnection {
	const settings: ConnectSettings = {
		...entered,
		interface: 'engine',
		token: undefined,
		authorization: parseAuthorization(entered.authorization),
	};
	const parts = createConnectionParts(settings);
	const api = new EngineApi(parts.http, parts.address, parts.limits);
	const decodeOutputs = outputDecoder((file) => toFileUrl(api, file), toAnnotatedName);
	const clientId = new ClientId();
	const feed = openFeed(settings, parts, api, decodeOutputs, clientId);
	const routes = new OptionalRoutes(api);
	const reader = new EngineReader(api, routes, decodeOutputs);
	const control = new EngineControl(api, routes);
	const list = new EngineJobList(api, routes, reader, decodeOutputs);
	return {
		interface: 'engine',
		jobs: new EngineJobService(parts.identity, {
			api,
			reader,
			list,
			earlier: new EarlierPrompts(list, reader, api),
			control,
			feed,
			clientId,
		}),
		assets: new EngineAssetStore(api),
		control,
		feed,
		records: reader,
		maintenance: new EngineMaintenance(api),
		library: new ServerLibrary(api, 'engine'),
		verifyAccess: async (options) => ({ interface: 'engine', version: await readEngineVersion(api, options) }),
		close: async () => void (await Promise.all([parts.http.close(), feed.close()])),
	};
}

/** Trims the authorization; undefined if it is empty. */
function parseAuthorization(text: string | undefined): string | undefined {
	const value = text?.trim() ?? '';
	if (/^[\x20-\x7e]*$/.test(value)) return value === '' ? undefined : value;
	const message = 'The authorization holds characters that cannot be sent; paste it again';
	throw new ApiError({ interface: 'engine', code: 'unauthorized', status: 401, message });
}
