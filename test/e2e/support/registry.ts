import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
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

/** An npm registry. */
export interface Registry {
	url: string;
	/** Publishes the content of the tarball with another version. @returns `dist.integrity`. */
	publish(tarball: string, version: string): string;
	close(): void;
}

const integrityOf = (bytes: Buffer): string => `sha512-${createHash('sha512').update(bytes).digest('base64')}`;

/** The same package as another release: nothing but its version differs. */
function releaseOf(tarball: string, version: string, folder: string): Release {
	const unpacked = mkdtempSync(join(folder, 'release-'));
	execFileSync('tar', ['-xzf', tarball, '-C', unpacked]);
	const path = join(unpacked, 'package/package.json');
	const manifest = { ...(JSON.parse(readFileSync(path, 'utf8')) as Manifest), version };
	writeFileSync(path, JSON.stringify(manifest));
	execFileSync('tar', ['-czf', `${unpacked}.tgz`, '-C', unpacked, 'package']);
	return { manifest, bytes: readFileSync(`${unpacked}.tgz`) };
}

/** Answers what npm asks: for a package with all its versions, and for their tarballs. @param folder for its files. */
export async function startRegistry(folder: string): Promise<Registry> {
	const releases: Release[] = [];
	const tarballOf = ({ manifest: { name, version } }: Release): string => `/${name}/-/${name}-${version}.tgz`;
	const described = (release: Release): object => ({
		...release.manifest,
		dist: { tarball: url + tarballOf(release), integrity: integrityOf(release.bytes) },
	});
	const packument = (name: string): object | undefined => {
		const all = releases.filter(({ manifest }) => manifest.name === name);
		if (all.length === 0) return undefined;
		const versions = Object.fromEntries(all.map((one) => [one.manifest.version, described(one)]));
		return { name, 'dist-tags': { latest: all.at(-1)?.manifest.version }, versions };
	};
	const server = createServer(({ url: path = '' }, answer) => {
		const release = releases.find((one) => path === tarballOf(one));
		if (release !== undefined) return void answer.end(release.bytes);
		const found = packument(path.slice(1));
		answer.writeHead(found ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(found ?? { error: 'not found' }));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		url,
		publish: (tarball, version) => {
			const release = releaseOf(tarball, version, folder);
			releases.push(release);
			return integrityOf(release.bytes);
		},
		close: () => {
			server.close();
			server.closeAllConnections();
		},
	};
}

/** A package with one node that does nothing. @returns its tarball. */
export function packOtherPackage(folder: string, name: string): string {
	const source = mkdtempSync(join(folder, 'other-'));
	const path = join(source, 'package');
	mkdirSync(path);
	const manifest = { name, version: '1.0.0', n8n: { n8nNodesApiVersion: 1, nodes: ['Other.node.js'] } };
	const description = {
		displayName: 'Other',
		name: 'other',
		group: [],
		version: 1,
		description: '',
		defaults: {},
		inputs: [],
		outputs: [],
		properties: [],
	};
	writeFileSync(join(path, 'package.json'), JSON.stringify(manifest));
	writeFileSync(join(path, 'Other.node.js'), `exports.Other = class { description = ${JSON.stringify(description)}; };\n`);
	const tarball = `${source}.tgz`;
	execFileSync('tar', ['-czf', tarball, '-C', source, 'package']);
	return tarball;
}

/** npm's settings of this machine, also for a process with another home folder. */
export const npmSettings = (): NodeJS.ProcessEnv => ({
	npm_config_userconfig: join(homedir(), '.npmrc'),
	...Object.fromEntries(Object.entries(installEnvironment()).filter(([name]) => name.startsWith('npm_'))),
});

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
	return {
		...npmSettings(),
		PATH_OF_NPM: process.env.PATH,
		PATH: [folder, ...host.folders, process.env.PATH].join(delimiter),
	};
}
