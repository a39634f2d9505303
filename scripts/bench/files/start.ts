import { fork } from 'node:child_process';
import { join } from 'node:path';

import { ask } from '../ask';
import type { FileCounts, FileOrder, FileServiceSettings } from './types';

export interface FileService {
	origin: string;
	counted(): Promise<FileCounts>;
	stop(): void;
}

export async function startFileService(settings: FileServiceSettings): Promise<FileService> {
	const child = fork(join(__dirname, 'main.ts'), { execArgv: ['--import', 'tsx'] });
	const { port } = await ask<{ port: number }>(child, { do: 'start', settings } satisfies FileOrder);
	return {
		origin: `http://127.0.0.1:${port}`,
		counted: async () => await ask<FileCounts>(child, { do: 'report' } satisfies FileOrder),
		stop: () => child.disconnect(),
	};
}
