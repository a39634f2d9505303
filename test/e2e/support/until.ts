import { setTimeout as delay } from 'node:timers/promises';

/** Polls until `probe` gives something. */
export async function until<T>(what: string, probe: () => T | undefined | Promise<T | undefined>, timeoutMs = 120_000): Promise<T> {
	const deadline = Date.now() + timeoutMs;
	for (;;) {
		const found = await probe();
		if (found !== undefined) return found;
		if (Date.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain for ${what}`);
		await delay(50);
	}
}
