import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { blake3 } from '@noble/hashes/blake3.js';

import { type Answer, serve } from '../../client/support/server';
import { colorGraph } from '../support/graphs';
import type { LargeFilesReport, LargeFilesTask } from '../support/largeFilesChild';

const MIB = 1024 * 1024;
const ITEMS = 500;
const FILE = Buffer.alloc(2 * MIB, 0xa5);
const HASH = `blake3:${Buffer.from(blake3(FILE)).toString('hex')}`;
const MOST_GROWTH_MIB = 64;

/** Every job succeeds at once, with one file: a thousand MiB of them would take the sandbox minutes to make and hash. */
function jobOf(id: string): object {
	const at = '2026-01-01T00:00:00Z';
	const file = {
		id: `${id}-0`,
		node_id: '2',
		name: 'large.bin',
		type: 'file',
		content_type: 'application/octet-stream',
		size_bytes: FILE.length,
		hash: HASH,
		url: `/api/v2/assets/${id}-0/content`,
		url_expires_at: null,
	};
	return {
		id,
		status: 'succeeded',
		created_at: at,
		started_at: at,
		completed_at: at,
		expires_at: null,
		queue_position: null,
		progress: null,
		error: null,
		outputs: [file],
		urls: { self: `/api/v2/jobs/${id}`, events: null, cancel: null },
	};
}

const answer: Answer = ({ method, url }, response) => {
	if (url.includes('/assets/'))
		return void response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': FILE.length }).end(FILE);
	const id = method === 'POST' ? randomUUID() : String(url.split('/').at(-1));
	response.writeHead(method === 'POST' ? 201 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(jobOf(id)));
};

it(`${ITEMS} items with a file of ${FILE.length / MIB} MiB each take little memory`, async () => {
	const service = await serve(answer);
	const folder = mkdtempSync(join(tmpdir(), 'comfy-batch-'));
	const credential = {
		type: 'comfyApi',
		data: { apiKey: 'key', baseUrl: service.origin, hostedUrl: service.origin, routerUrl: service.origin },
	} as const;
	const task: LargeFilesTask = { credential, direction: 'batch', small: 20, large: ITEMS, workflow: colorGraph(1) };
	const env = { ...process.env, N8N_USER_FOLDER: folder, N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem' };
	const child = join(__dirname, '..', 'support', 'largeFilesChild.ts');
	const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', '--import', 'tsx', child, JSON.stringify(task)], { env });
	rmSync(folder, { recursive: true, force: true });
	await service.close();
	const { items, item, baselineBytes, peakBytes } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as LargeFilesReport;
	expect(items).toBe(ITEMS);
	expect(item).toMatchObject({ json: { status: 'succeeded' }, binary: { data: { bytes: FILE.length } } });
	expect((peakBytes - baselineBytes) / MIB).toBeLessThanOrEqual(MOST_GROWTH_MIB);
}, 240_000);
