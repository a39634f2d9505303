/**
 * `npm run oracle:python`: the official Python client, unchanged, against the sandbox. For the project's own checks
 * only: nothing of the package needs Python. Installs the client into `.cache/` once.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startSandbox } from '../sandbox';
import { CommandFailed, run } from './n8nHost/processes';
import { projectRoot } from './n8nHost/environment';

const folder = join(projectRoot, '.cache/oracle-python');
const python = join(folder, 'bin/python');
const scenario = join(projectRoot, 'test/sdk/python/scenario.py');

interface Check {
	name: string;
	holds: boolean;
	saw: string;
}

const NEEDED = 'This needs Python 3.10 or newer with its venv module, and the Python package index.';

async function ensureClient(): Promise<void> {
	const options = { cwd: projectRoot };
	if (!existsSync(python)) await run('python3', ['-m', 'venv', folder], options);
	const requirements = join(projectRoot, 'test/sdk/python/requirements.txt');
	await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--requirement', requirements], options);
}

async function checksOf(surface: string, env: NodeJS.ProcessEnv): Promise<Check[]> {
	const child = spawn(python, [scenario], { env: { ...process.env, ...env, SURFACE: surface }, stdio: ['ignore', 'pipe', 'inherit'] });
	const checks: Check[] = [];
	for await (const line of createInterface({ input: child.stdout })) {
		const check = JSON.parse(line) as Check;
		checks.push(check);
		console.log(`${check.holds ? '✓' : '✗'} ${surface.padEnd(12)} ${check.name}${check.holds ? '' : `\n  saw ${check.saw}`}`);
	}
	const exitCode = child.exitCode ?? (await new Promise<number | null>((resolve) => child.once('exit', resolve)));
	if (exitCode !== 0) checks.push({ name: 'the scenario runs to its end', holds: false, saw: `exit code ${exitCode}` });
	return checks;
}

async function main(): Promise<number> {
	await ensureClient();
	const sandbox = await startSandbox({ requestIdHeader: 'X-Comfy-Request-Id' });
	try {
		const { urls, keys } = sandbox;
		const account = { COMFY_API_KEY: keys.apiKey, COMFY_ROUTER_BASE_URL: urls.router };
		const checks = [
			...(await checksOf('hosted', { ...account, COMFY_BASE_URL: urls.hosted })),
			...(await checksOf('deployment', { ...account, COMFY_BASE_URL: urls.deployment })),
			...(await checksOf('self_hosted', { COMFY_API_KEY: '', COMFY_BASE_URL: urls.self_hosted })),
		];
		const failed = checks.filter(({ holds }) => !holds).length;
		console.log(`\n${checks.length - failed} passed, ${failed} failed`);
		return failed === 0 ? 0 : 1;
	} finally {
		await sandbox.close();
	}
}

void main().then(
	(exitCode) => process.exit(exitCode),
	(error: unknown) => {
		console.error(error instanceof CommandFailed ? `${error.message}\n${NEEDED}` : error);
		process.exit(1);
	},
);
