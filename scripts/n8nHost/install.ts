import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { holdingInstallLock } from './installLock';
import { startProgress, type Progress } from './progress';

export interface Installation {
	/** What is being installed, for people. */
	title: string;
	folder: string;
	/** Together these decide what stands in `node_modules`. */
	pinnedBy: string[];
	/** Installs into an empty `node_modules` and proves that what is there runs. */
	install: (progress: Progress) => Promise<void>;
}

const stampPath = (folder: string) => join(folder, 'node_modules/.complete');

async function fingerprint({ folder, pinnedBy }: Installation): Promise<string> {
	const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
	for (const name of pinnedBy) hash.update(await readFile(join(folder, name)));
	return hash.digest('hex');
}

async function isComplete(folder: string, wanted: string): Promise<boolean> {
	return (await readFile(stampPath(folder), 'utf8').catch(() => '')) === wanted;
}

/**
 * Makes `node_modules` in `folder` match its lockfile. A finished installation is reused: its stamp is the last file
 * written. Anything else, also one that was interrupted, is thrown away and made anew.
 * @returns whether it had to be installed.
 */
export async function ensureInstalled(installation: Installation): Promise<boolean> {
	const { folder, title } = installation;
	const wanted = await fingerprint(installation);
	if (await isComplete(folder, wanted)) return false;

	const progress = startProgress(title);
	let outcome = 'failed';
	try {
		return await holdingInstallLock(
			folder,
			() => progress.show('another process is installing it, waiting'),
			async () => {
				if (await isComplete(folder, wanted)) {
					outcome = 'installed by another process';
					return false;
				}
				progress.show('clearing what is left of an earlier installation');
				await rm(join(folder, 'node_modules'), { recursive: true, force: true });
				await installation.install(progress);
				await writeFile(stampPath(folder), wanted);
				outcome = 'installed';
				return true;
			},
		);
	} finally {
		progress.end(outcome);
	}
}
