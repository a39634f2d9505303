import { fork } from 'node:child_process';
import { join } from 'node:path';

import { WebSocket } from 'ws';

import { connect } from '../../../client';
import { ask } from '../ask';
import type { Work } from '../contest/types';
import type { FrameSettings } from '../frames/main';

/** @returns the origin of whoever sends the frames, to everybody who connects. It ends with this process. */
async function startFrames(settings: FrameSettings): Promise<string> {
	const child = fork(join(__dirname, '../frames/main.ts'), { execArgv: ['--import', 'tsx'] });
	const { port } = await ask<{ port: number }>(child, settings);
	return `http://127.0.0.1:${port}`;
}

/** All that the trigger hears: each frame read, and made news of its job. */
export async function framesByClient(settings: FrameSettings): Promise<Work> {
	const baseUrl = await startFrames(settings);
	return {
		once: async () => {
			// A job that has ended is heard of no more: each time by another connection, which knows of none.
			const { feed } = connect({ interface: 'v1', baseUrl, token: 'bench' });
			if (feed === undefined) throw new Error('v1 has a feed');
			const stopping = new AbortController();
			let startedAt = NaN;
			let progress = 0;
			let ms = NaN;
			await feed.follow(
				{
					onConnect: () => (startedAt = performance.now()),
					onTrouble: (error) => {
						throw error;
					},
					onEvent: (event) => {
						if (event.kind === 'progress') progress += 1;
						if (event.kind !== 'status' || event.status !== 'succeeded') return;
						ms = performance.now() - startedAt;
						stopping.abort();
					},
				},
				stopping.signal,
			);
			// The end tells it once more.
			return { ms, told: progress - 1 };
		},
	};
}

/** The limit: the same library for sockets, each frame parsed, and nothing else. */
export async function framesByWs(settings: FrameSettings): Promise<Work> {
	const url = `${(await startFrames(settings)).replace('http', 'ws')}/ws`;
	return {
		once: async () =>
			await new Promise((resolve, reject) => {
				let startedAt = NaN;
				let told = 0;
				const socket = new WebSocket(url, { perMessageDeflate: false, skipUTF8Validation: true })
					.on('open', () => (startedAt = performance.now()))
					.on('error', reject)
					.on('message', (data: Buffer) => {
						const { type } = JSON.parse(data.toString('utf8')) as { type: string };
						if (type === 'progress_state') told += 1;
						if (type !== 'execution_success') return;
						resolve({ ms: performance.now() - startedAt, told });
						socket.close();
					});
			}),
	};
}
