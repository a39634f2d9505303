/** The commands of docs/install.md for a package from a clone, beside a package that n8n installed itself. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '../../package.json';
import { itemsOf } from '../../scripts/n8nHost/documents';
import { projectRoot } from '../../scripts/n8nHost/environment';
import { packAsBuilt } from '../../scripts/n8nHost/install';
import { run } from '../../scripts/n8nHost/processes';
import { type RunningN8n, startN8n } from '../../scripts/n8nHost/startN8n';
import { quick } from './support/graphs';
import { npmOf, npmSettings, packOtherPackage, type Registry, startRegistry } from './support/registry';
import { openSession } from './support/session';
import { chain, comfy } from './support/workflows';

const NAME = 'n8n-nodes-comfy';
const OTHER = 'n8n-nodes-other';
const NODE = `${NAME}.comfyRunWorkflow`;
const NEXT = '7.0.0';
const PUBLISHED = '7.0.1';

/** The home folder in n8n's image. */
const HOME_IN_DOCKER = '/home/node';
const page = readFileSync(join(projectRoot, 'docs/install.md'), 'utf8');

/** The lines of the blocks of commands of a section, without an indentation. */
function commandsOf(heading: string): string[][] {
	const [, section = ''] = page.split(`\n## ${heading}\n`);
	const blocks = [...(section.split('\n## ')[0] ?? '').matchAll(/^( *)```sh\n(.*?)```/gms)];
	return blocks.map(([, indent = '', text = '']) =>
		text
			.trim()
			.split('\n')
			.map((line) => line.replace(indent, '').trim()),
	);
}

/** The same steps for an n8n on this computer. */
function withoutDocker(line: string): string {
	const [, step, rest = ''] = /^docker (?:compose )?(exec|cp|restart) (.*)$/.exec(line.replaceAll(HOME_IN_DOCKER, '~')) ?? [];
	if (step === 'restart') return '';
	if (step === 'cp') return `cp ${rest.replace('n8n:', '')}`;
	const [, folder, command] = /^(?:--workdir (\S+) )?n8n (.*)$/.exec(rest) ?? [];
	if (command === undefined) throw new Error(`docs/install.md has a line that this test does not know: ${line}`);
	return folder === undefined ? command : `(cd ${folder} && ${command})`;
}

let folder: string;
let home: string;
let registry: Registry;
let env: NodeJS.ProcessEnv;
let n8n: RunningN8n | undefined;
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'comfy-e2e-install-'));
	home = join(folder, 'home');
	mkdirSync(home);
	registry = await startRegistry(folder);
	env = npmOf(registry.url, join(folder, 'bin'));
	const clone = join(folder, 'clone');
	await packAsBuilt(clone);
	registry.publish(join(clone, `${NAME}-${version}.tgz`), NEXT);
	await run('npm', ['pack', `${NAME}@${NEXT}`, `--registry=${registry.url}`], { cwd: clone });
	registry.publish(join(clone, `${NAME}-${version}.tgz`), PUBLISHED);
	registry.publish(packOtherPackage(folder, OTHER), '1.0.0');
});
afterAll(async () => {
	await n8n?.kill();
	registry.close();
	await rm(folder, { recursive: true, force: true });
});

/** Runs commands of the page in the clone. @param packed the version of the file. */
async function follow(lines: string[], packed = version): Promise<void> {
	const script = lines.join('\n').replaceAll(`${NAME}-${version}.tgz`, `${NAME}-${packed}.tgz`);
	await run('sh', ['-ec', script], { cwd: join(folder, 'clone'), env: { ...process.env, ...npmSettings(), HOME: home } });
}

const installed = (name: string): string | undefined => {
	const path = join(home, '.n8n/nodes/node_modules', name, 'package.json');
	return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version : undefined;
};

async function restart(): Promise<RunningN8n> {
	await n8n?.stop();
	n8n = await startN8n({ userFolder: home, env });
	return n8n;
}

/** Runs a workflow. @returns what the package says of itself to the service. */
async function runningVersion({ url, rest }: RunningN8n): Promise<unknown> {
	const session = await openSession({ url, session: rest.session });
	try {
		const execution = await session.execute(chain('installed', comfy('comfyRunWorkflow', { workflow: JSON.stringify(quick) })));
		expect(itemsOf(execution, 'comfyRunWorkflow')).toHaveLength(1);
		return session.sandbox.requests('POST /api/v2/jobs')[0]?.headers['user-agent'];
	} finally {
		await session.close();
	}
}

test('the page builds before it packs, because .npmrc turns off the scripts of npm', () => {
	expect(commandsOf('From a clone')[0]).toEqual(['npm ci && npm run build && npm pack']);
});

test('a package from a clone runs beside a package that n8n installed, and only the latter is listed', async () => {
	await (await restart()).rest.installPackage(OTHER);
	await follow(commandsOf('From a clone')[1] ?? []);
	const { rest } = await restart();
	expect(await runningVersion({ ...n8n!, rest })).toBe(`${NAME}/${version}`);
	expect(await rest.hasNodeType(`${OTHER}.other`)).toBe(true);
	expect(await rest.communityPackages()).toMatchObject([{ packageName: OTHER }]);
});

test.each(['Docker', 'Docker Compose'])('the steps for %s replace an earlier version and keep the other package', async (heading) => {
	await follow(commandsOf('From a clone')[1] ?? []);
	const [lines = []] = commandsOf(heading);
	expect(lines).toHaveLength(4);
	await follow(lines.map(withoutDocker), NEXT);
	expect([installed(NAME), installed(OTHER)]).toEqual([NEXT, '1.0.0']);
});

test('the replaced version runs, and an installation from npm replaces it and is listed', async () => {
	const { rest } = await restart();
	expect(await runningVersion(n8n!)).toBe(`${NAME}/${NEXT}`);
	expect(await rest.installPackage(NAME)).toMatchObject({ installedVersion: PUBLISHED });
	expect(await runningVersion(n8n!)).toBe(`${NAME}/${PUBLISHED}`);
	const all = await rest.communityPackages();
	expect(all.map(({ packageName }) => packageName).sort()).toEqual([NAME, OTHER]);
});

test('a package of npm is uninstalled in n8n, and a package from a clone by the commands of the page', async () => {
	const { rest } = n8n!;
	await rest.uninstallPackage(NAME);
	expect(await rest.hasNodeType(NODE)).toBe(false);
	expect(await rest.communityPackages()).toMatchObject([{ packageName: OTHER }]);

	await follow(commandsOf('From a clone')[1] ?? []);
	expect(installed(NAME)).toBe(version);
	await follow(commandsOf('Uninstall')[0] ?? []);
	expect([installed(NAME), installed(OTHER)]).toEqual([undefined, '1.0.0']);
	expect(existsSync(join(home, '.n8n/nodes', `${NAME}-${version}.tgz`))).toBe(false);
	const { rest: again } = await restart();
	expect([await again.hasNodeType(NODE), await again.hasNodeType(`${OTHER}.other`)]).toEqual([false, true]);
});
