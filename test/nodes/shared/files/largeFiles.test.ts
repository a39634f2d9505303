import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { type Answer, serve } from '../../../client/support/server';
import { credentialFor } from '../../support/flavours';
import type { LargeFilesReport, LargeFilesTask } from '../../support/largeFilesChild';
import { largeFileGraph } from '../../support/media';
import { finished } from '../../support/submit';
import { sharedSandbox } from '../../support/sandbox';

const MIB = 1024 * 1024;
/**
 * Many times what is on its way at any moment: three buffers of 1 MiB when a file is read from the disk, and the buffers of
 * sockets and streams, which hold less than 1 MiB each.
 */
const LARGE_MIB = 24;
const MOST_GROWTH_MIB = 8;
/** Enough to load everything that a transfer needs. */
const SMALL_MIB = 2;

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** Streams a picture of as many MiB as the path says. */
const ofMib: Answer = async ({ url }, response) => {
	const chunk = Buffer.alloc(MIB, 0xa5);
	PNG_SIGNATURE.copy(chunk);
	const mib = Number(/\d+/.exec(url)?.[0]);
	response.writeHead(200, { 'content-length': mib * MIB, 'content-type': 'image/png' });
	for (let sent = 0; sent < mib; sent++) if (!response.write(chunk)) await once(response, 'drain');
	response.end();
};

/** On a busy machine. */
jest.setTimeout(300_000);

const sandbox = sharedSandbox();
/** In the order of the tests, from a process that holds n8n's engine and nothing of the sandbox. */
let reports: LargeFilesReport[];
let uploaded: number[];
let webRequests: number;
let inputsOfLoader: unknown[];
beforeAll(async () => {
	const [small, large] = [await finished(sandbox, largeFileGraph(SMALL_MIB, 1)), await finished(sandbox, largeFileGraph(LARGE_MIB, 2))];
	const web = await serve(ofMib);
	const sizes = { small: SMALL_MIB * MIB, large: LARGE_MIB * MIB };
	const [v2, engine] = [credentialFor(sandbox), credentialFor(sandbox, 'engine')];
	const tasks: LargeFilesTask[] = [
		{ credential: v2, direction: 'up', ...sizes },
		{ credential: v2, direction: 'down', small, large },
		{ credential: engine, direction: 'row', ...sizes },
		{ credential: engine, direction: 'web', small: `${web.origin}/${SMALL_MIB}/large.png`, large: `${web.origin}/${LARGE_MIB}/large.png` },
	];
	const folder = mkdtempSync(join(tmpdir(), 'comfy-large-'));
	const env = { ...process.env, N8N_USER_FOLDER: folder, N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem' };
	const child = join(__dirname, '..', '..', 'support', 'largeFilesChild.ts');
	const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', '--import', 'tsx', child, JSON.stringify(tasks)], { env });
	reports = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as LargeFilesReport[];
	rmSync(folder, { recursive: true, force: true });
	uploaded = sandbox.requests('POST /api/upload/image').map(({ bodyBytes }) => bodyBytes);
	inputsOfLoader = sandbox.jobs().flatMap(({ graph }) => graph['3']?.inputs.image ?? []);
	webRequests = web.seen.length;
	await web.close();
});

function expectLittle(report: LargeFilesReport | undefined): void {
	expect(report?.samples).toBeGreaterThan(1);
	expect(report?.growthBytes).toBeLessThanOrEqual(MOST_GROWTH_MIB * MIB);
}

it(`uploads ${LARGE_MIB} MiB in little memory`, () => {
	const { size_bytes: size, bytes_sent: sent, hash } = (reports[0]?.item as { json: Record<string, unknown> }).json;
	expect([size, sent, hash]).toEqual([LARGE_MIB * MIB, LARGE_MIB * MIB, expect.stringMatching(/^blake3:/)]);
	expectLittle(reports[0]);
});

it(`downloads ${LARGE_MIB} MiB in little memory`, () => {
	expect(reports[1]?.item).toMatchObject({ binary: { data: { bytes: LARGE_MIB * MIB } } });
	expectLittle(reports[1]);
});

it.each([
	['the item', 2],
	['a URL', 3],
])(`Run Workflow sends ${LARGE_MIB} MiB of %s to an engine in little memory`, (_, index) => {
	expect(reports[index]?.item).toMatchObject({ json: { status: 'succeeded' } });
	expect(uploaded[2 * index - 3]).toBeGreaterThan(LARGE_MIB * MIB);
	expect(inputsOfLoader[2 * index - 3]).toMatch(/^large.*\.(bin|png)/);
	expect(webRequests).toBe(2);
	expectLittle(reports[index]);
});
