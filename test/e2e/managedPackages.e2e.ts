/** The list of packages in n8n's environment, as docs/install.md explains it. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packAsBuilt } from '../../scripts/n8nHost/install';
import { type RunningN8n, startN8n } from '../../scripts/n8nHost/startN8n';
import { npmOf, packOtherPackage, type Registry, startRegistry } from './support/registry';

const NAME = 'n8n-nodes-comfy';
const OTHER = 'n8n-nodes-other';
const BY_HAND = 'n8n-nodes-by-hand';
const VERSIONS = ['7.0.0', '7.0.1', '7.0.2'] as const;
const [FIRST, SECOND, THIRD] = VERSIONS;
const NODE = `${NAME}.comfyRunWorkflow`;

/** An entry of the list. */
interface Entry {
	name: string;
	version?: string;
	checksum?: string;
	[key: string]: unknown;
}

let folder: string;
let registry: Registry;
let npm: NodeJS.ProcessEnv;
let n8n: RunningN8n | undefined;
/** By version. */
const checksums = new Map<string, string>();
let ofOther: Entry;
const entry = (version: string, checksum = checksums.get(version)): Entry => ({ name: NAME, version, checksum });

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'comfy-e2e-managed-'));
	mkdirSync(join(folder, 'user'));
	registry = await startRegistry(folder);
	npm = npmOf(registry.url, join(folder, 'bin'));
	const tarball = await packAsBuilt(join(folder, 'packed'));
	for (const version of VERSIONS) checksums.set(version, registry.publish(tarball, version));
	ofOther = { name: OTHER, version: '1.0.0', checksum: registry.publish(packOtherPackage(folder, OTHER), '1.0.0') };
});
afterAll(async () => {
	await n8n?.kill();
	registry.close();
	await rm(folder, { recursive: true, force: true });
});

/** Starts n8n with this list. By default, unverified packages are not enabled, as in n8n 3.0. */
async function restart(list: Entry[] | string, isUnverifiedEnabled = false): Promise<RunningN8n> {
	await n8n?.stop();
	n8n = undefined;
	n8n = await startN8n({
		userFolder: join(folder, 'user'),
		env: {
			...npm,
			N8N_UNVERIFIED_PACKAGES_ENABLED: String(isUnverifiedEnabled),
			N8N_COMMUNITY_PACKAGES_MANAGED_BY_ENV: 'true',
			N8N_COMMUNITY_PACKAGES: typeof list === 'string' ? list : JSON.stringify(list),
		},
	});
	return n8n;
}

const installed = async ({ rest }: RunningN8n): Promise<Record<string, string>> =>
	Object.fromEntries((await rest.communityPackages()).map(({ packageName, installedVersion }) => [packageName, installedVersion]));

test('packages with the right checksums are installed although unverified packages are not enabled', async () => {
	const { rest } = await restart([entry(FIRST), ofOther]);
	expect(await installed(n8n!)).toEqual({ [NAME]: FIRST, [OTHER]: '1.0.0' });
	expect([await rest.hasNodeType(NODE), await rest.hasNodeType(`${OTHER}.other`)]).toEqual([true, true]);
	const changes = [() => rest.updatePackage(NAME), () => rest.uninstallPackage(OTHER), () => rest.installPackage(BY_HAND)];
	for (const change of changes) await expect(change()).rejects.toThrow('managed via environment variables');
});

test('with a wrong checksum, an installed package keeps its version, a new one is missing, and the log names both', async () => {
	registry.publish(packOtherPackage(folder, 'n8n-nodes-third'), '1.0.0');
	const wrong = checksums.get(THIRD);
	const { rest, log } = await restart([entry(SECOND, wrong), ofOther, { name: 'n8n-nodes-third', version: '1.0.0', checksum: wrong }]);
	expect(await installed(n8n!)).toEqual({ [NAME]: FIRST, [OTHER]: '1.0.0' });
	expect([await rest.hasNodeType(NODE), await rest.hasNodeType('n8n-nodes-third.other')]).toEqual([true, false]);
	const text = await log();
	expect(text).toMatch(/Failed to update community package 'n8n-nodes-comfy' to 7\.0\.1 from env: .*checksum/i);
	expect(text).toMatch(/Failed to install community package 'n8n-nodes-third@1\.0\.0' from env: .*checksum/i);
});

test('another version is installed, and a package that is not in the list is uninstalled, but not one that n8n does not list', async () => {
	const packages = join(folder, 'user/.n8n/nodes/node_modules');
	mkdirSync(join(packages, BY_HAND));
	execFileSync('tar', ['-xzf', packOtherPackage(folder, BY_HAND), '-C', join(packages, BY_HAND), '--strip-components=1']);
	const { rest } = await restart([entry(SECOND)]);
	expect(await installed(n8n!)).toEqual({ [NAME]: SECOND });
	const types = [NODE, `${OTHER}.other`, `${BY_HAND}.other`];
	expect(await Promise.all(types.map(async (type) => await rest.hasNodeType(type)))).toEqual([true, false, true]);
	expect(existsSync(join(packages, OTHER))).toBe(false);
});

test('a package without a checksum is installed only if unverified packages are enabled', async () => {
	const withoutChecksum = { name: NAME, version: THIRD };
	await expect(restart([withoutChecksum])).rejects.toThrow(`no checksum available for '${NAME}@${THIRD}'`);
	await restart([withoutChecksum], true);
	expect(await installed(n8n!)).toEqual({ [NAME]: THIRD });
});

test.each([
	['text that is not JSON', '[{', 'is not valid JSON'],
	['an unknown key', JSON.stringify([{ name: NAME, hash: 'sha512-' }]), 'validation failed'],
	['a checksum without a version', JSON.stringify([{ name: NAME, checksum: 'sha512-' }]), 'checksum requires a version'],
])('n8n does not start with %s in the list, and says why', async (_, list, reason) => {
	await expect(restart(list)).rejects.toThrow(reason);
});
