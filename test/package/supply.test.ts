/** What an installation of the package brings onto a machine. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (file: string): string => readFileSync(join(__dirname, '../..', file), 'utf8');

interface Locked {
	dev?: boolean;
	peer?: boolean;
	devOptional?: boolean;
	optional?: boolean;
	hasInstallScript?: boolean;
	integrity?: string;
}

const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
const { dependencies, scripts } = JSON.parse(read('package.json')) as { dependencies: object; scripts: Record<string, string> };

/** Installed with the package: neither for development, nor n8n's own. */
const installed = Object.entries(packages).filter(([path, { dev, peer, devOptional }]) => path !== '' && !dev && !peer && !devOptional);

it('only seven packages and their dependencies are installed', () => {
	const names = installed.map(([path]) => path.replace(/^.*node_modules\//, ''));
	expect(names.sort()).toEqual([...Object.keys(dependencies), 'agent-base', 'debug', 'ms'].sort());
});

it('neither these packages nor this package run a script when they are installed', () => {
	expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
	expect(Object.keys(scripts).filter((name) => /^(pre|post)?install$|^prepare$/.test(name))).toEqual([]);
	expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
});

it('the lockfile pins each package by its hash', () => {
	expect(installed.filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'))).toEqual([]);
});

it('a release is published with its provenance, by a workflow that stores no token', () => {
	const workflow = read('.github/workflows/publish.yml');
	expect(workflow).toMatch(/npm publish --provenance/);
	expect(workflow).not.toMatch(/secrets\.|NPM_TOKEN/);
});
