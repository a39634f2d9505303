/** Several engines that work as one connection. */
import { createHash } from 'node:crypto';

import { parseBaseUrl } from '../requests/address';
import type { PoolConnection } from '../connection/connection';
import { hashIdentity } from '../connection/parts';
import { firstOfEach } from '../json/decode';
import type { ServerSettings } from '../connect/findServer';
import { ServerContact } from '../contact/serverContact';
import { PoolFiles } from './poolFiles';
import { PoolJobService } from './poolJobs';
import { joinDefinitions } from './mergeAnswers';
import { Placements } from './placements';
import { PoolLibrary } from './poolLibrary';
import { PoolRecords } from './poolRecords';
import { askEach, PoolServer } from './poolServer';

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
		control: {
			nodeDefinitions: async (options) =>
				joinDefinitions(await askEach(servers, async ({ control }) => await control.nodeDefinitions(options), options)),
		},
		records: new PoolRecords(servers),
		maintenance: {
			modelFolders: async (options) => [
				...new Set((await askEach(servers, async ({ maintenance }) => await maintenance.modelFolders(options), options)).flat()),
			],
		},
		library: new PoolLibrary(servers),
		members: servers,
		verifyAccess: async (options = {}) => {
			await askEach(servers, async (connection) => await connection.verifyAccess(options), options);
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
