import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { host, installEnvironment } from '../../../scripts/n8nHost/environment';

interface Manifest {
	name: string;
	version: string;
}

interface Release {
	manifest: Manifest;
	/** Its tarball. */
	bytes: Buffer;
}

/** An npm registry that has one package. */
export interface Registry {
	url: string;
	/** Publishes the content of the tarball with another version. */
	publish(tarball: string, version: string): void;
	close(): void;
}

/** The same package as another release: nothing but its version differs. */
function releaseOf(tarball: string, version: string, folder: string): Release {
	const unpacked = join(folder, version);
	mkdirSync(unpacked);
	execFileSync('tar', ['-xzf', tarball, '-C', unpacked]);
	const path = join(unpacked, 'package/package.json');
	const manifest = { ...(JSON.parse(readFileSync(path, 'utf8')) as Manifest), version };
	writeFileSync(path, JSON.stringify(manifest));
	execFileSync('tar', ['-czf', `${unpacked}.tgz`, '-C', unpacked, 'package']);
	return { manifest, bytes: readFileSync(`${unpacked}.tgz`) };
}

/** Answers what npm asks: for the package with all its versions, and for their tarballs. @param folder an empty one. */
export async function startRegistry(folder: string): Promise<Registry> {
	const releases = new Map<string, Release>();
	const tarballOf = (version: string): string => `/-/${version}.tgz`;
	const described = ({ manifest, bytes }: Release): object => ({
		...manifest,
		dist: {
			tarball: url + tarballOf(manifest.version),
			integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
		},
	});
	const packument = (name: string): object | undefined => {
		const all = [...releases.values()].filter(({ manifest }) => manifest.name === name);
		if (all.length === 0) return undefined;
		const versions = Object.fromEntries(all.map((one) => [one.manifest.version, described(one)]));
		return { name, 'dist-tags': { latest: all.at(-1)?.manifest.version }, versions };
	};
	const server = createServer(({ url: path = '' }, answer) => {
		const release = [...releases.values()].find(({ manifest }) => path === tarballOf(manifest.version));
		if (release !== undefined) return void answer.end(release.bytes);
		const found = packument(path.slice(1));
		answer.writeHead(found ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(found ?? { error: 'not found' }));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		url,
		publish: (tarball, version) => void releases.set(version, releaseOf(tarball, version, folder)),
		close: () => {
			server.close();
			server.closeAllConnections();
		},
	};
}

/**
 * n8n takes packages from another registry than npm's own only with a licence. It finds npm on its PATH: there stands one
 * that asks `registry`, except for what a package depends on, which it gets from where this machine has its packages from.
 * @returns n8n's settings.
 */
export function npmOf(registry: string, folder: string): NodeJS.ProcessEnv {
	const lines = [
		'#!/bin/sh',
		'for arg; do',
		'  shift',
		'  case "$arg" in --registry=*) ;; *) set -- "$@" "$arg" ;; esac',
		'done',
		`[ "$1" = install ] || set -- "$@" --registry=${registry}`,
		`PATH=$PATH_OF_NPM exec npm "$@"`,
	];
	mkdirSync(folder);
	writeFileSync(join(folder, 'npm'), `${lines.join('\n')}\n`, { mode: 0o755 });
	const settings = Object.entries(installEnvironment()).filter(([name]) => name.startsWith('npm_'));
	return {
		...Object.fromEntries(settings),
		PATH_OF_NPM: process.env.PATH,
		PATH: [folder, ...host.folders, process.env.PATH].join(delimiter),
	};
}
