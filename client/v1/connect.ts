import { randomUUID } from 'node:crypto';

import { ServerLibrary } from '../comfyui/library/serverLibrary';
import { openFeed } from '../comfyui/socketFeed';
import { nameInGraph, outputDecoder, toFileUrl } from '../comfyui/outputs';
import { QueueControl } from '../comfyui/queueControl';
import type { Connection, ConnectSettings } from '../connection';
import { connectionParts } from '../connectionParts';
import { V1Api } from './api';
import { V1AssetStore } from './assets';
import { V1JobService } from './service';
import { verifyV1Access } from './verify';

/** The v1 interface of the hosted surface. @see connect */
export function connectV1(settings: ConnectSettings): Connection {
	const parts = connectionParts(settings);
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
		close: async () => void (await Promise.all([feed.close(), http.close()])),
	};
}
