/** Finds the newest version of each software. It uses only the package managers and git, with the registries that they are set to. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findNewest, type Newest } from './compare';

const LIMIT_MS = 60_000;
const SHOWN_CHARACTERS = 200;

/** The end of the last line that says what went wrong. */
function describeProblem(error: unknown): string {
	const { message, stderr = '', killed } = error as Error & { stderr?: string; killed?: boolean };
	if (killed) return `no answer within ${LIMIT_MS / 1000} s`;
	const lines = `${message}\n${stderr}`.split('\n').filter((line) => line.trim() !== '');
	return (lines.find((line) => /error/i.test(line)) ?? lines[0] ?? 'no reason').trim().slice(0, SHOWN_CHARACTERS);
}

async function ask(command: string, args: string[], read: (printed: string) => string | undefined): Promise<Newest> {
	try {
		const { stdout } = await promisify(execFile)(command, args, { timeout: LIMIT_MS, env: { ...process.env, GIT_TERMINAL_PROMPT: '0' } });
		const version = read(stdout);
		return version === undefined ? { problem: `"${command} ${args.join(' ')}" printed no version` } : { version };
	} catch (error) {
		return { problem: describeProblem(error) };
	}
}

export const newestOnNpm = async (name: string): Promise<Newest> =>
	await ask('npm', ['view', name, 'version'], (printed) => findNewest(printed.trim().split('\n')));

/** pip prints `name (1.2.3)`, then all versions. */
export const newestInPip = async (name: string): Promise<Newest> =>
	await ask('python3', ['-m', 'pip', 'index', 'versions', name, '--disable-pip-version-check'], (printed) =>
		findNewest([/\(([^)]+)\)/.exec(printed)?.[1] ?? '']),
	);

/** The version of the sources in a folder: a line `__version__ = "0.3.75"`. */
function versionOfFolder(folder: string): Newest {
	const file = join(folder, 'comfyui_version.py');
	const version = existsSync(file) ? /__version__ = "([\d.]+)"/.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
	return version === undefined ? { problem: `${file} contains no version` } : { version };
}

async function versionOfServer(url: string): Promise<Newest> {
	try {
		const answer = await fetch(`${url.replace(/\/+$/, '')}/system_stats`, { signal: AbortSignal.timeout(LIMIT_MS) });
		const { system } = (await answer.json()) as { system?: { comfyui_version?: string } };
		const version = findNewest([system?.comfyui_version ?? '']);
		return version === undefined ? { problem: `${url} reported no version` } : { version };
	} catch (error) {
		return { problem: `${url} did not answer: ${describeProblem(error)}` };
	}
}

const tagsIn = (printed: string): string | undefined =>
	findNewest([...printed.matchAll(/refs\/tags\/(\S+)/g)].map(([, tag]) => String(tag)));

/** ComfyUI is not in a registry. @param from address of a running ComfyUI, or a folder: a clone also finds the tags of its origin. */
export async function newestComfyUi(from: string | undefined): Promise<Newest> {
	if (from === undefined) return { problem: 'no registry has ComfyUI. Add --comfyui with its folder or its address' };
	if (/^https?:/.test(from)) return await versionOfServer(from);
	if (!existsSync(join(from, '.git'))) return versionOfFolder(from);
	const tagged = await ask('git', ['-C', from, 'ls-remote', '--tags', 'origin'], tagsIn);
	return 'version' in tagged ? tagged : versionOfFolder(from);
}
