import { fork } from 'node:child_process';
import { join } from 'node:path';

import { ask } from '../ask';
import type { FrameSettings } from './main';

/** @returns the origin of whoever sends the frames, to everybody who connects. It ends with this process. */
export async function startFrames(settings: FrameSettings): Promise<string> {
	const child = fork(join(__dirname, 'main.ts'), { execArgv: ['--import', 'tsx'] });
	const { port } = await ask<{ port: number }>(child, settings);
	return `http://127.0.0.1:${port}`;
}
