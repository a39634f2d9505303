import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from './processes';

const LOCK_NAME = '.installing';
const POLL_INTERVAL_MS = 500;

/** Whether this process took the lock; the one that holds it writes its pid into it. */
async function take(lockFolder: string): Promise<boolean> {
	try {
		await mkdir(lockFolder);
	} catch {
		return false;
	}
	await writeFile(join(lockFolder, 'pid'), String(process.pid));
	return true;
}

async function holderIsAlive(lockFolder: string): Promise<boolean> {
	const pid = Number(await readFile(join(lockFolder, 'pid'), 'utf8').catch(() => ''));
	return pid > 0 && isAlive(pid);
}

/** Runs `work` while no other process installs into `folder`. A lock whose holder has died is taken over. */
export async function holdingInstallLock<T>(folder: string, onWait: () => void, work: () => Promise<T>): Promise<T> {
	const lockFolder = join(folder, LOCK_NAME);
	while (!(await take(lockFolder))) {
		onWait();
		await delay(POLL_INTERVAL_MS);
		if (!(await holderIsAlive(lockFolder))) await rm(lockFolder, { recursive: true, force: true });
	}
	try {
		return await work();
	} finally {
		await rm(lockFolder, { recursive: true, force: true });
	}
}
