import { fork } from 'node:child_process';
import { join } from 'node:path';

import { ask } from '../ask';
import type { Counted, Order, ServiceSettings } from './types';

export interface BenchService {
	url: string;
	/** A job begins now. */
	begin(jobId: string): void;
	report(): Promise<{ counted: Counted; endedAt: Record<string, number> }>;
	stop(): void;
}

export async function startService(settings: ServiceSettings): Promise<BenchService> {
	const child = fork(join(__dirname, 'main.ts'), { execArgv: ['--import', 'tsx'] });
	const { port } = await ask<{ port: number }>(child, { do: 'start', settings } satisfies Order);
	return {
		url: `http://127.0.0.1:${port}`,
		begin: (jobId) => void child.send({ do: 'begin', jobId } satisfies Order),
		report: async () => await ask(child, { do: 'report' } satisfies Order),
		stop: () => child.disconnect(),
	};
}
