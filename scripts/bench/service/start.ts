import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { Counted, Order, ServiceSettings, Word } from './types';

export interface BenchService {
	url: string;
	/** A job begins now. */
	begin(jobId: string): void;
	report(): Promise<{ counted: Counted; endedAt: Record<string, number> }>;
	stop(): void;
}

export async function startService(settings: ServiceSettings): Promise<BenchService> {
	const child = fork(join(__dirname, 'main.ts'), { execArgv: ['--import', 'tsx'] });
	const { port } = (await ask(child, { do: 'start', settings })) as Extract<Word, { port: number }>;
	return {
		url: `http://127.0.0.1:${port}`,
		begin: (jobId) => void child.send({ do: 'begin', jobId } satisfies Order),
		report: async () => (await ask(child, { do: 'report' })) as Exclude<Word, { port: number }>,
		stop: () => child.disconnect(),
	};
}

async function ask(child: ChildProcess, order: Order): Promise<Word> {
	child.send(order);
	const [word] = (await once(child, 'message')) as [Word];
	return word;
}
