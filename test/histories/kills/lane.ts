import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { N8nProcess } from './n8nProcess';

/** One n8n after the other, each with the data of those before it; the next one is started in advance. */
export class Lane {
	private readonly folder = mkdtempSync(join(tmpdir(), 'comfy-kills-'));
	private next = N8nProcess.start(this.folder);
	private alive?: N8nProcess;

	/** The one that lives. */
	async n8n(): Promise<N8nProcess> {
		if (this.alive !== undefined) return this.alive;
		this.alive = await this.next;
		this.next = N8nProcess.start(this.folder);
		return this.alive;
	}

	/** What it had begun is left as it is. */
	kill(): void {
		this.alive?.kill();
		this.alive = undefined;
	}

	async end(): Promise<void> {
		await Promise.all([this.alive?.end(), this.next.then(async (one) => await one.end())]);
		rmSync(this.folder, { recursive: true, force: true });
	}
}
