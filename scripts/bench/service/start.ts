import { fork } from 'node:child_process';
import { join } from 'node:path';

import { ask } from '../ask';
import type { Counted, Order, ServiceSettings, Word } from './types';

export interface BenchService {
	url: string;
	/** Resolves when the job has begun. */
	begin(jobId: string): Promise<void>;
	report(): Promise<{ counted: Counted; endedAt: Record<string, number> }>;
	stop(): void;
}

export async function startService(settings: ServiceSettings): Promise<BenchService> {
	const child = fork(join(__dirname, 'main.ts'), { execArgv: ['--import', 'tsx'] });
	const { port } = await ask<{ port: number }>(child, { do: 'start', settings } satisfies Order);
	const beginning = new Map<string, () => void>();
	child.on('message', (word: Word) => {
		if ('begun' in word) beginning.get(word.begun)?.();
	});
	return {
		url: `http://127.0.0.1:${port}`,
		begin: async (jobId) => {
			const begun = new Promise<void>((resolve) => beginning.set(jobId, resolve));
			child.send({ do: 'begin', jobId } satisfies Order);
			await begun;
			beginning.delete(jobId);
		},
		report: async () => await ask(child, { do: 'report' } satisfies Order),
		stop: () => child.disconnect(),
	};
}
