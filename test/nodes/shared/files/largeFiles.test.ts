import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { type Answer, serve } from '../../../client/support/server';
import { credentialFor, type Way } from '../../support/flavours';
import type { LargeFilesReport, LargeFilesTask } from '../../support/largeFilesChild';
import { largeFileGraph } from '../../support/media';
import { finished } from '../../support/submit';
import { sharedSandbox } from '../../support/sandbox';

const MIB = 1024 * 1024;
const LARGE_MIB = 256;
const MOST_GROWTH_MIB = 64;
/** Enough to load everything that a transfer needs. */
const SMALL_MIB = 4;

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

type Weighed = LargeFilesReport & { growthMib: number };

const sandbox = sharedSandbox();
const folder = mkdtempSync(join(tmpdir(), 'comfy-large-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the node in a process that holds n8n's engine and nothing of the sandbox. */
async function weigh(task: Omit<LargeFilesTask, 'credential'>, way?: Way): Promise<Weighed> {
	const argument = JSON.stringify({ ...task, credential: credentialFor(sandbox, way) } satisfies LargeFilesTask);
	const env = { ...process.env, N8N_USER_FOLDER: folder, N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem' };
	const child = join(__dirname, '../../support/largeFilesChild.ts');
	const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', '--import', 'tsx', child, argument], { env });
	const report = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as LargeFilesReport;
	return { ...report, growthMib: (report.peakBytes - report.baselineBytes) / MIB };
}

it(`uploads ${LARGE_MIB} MiB in little memory`, async () => {
	const up = await weigh({ direction: 'up', small: SMALL_MIB * MIB, large: LARGE_MIB * MIB });
	expect(up.item).toMatchObject({
		json: { size_bytes: LARGE_MIB * MIB, bytes_sent: LARGE_MIB * MIB, hash: expect.stringMatching(/^blake3:/) },
	});
	expect(up.growthMib).toBeLessThanOrEqual(MOST_GROWTH_MIB);
});

it(`downloads ${LARGE_MIB} MiB in little memory`, async () => {
	const [small, large] = [await finished(sandbox, largeFileGraph(SMALL_MIB, 1)), await finished(sandbox, largeFileGraph(LARGE_MIB, 2))];
	const down = await weigh({ direction: 'down', small, large });
	expect(down.item).toMatchObject({ binary: { data: { bytes: LARGE_MIB * MIB } } });
	expect(down.growthMib).toBeLessThanOrEqual(MOST_GROWTH_MIB);
});

describe('as a file of Run Workflow, to an engine', () => {
	const bodies = () => sandbox.requests('POST /api/upload/image').map(({ bodyBytes }) => bodyBytes);
	const inputsOfLoader = () => sandbox.jobs().flatMap(({ graph }) => graph['3']?.inputs.image ?? []);
	const expectSent = (weighed: Weighed) => {
		expect(weighed.item).toMatchObject({ json: { status: 'succeeded' } });
		expect(inputsOfLoader().at(-1)).toMatch(/^large.*\.(bin|png)/);
		expect(bodies().at(-1)).toBeGreaterThan(LARGE_MIB * MIB);
		expect(weighed.growthMib).toBeLessThanOrEqual(MOST_GROWTH_MIB);
	};
	beforeEach(() => sandbox.configure({ engineUploadLimitBytes: 1024 * MIB }));

	it(`${LARGE_MIB} MiB of the item go in little memory`, async () => {
		expectSent(await weigh({ direction: 'row', small: SMALL_MIB * MIB, large: LARGE_MIB * MIB }, 'engine'));
	}, 240_000);

	it(`${LARGE_MIB} MiB from a URL go through in little memory`, async () => {
		const chunk = Buffer.alloc(MIB, 0xa5);
		PNG_SIGNATURE.copy(chunk);
		const ofMib: Answer = async ({ url }, response) => {
			const mib = Number(/\d+/.exec(url)?.[0]);
			response.writeHead(200, { 'content-length': mib * MIB, 'content-type': 'image/png' });
			for (let sent = 0; sent < mib; sent++) if (!response.write(chunk)) await once(response, 'drain');
			response.end();
		};
		const web = await serve(ofMib);
		const weighed = await weigh(
			{ direction: 'web', small: `${web.origin}/${SMALL_MIB}/large.png`, large: `${web.origin}/${LARGE_MIB}/large.png` },
			'engine',
		);
		await web.close();
		expectSent(weighed);
		expect(web.seen).toHaveLength(2);
	}, 240_000);
});
