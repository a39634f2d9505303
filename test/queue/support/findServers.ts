import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, foldersOn } from '../../support/programs';

const INSTALL =
	'The tests of n8n in queue mode start a Redis and a PostgreSQL of their own: install both (Debian and Ubuntu: `apt-get install redis-server postgresql`; no service of theirs has to run).';

/** Debian keeps the programs of PostgreSQL out of PATH. */
const POSTGRES_VERSIONS = '/usr/lib/postgresql';
/** PostgreSQL refuses to be run by root; its package makes this user. */
const POSTGRES_USER = 'postgres';

export interface Owner {
	uid: number;
	gid: number;
}

export interface Programs {
	redis: string;
	initdb: string;
	postgres: string;
	/** Who runs PostgreSQL, where we are root. */
	owner?: Owner;
}

function findOwner(): Owner | undefined {
	if (process.getuid?.() !== 0) return undefined;
	const id = (which: string): number => Number(execFileSync('id', [which, POSTGRES_USER], { encoding: 'utf8', stdio: 'pipe' }));
	try {
		return { uid: id('-u'), gid: id('-g') };
	} catch {
		throw new Error(`${INSTALL} PostgreSQL refuses to be run by root, and there is no user ${POSTGRES_USER}.`);
	}
}

/** @throws Error in one line: what is missing, and how to get it. */
export function findServers(env: NodeJS.ProcessEnv = process.env, versions = POSTGRES_VERSIONS): Programs {
	const ofVersions = existsSync(versions) ? readdirSync(versions).map((version) => join(versions, version, 'bin')) : [];
	const folders = [...ofVersions, ...foldersOn(env)];
	const [redis, initdb, postgres] = ['redis-server', 'initdb', 'postgres'].map((name) => {
		const found = findProgram(name, folders);
		if (found === undefined) throw new Error(`${INSTALL} ${name} was not found.`);
		return found;
	}) as [string, string, string];
	return { redis, initdb, postgres, owner: findOwner() };
}

const VARIABLE = 'COMFY_QUEUE_PACKED';

/** Hands the tarball of the package to all suites. */
export function sharePacked(tarball: string): void {
	process.env[VARIABLE] = tarball;
}

export function packedTarball(): string {
	const tarball = process.env[VARIABLE];
	if (!tarball) throw new Error('Nothing is packed: start these suites with `npm run test:queue`.');
	return tarball;
}
