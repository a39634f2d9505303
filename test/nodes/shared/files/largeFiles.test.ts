import { once } from 'node:events';

import { type Answer, serve } from '../../../client/support/server';
import { credentialFor, type Way } from '../../support/flavours';
import type { LargeFilesTask } from '../../support/largeFilesChild';
import { largeFileGraph } from '../../support/media';
import { finished } from '../../support/submit';
import { MIB, MOST_GROWTH_MIB, weigh, type Weighed } from '../../support/weigh';
import { sharedSandbox } from '../../support/sandbox';

const LARGE_MIB = 256;
/** More than may be held, and done sooner. */
const SENT_MIB = 96;
/** Enough to load everything that a transfer needs. */
const SMALL_MIB = 4;

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** On a busy machine such a transfer takes minutes. */
jest.setTimeout(600_000);

const sandbox = sharedSandbox();
const weighOver = async (task: Omit<LargeFilesTask, 'credential'>, way?: Way): Promise<Weighed> =>
	await weigh({ ...task, credential: credentialFor(sandbox, way) });

it(`uploads ${SENT_MIB} MiB in little memory`, async () => {
	const up = await weighOver({ direction: 'up', small: SMALL_MIB * MIB, large: SENT_MIB * MIB });
	expect(up.item).toMatchObject({
		json: { size_bytes: SENT_MIB * MIB, bytes_sent: SENT_MIB * MIB, hash: expect.stringMatching(/^blake3:/) },
	});
	expect(up.growthMib).toBeLessThanOrEqual(MOST_GROWTH_MIB);
});

it(`downloads ${LARGE_MIB} MiB in little memory`, async () => {
	const [small, large] = [await finished(sandbox, largeFileGraph(SMALL_MIB, 1)), await finished(sandbox, largeFileGraph(LARGE_MIB, 2))];
	const down = await weighOver({ direction: 'down', small, large });
	expect(down.item).toMatchObject({ binary: { data: { bytes: LARGE_MIB * MIB } } });
	expect(down.growthMib).toBeLessThanOrEqual(MOST_GROWTH_MIB);
});

describe('as a file of Run Workflow, to an engine', () => {
	const bodies = () => sandbox.requests('POST /api/upload/image').map(({ bodyBytes }) => bodyBytes);
	const inputsOfLoader = () => sandbox.jobs().flatMap(({ graph }) => graph['3']?.inputs.image ?? []);
	const expectSent = (weighed: Weighed) => {
		expect(weighed.item).toMatchObject({ json: { status: 'succeeded' } });
		expect(inputsOfLoader().at(-1)).toMatch(/^large.*\.(bin|png)/);
		expect(bodies().at(-1)).toBeGreaterThan(SENT_MIB * MIB);
		expect(weighed.growthMib).toBeLessThanOrEqual(MOST_GROWTH_MIB);
	};
	beforeEach(() => sandbox.configure({ engineUploadLimitBytes: 1024 * MIB }));

	it(`${SENT_MIB} MiB of the item go in little memory`, async () => {
		expectSent(await weighOver({ direction: 'row', small: SMALL_MIB * MIB, large: SENT_MIB * MIB }, 'engine'));
	});

	it(`${SENT_MIB} MiB from a URL go through in little memory`, async () => {
		const chunk = Buffer.alloc(MIB, 0xa5);
		PNG_SIGNATURE.copy(chunk);
		const ofMib: Answer = async ({ url }, response) => {
			const mib = Number(/\d+/.exec(url)?.[0]);
			response.writeHead(200, { 'content-length': mib * MIB, 'content-type': 'image/png' });
			for (let sent = 0; sent < mib; sent++) if (!response.write(chunk)) await once(response, 'drain');
			response.end();
		};
		const web = await serve(ofMib);
		const weighed = await weighOver(
			{ direction: 'web', small: `${web.origin}/${SMALL_MIB}/large.png`, large: `${web.origin}/${SENT_MIB}/large.png` },
			'engine',
		);
		await web.close();
		expectSent(weighed);
		expect(web.seen).toHaveLength(2);
	});
});
