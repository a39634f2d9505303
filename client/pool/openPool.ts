/** Several engines that work as one connection. */
import { createHash } from 'node:crypto';

import { parseBaseUrl } from '../requests/address';
import type { PoolConnection } from '../connection/connection';
import { hashIdentity } from '../connection/parts';
import { firstOfEach } from '../json/decode';
import type { ServerSettings } from '../connect/findServer';
import { ServerContact } from '../contact/serverContact';
import { poolControl, PoolLibrary, poolMaintenance, PoolRecords } from './control';
import { PoolFiles } from './files';
import { PoolJobService } from './jobs';
import { Placements } from './placements';
import { askAll, PoolServer, requireValues } from './poolServer';

export interface PoolSettings {
	/** One entry for each server, with `wanted: 'engine'`. Of entries with the same address, the first one is used. */
	servers: readonly ServerSettings[];
	/** How long requests are repeated while no server responds. Default: 30 s. */
	contact?: ServerContact;
}

const DEFAULT_WAIT_MS = 30_000;

/**
 * Creates a connection to a pool of engines. It sends nothing yet: each server is connected when it is first needed.
 * @throws ConnectionError `invalid_address` for an unusable address.
 */
export function openPool({ servers: settings, contact = new ServerContact(DEFAULT_WAIT_MS) }: PoolSettings): PoolConnection {
	const closing = new AbortController();
	const limits = { contact, closed: closing.signal };
	const servers = firstOfEach(
		settings.map((one) => new PoolServer(one, closing.signal)),
		({ address }) => address,
	);
	const placements = new Placements(servers, closing.signal);
	const files = new PoolFiles(servers, limits);
	return {
		interface: 'engine',
		jobs: new PoolJobService(identityOf(settings), { servers, placements, files, ...limits }),
		assets: files,
		control: poolControl(servers),
		records: new PoolRecords(servers),
		maintenance: poolMaintenance(servers),
		library: new PoolLibrary(servers),
		members: servers,
		verifyAccess: async (options = {}) => {
			requireValues(await askAll(servers, async (connection) => await connection.verifyAccess(options), options));
			return { interface: 'engine', version: null };
		},
		close: async () => {
			closing.abort();
			await Promise.all(servers.map(async (server) => await server.close()));
		},
	};
}

/** Two pools with the same servers and the same access see the same jobs. */
function identityOf(settings: readonly ServerSettings[]): string {
	const hash = createHash('sha256');
	for (const { comfyUser = '', ...one } of settings) {
		const identity = hashIdentity({ ...one, interface: 'engine' }, parseBaseUrl(one.baseUrl), '');
		hash.update(`${identity} ${comfyUser}\n`);
	}
	return hash.digest('base64');
}
