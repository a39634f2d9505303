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
	jest.spyOn(console, 'error').mockReturnValue(undefined);
});
afterEach(() => {
	jest.restoreAllMocks();
	rmSync(folder, { recursive: true, force: true });
});

const ensure = async (install: () => Promise<void> = async () => await delay(300)) =>
	await ensureInstalled({
		title: 'something',
		folder,
		pinnedBy: ['lockfile'],
		install: async () => {
			installs++;
			mkdirSync(join(folder, 'node_modules'), { recursive: true });
			await install();
		},
	});

it('installs once for two callers at the same time, and again when the lockfile changes', async () => {
	expect((await Promise.all([ensure(), ensure()])).sort()).toEqual([false, true]);
	expect([await ensure(), installs]).toEqual([false, 1]);
	writeFileSync(join(folder, 'lockfile'), 'second');
	expect([await ensure(), installs]).toEqual([true, 2]);
});

it('deletes what an interrupted installation leaves, and takes over from an installer that has died', async () => {
	const half = join(folder, 'node_modules/half');
	const interrupted = ensure(async () => {
		writeFileSync(half, '');
		await Promise.reject(new Error('interrupted'));
	});
	await expect(interrupted).rejects.toThrow('interrupted');
	mkdirSync(join(folder, '.installing'));
	writeFileSync(join(folder, '.installing/pid'), String(2 ** 22 + 1));
	expect([await ensure(), existsSync(half)]).toEqual([true, false]);
});
