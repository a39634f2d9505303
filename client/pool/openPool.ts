/** Several engines that work as one connection. */
import type { EngineConnection } from '../connection';
import type { ServerSettings } from '../findServer';
import type { ServerContact } from '../transport/serverContact';

export interface PoolSettings {
	/** One entry for each server, with `wanted: 'engine'`. Of entries with the same address, the first one is used. */
	servers: readonly ServerSettings[];
	/** How long requests are repeated while no server responds. Default: 30 s. */
	contact?: ServerContact;
}

/**
 * Creates a connection to a pool of engines. It sends nothing yet: each server is connected when it is first needed.
 * @throws ConnectionError `invalid_address` for an unusable address; ApiError `unauthorized` for an authorization that cannot
 *   be sent.
 */
export function openPool(settings: PoolSettings): EngineConnection {
	throw new Error(`Not implemented: ${settings.servers.length}`);
}
