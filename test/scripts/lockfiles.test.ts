import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

it.each(['package-lock.json', 'test/e2e/engine-1x/package-lock.json', 'test/e2e/host/pnpm-lock.yaml'])(
	'%s holds no download addresses',
	(name) => {
		expect(read(name)).not.toMatch(/"resolved"|tarball:|registry\.|\.tgz/);
	},
);

interface Locked {
	optionalDependencies?: Record<string, string>;
}

/** Where Node would find `name` for the package at `path`. */
function isLocked(packages: Record<string, Locked>, path: string, name: string): boolean {
	for (let base = path; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
		if (`${base === '' ? '' : `${base}/`}node_modules/${name}` in packages) return true;
		if (base === '') return false;
	}
}

it.each(['package-lock.json', 'test/e2e/engine-1x/package-lock.json'])(
	'%s holds the packages of every platform: npm ci refuses it otherwise',
	(name) => {
		const { packages } = JSON.parse(read(name)) as { packages: Record<string, Locked> };
		const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
			Object.keys(optionalDependencies).filter((dependency) => !isLocked(packages, path, dependency)),
		);
		expect(missing).toEqual([]);
	},
);
