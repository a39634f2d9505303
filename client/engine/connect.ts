import { ServerLibrary } from '../comfyui/library/serverLibrary';
import { openFeed } from '../comfyui/socketFeed';
import { outputDecoder, toFileUrl } from '../comfyui/outputs';
import type { ConnectSettings, EngineConnection } from '../connection';
import { connectionParts } from '../connectionParts';
import { ApiError } from '../errors';
import { annotatedName } from '../files/annotatedName';
import { EngineApi } from './api';
import { EngineAssetStore } from './assets';
import { ClientId } from './clientId';
import { EngineControl } from './control';
import { EarlierPrompts } from './earlierPrompts';
import { EngineJobList } from './list';
import { EngineReader } from './reader';
import { EngineJobService } from './service';
import { engineVersion } from './system';

/**
 * A bare ComfyUI at `baseUrl`: it knows no accounts, so that no key is sent. @see connect
 * @throws also ApiError `unauthorized` for an authorization that no header can carry.
 */
export function connectEngine(given: ConnectSettings): EngineConnection {
	const settings: ConnectSettings = {
		...given,
		interface: 'engine',
		token: undefined,
		authorization: usableAuthorization(given.authorization),
	};
	const parts = connectionParts(settings);
	const api = new EngineApi(parts.http, parts.address, parts.limits);
	const decodeOutputs = outputDecoder((file) => toFileUrl(api, file), annotatedName);
	const clientId = new ClientId();
	const feed = openFeed(settings, parts, api, decodeOutputs, clientId);
	const reader = new EngineReader(api, decodeOutputs);
	const control = new EngineControl(api);
	const list = new EngineJobList(api, reader, decodeOutputs);
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
		library: new ServerLibrary(api, 'engine'),
		verifyAccess: async (options) => ({ interface: 'engine', version: await engineVersion(api, options) }),
		close: async () => {
			reader.close();
			await Promise.all([feed.close(), parts.http.close()]);
		},
	};
}

/** Without the spaces around it. */
function usableAuthorization(text: string | undefined): string | undefined {
	const value = text?.trim() ?? '';
	if (/^[\x20-\x7e]*$/.test(value)) return value === '' ? undefined : value;
	const message = 'The authorization holds characters that cannot be sent; paste it again';
	throw new ApiError({ interface: 'engine', code: 'unauthorized', status: 401, message });
}
