import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { projectRoot } from '../n8nHost/paths';

/** A checkout of its own, with this project's dependencies. */
export interface Tree {
	folder: string;
	/** Takes these folders and files as they are here, in place of the commit's. */
	takeFromHere(...names: string[]): void;
	/** Takes these folders and files as they are in that commit, in place of the tree's own. */
	takeFrom(commit: string, ...names: string[]): void;
	/**
	 * @returns what makes the file as it was.
	 * @throws Error when the file has no such text.
	 */
	replace(file: string, from: string, to: string): () => void;
	remove(): void;
}

const git = (...args: string[]): string =>
	execFileSync('git', args, { cwd: projectRoot, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/** @throws Error when this clone does not have it. */
export function resolveCommit(name: string): string {
	try {
		return git('rev-parse', '--verify', `${name}^{commit}`);
	} catch {
		throw new Error(`This clone has no commit "${name}". A shallow clone gets it with: git fetch --unshallow`);
	}
}

const isInstalled = (path: string): boolean => path.endsWith('/node_modules') || path.includes('/node_modules/');

export function treeOf(commit: string): Tree {
	const folder = mkdtempSync(join(tmpdir(), 'comfy-red-'));
	git('worktree', 'add', '--detach', '--force', folder, commit);
	symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
	return {
		folder,
		takeFromHere(...names) {
			for (const name of names) {
				rmSync(join(folder, name), { recursive: true, force: true });
				cpSync(join(projectRoot, name), join(folder, name), {
					recursive: true,
					filter: (path) => !isInstalled(path.slice(projectRoot.length)),
				});
			}
		},
		takeFrom(commit, ...names) {
			for (const name of names) rmSync(join(folder, name), { recursive: true, force: true });
			git('-C', folder, 'checkout', resolveCommit(commit), '--', ...names);
		},
		replace(file, from, to) {
			const path = join(folder, file);
			const text = readFileSync(path, 'utf8');
			if (!text.includes(from)) throw new Error(`${file} no longer says: ${from}`);
			writeFileSync(
				path,
				text.replace(from, () => to),
			);
			return () => writeFileSync(path, text);
		},
		remove() {
			git('worktree', 'remove', '--force', folder);
		},
	};
}
