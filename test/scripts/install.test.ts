import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { ensureInstalled } from '../../scripts/n8nHost/install';

let folder: string;
let installs: number;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'comfy-install-'));
	installs = 0;
	writeFileSync(join(folder, 'lockfile'), 'first');
	jest.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
	jest.restoreAllMocks();
	rmSync(folder, { recursive: true, force: true });
});

const inModules = (name: string) => join(folder, 'node_modules', name);

const ensure = (install: () => Promise<void> = async () => undefined) =>
	ensureInstalled({
		title: 'something',
		folder,
		pinnedBy: ['lockfile'],
		install: async () => {
			installs++;
			mkdirSync(join(folder, 'node_modules'), { recursive: true });
			await install();
		},
	});

it('installs once and reuses the finished installation', async () => {
	await expect(ensure()).resolves.toBe(true);
	await expect(ensure()).resolves.toBe(false);
	expect(installs).toBe(1);
});

it('installs again when the lockfile changes', async () => {
	await ensure();
	writeFileSync(join(folder, 'lockfile'), 'second');
	await expect(ensure()).resolves.toBe(true);
	expect(installs).toBe(2);
});

it('deletes what an interrupted installation leaves', async () => {
	const interrupted = ensure(async () => {
		writeFileSync(inModules('half'), '');
		throw new Error('interrupted');
	});
	await expect(interrupted).rejects.toThrow('interrupted');
	expect(existsSync(inModules('half'))).toBe(true);

	await expect(ensure()).resolves.toBe(true);
	expect(existsSync(inModules('half'))).toBe(false);
});

it('installs once for two callers at the same time', async () => {
	const results = await Promise.all([ensure(() => delay(300)), ensure(() => delay(300))]);
	expect(results.sort()).toEqual([false, true]);
	expect(installs).toBe(1);
});

it('takes over from an installer that has died', async () => {
	mkdirSync(join(folder, '.installing'));
	writeFileSync(join(folder, '.installing/pid'), String(2 ** 22 + 1));
	await expect(ensure()).resolves.toBe(true);
});
